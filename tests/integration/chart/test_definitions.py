"""The definitions of the resources come with the chart, and stay when it goes."""

import pytest
import yaml

from helmchart import CHART, of_kind, render

FILES = sorted((CHART / "files" / "crds").glob("*.yaml"))
KEEP = "helm.sh/resource-policy"


def definitions(**values):
    return {body["metadata"]["name"]: body for body in of_kind(render(values), "CustomResourceDefinition")}


def test_all_are_rendered():
    assert sorted(definitions()) == [path.stem for path in FILES]
    assert len(FILES) >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_they_are_as_in_their_files(path):
    assert definitions()[path.stem]["spec"] == yaml.safe_load(path.read_text())["spec"]


def test_they_are_kept():
    assert all(body["metadata"]["annotations"][KEEP] == "keep" for body in definitions().values())


def test_they_go_with_the_release_if_told():
    assert all(KEEP not in body["metadata"]["annotations"] for body in definitions(crds={"keep": False}).values())


def test_they_can_be_left_to_another_release():
    assert not definitions(crds={"enabled": False})
