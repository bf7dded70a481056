"""The configuration that a pod is given, and what is made of it."""

import os

import pytest

from forebay.cli.errors import ConfigurationError, InputError
from forebay.cli.pod import PodOutfeed, outfeed_of, read_document, service_host
from forebay.outfeed import Surroundings
from forebay.runtime.document import ConfigDocument, encode
from forebay.runtime.secret import Secret
from manifests import NAMESPACE, outfeed, peerfeed, spill

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


def test_the_outfeed_is_found_by_its_full_name():
    found = outfeed_of(ConfigDocument(1, MANIFESTS), f"{NAMESPACE}/main")
    assert found.spec.listeners.nntp.port == 1190


@pytest.mark.parametrize("name", ["", "main", "elsewhere/main"])
def test_a_name_that_is_none_is_answered_with_those_there_are(name):
    with pytest.raises(InputError) as caught:
        outfeed_of(ConfigDocument(1, MANIFESTS), name)
    assert f"{NAMESPACE}/main" in caught.value.remedy


def test_an_outfeed_that_lacks_its_spill_listens_all_the_same():
    assert outfeed_of(ConfigDocument(1, (outfeed(),)), f"{NAMESPACE}/main").metadata.name == "main"


def test_the_faults_of_an_outfeed_are_told():
    document = ConfigDocument(1, (spill(), outfeed(history={"remember": "soon"})))
    with pytest.raises(ConfigurationError, match=r"has faults: spec\.history\.remember"):
        outfeed_of(document, f"{NAMESPACE}/main")


def test_another_outfeed_is_reached_by_its_service():
    assert (
        service_host(outfeed_of(ConfigDocument(1, MANIFESTS), f"{NAMESPACE}/main")) == f"main-outfeed.{NAMESPACE}.svc"
    )


async def test_the_revision_in_force_is_noted_for_the_next_start(tmp_path):
    service = PodOutfeed((NAMESPACE, "main"), tmp_path, Surroundings(None, service_host))
    assert service.noted() == 0
    await service.apply(ConfigDocument(7))
    assert service.noted() == 7


async def test_a_revision_that_cannot_be_noted_is_applied_all_the_same(tmp_path):
    (tmp_path / "file").touch()
    service = PodOutfeed((NAMESPACE, "main"), tmp_path / "file" / "data", Surroundings(None, service_host))
    assert [each.kind for each in await service.apply(ConfigDocument(7, (spill(),)))] == ["Spill"]
