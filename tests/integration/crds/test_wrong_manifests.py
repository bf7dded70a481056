"""Wrong manifests are refused at apply, in words that name the field and the remedy."""

import json

import pytest

from kubeaccess import KubectlError
from wrongmanifests import FOLDER, WRONG


def refusal(apiserver, *arguments, **options):
    with pytest.raises(KubectlError) as caught:
        apiserver.admin.kubectl(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(("name", "field", "remedy"), [(name, *words) for name, words in WRONG.items()], ids=WRONG)
def test_wrong_manifest_is_refused_with_field_and_remedy(apiserver, name, field, remedy):
    message = refusal(apiserver, "apply", "-f", FOLDER / f"{name}.yaml")
    assert f"{field}: " in message or f"{field}[1]: " in message
    assert remedy in message


def test_every_fault_is_told_once(apiserver):
    message = refusal(apiserver, "apply", "-f", FOLDER / "peerfeed-host-with-port.yaml")
    assert message.count("spec.") == 1


def test_password_in_a_url_is_not_quoted(apiserver):
    assert "hunter2" not in refusal(apiserver, "apply", "-f", FOLDER / "spill-password-in-url.yaml")


def test_unknown_field_is_refused_by_its_name(apiserver):
    head = {"apiVersion": "forebay.dev/v1alpha1", "kind": "Spill", "metadata": {"name": "a"}}
    manifest = json.dumps({**head, "spec": {"managed": {"size": "1GiB"}}})
    assert 'unknown field "spec.managed.size"' in refusal(apiserver, "apply", "-f", "-", stdin=manifest)
