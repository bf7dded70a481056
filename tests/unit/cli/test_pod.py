"""The configuration that a pod is given, and what is made of it."""

import os

import pytest

from forebay.cli.errors import ConfigurationError, InputError
from forebay.cli.pod import PodHost, noted, read_document, resource_of, service_host
from forebay.cli.servicekind import OUTFEED, STORE
from forebay.runtime import HostSettings
from forebay.runtime.document import ConfigDocument, encode
from forebay.runtime.secret import Secret
from integration.runtime.echo import EchoService
from manifests import NAMESPACE, outfeed, peerfeed, spill, store

MANIFESTS = (spill(), outfeed(listeners={"nntp": {"port": 1190}}), peerfeed("a"))


def mount(folder, revision, data, version="1"):
    """Put files into a folder as Kubernetes does: behind a link that is replaced as a whole."""
    fresh = folder / f"..{version}"
    fresh.mkdir(parents=True)
    (fresh / "revision").write_text(revision)
    (fresh / "document").write_bytes(data)
    (folder / "..new").symlink_to(fresh.name)
    os.replace(folder / "..new", folder / "..data")
    for name in ("revision", "document"):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")


def test_the_document_is_read_under_its_revision(tmp_path):
    secrets = {f"{NAMESPACE}/redis": {"url": Secret("redis://:hush@r.example")}}
    mount(tmp_path, "7\n", encode(ConfigDocument(1, MANIFESTS, secrets)))
    assert read_document(tmp_path) == ConfigDocument(7, MANIFESTS, secrets)


def test_both_files_are_of_the_same_version(tmp_path):
    mount(tmp_path, "7", encode(ConfigDocument(1, MANIFESTS[:2])))
    mount(tmp_path, "8", encode(ConfigDocument(1, MANIFESTS)), version="2")
    assert read_document(tmp_path) == ConfigDocument(8, MANIFESTS)


@pytest.mark.parametrize(
    ("revision", "data", "problem"),
    [
        ("7", encode(ConfigDocument(1, MANIFESTS))[:-5], "document is cut short"),
        ("7", b"", "document is cut short"),
        ("7", b"{}", "document is not compressed by zlib"),
        ("", encode(ConfigDocument(1)), "revision is no number"),
        ("seven", encode(ConfigDocument(1)), "revision is no number"),
        ("0", encode(ConfigDocument(1)), "revision 0 is no revision"),
    ],
)
def test_what_is_torn_is_told_as_such(tmp_path, revision, data, problem):
    mount(tmp_path, revision, data)
    with pytest.raises(ConfigurationError, match=problem) as caught:
        read_document(tmp_path)
    assert str(tmp_path) in caught.value.message
    assert "started again" in caught.value.remedy


@pytest.mark.parametrize("missing", ["revision", "document"])
def test_a_missing_file_is_told_as_such(tmp_path, missing):
    mount(tmp_path, "7", encode(ConfigDocument(1)))
    (tmp_path / "..data" / missing).unlink()
    with pytest.raises(ConfigurationError, match="holds no configuration: No such file or directory"):
        read_document(tmp_path)


@pytest.mark.parametrize("kind", [OUTFEED, STORE])
def test_a_service_is_found_by_its_kind_and_full_name(kind):
    found = resource_of(ConfigDocument(1, (*MANIFESTS, store())), kind, f"{NAMESPACE}/main")
    assert (found.kind, found.metadata.name) == (kind.title, "main")


@pytest.mark.parametrize("name", ["", "main", "elsewhere/main"])
def test_a_name_that_is_none_is_answered_with_those_there_are(name):
    with pytest.raises(InputError, match="has no Outfeed") as caught:
        resource_of(ConfigDocument(1, MANIFESTS), OUTFEED, name)
    assert f"{NAMESPACE}/main" in caught.value.remedy


def test_an_outfeed_that_lacks_its_spill_listens_all_the_same():
    assert resource_of(ConfigDocument(1, (outfeed(),)), OUTFEED, f"{NAMESPACE}/main").metadata.name == "main"


def test_the_faults_of_a_service_are_told():
    document = ConfigDocument(1, (spill(), outfeed(history={"remember": "soon"})))
    with pytest.raises(ConfigurationError, match=r"the Outfeed news/main has faults: spec\.history\.remember"):
        resource_of(document, OUTFEED, f"{NAMESPACE}/main")


def test_another_service_is_reached_by_its_kind_and_name():
    found = resource_of(ConfigDocument(1, MANIFESTS), OUTFEED, f"{NAMESPACE}/main")
    assert service_host(found) == f"main-outfeed.{NAMESPACE}.svc"


def host(folder, revision):
    return PodHost(EchoService(), HostSettings(), folder, ConfigDocument(revision))


async def test_the_revision_in_force_is_noted_for_the_next_start(tmp_path):
    assert noted(tmp_path) == 0
    first = host(tmp_path, 6)
    assert not first.overtaken
    await first.configuration.apply(ConfigDocument(7))
    assert first.service.events == ["apply 7"]
    assert noted(tmp_path) == 7
    assert not host(tmp_path, 7).overtaken
    assert host(tmp_path, 6).overtaken


async def test_a_revision_that_cannot_be_noted_is_applied_all_the_same(tmp_path):
    found = host(tmp_path / "data", 6)
    (tmp_path / "data").touch()
    await found.configuration.apply(ConfigDocument(7))
    assert found.service.events == ["apply 7"]
