"""Identities kept in the data folder."""

from itertools import count

import pytest

from forebay.api import Manifests, UidsError, with_uids
from forebay.api.manifests import read_object

from .samples import OUTFEED, PEERFEED, SPILL, changed


@pytest.fixture
def make():
    numbers = count(1)
    return lambda: f"uid-{next(numbers)}"


def manifests(*values):
    return Manifests(tuple(read_object(value).resource for value in values))


def uids(named):
    return [resource.metadata.uid for resource in named.resources]


def test_each_resource_gets_its_own(tmp_path, make):
    assert uids(with_uids(manifests(SPILL, OUTFEED), tmp_path, make)) == ["uid-1", "uid-2"]


def test_made_ones_are_random(tmp_path):
    [first, second] = uids(with_uids(manifests(SPILL, OUTFEED), tmp_path))
    assert len({first, second}) == 2
    assert len(first) == 36


def test_they_stay(tmp_path, make):
    with_uids(manifests(SPILL, OUTFEED), tmp_path, make)
    assert uids(with_uids(manifests(PEERFEED, OUTFEED, SPILL), tmp_path, make)) == ["uid-3", "uid-2", "uid-1"]


def test_resource_that_was_away_gets_another(tmp_path, make):
    with_uids(manifests(SPILL, OUTFEED), tmp_path, make)
    with_uids(manifests(SPILL), tmp_path, make)
    assert uids(with_uids(manifests(SPILL, OUTFEED), tmp_path, make)) == ["uid-1", "uid-3"]


def test_kinds_and_namespaces_are_told_apart(tmp_path, make):
    same = [changed(SPILL, "metadata.name", "main"), OUTFEED, changed(OUTFEED, "metadata.namespace", "news")]
    assert uids(with_uids(manifests(*same), tmp_path, make)) == ["uid-1", "uid-2", "uid-3"]


def test_one_that_the_manifest_gives_counts(tmp_path, make):
    given = changed(SPILL, "metadata.uid", "given")
    assert uids(with_uids(manifests(given), tmp_path, make)) == ["given"]
    assert uids(with_uids(manifests(SPILL), tmp_path, make)) == ["given"]


def test_the_rest_of_the_manifests_stays(tmp_path, make):
    before = Manifests(manifests(OUTFEED).resources, {"default/redis": {"url": "x"}})
    after = with_uids(before, tmp_path, make)
    assert after.secrets == before.secrets
    assert after.resources[0].spec == before.resources[0].spec


def test_nothing_is_written_when_nothing_is_new(tmp_path, make):
    with_uids(manifests(SPILL), tmp_path, make)
    inode = (tmp_path / "uids").stat().st_ino
    with_uids(manifests(SPILL), tmp_path, make)
    assert (tmp_path / "uids").stat().st_ino == inode


def test_folder_is_made(tmp_path, make):
    with_uids(manifests(SPILL), tmp_path / "data" / "main", make)
    assert [file.name for file in (tmp_path / "data" / "main").iterdir()] == ["uids"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 5}', "\xff"])
def test_broken_file_is_refused(tmp_path, text):
    (tmp_path / "uids").write_bytes(text.encode("latin-1"))
    with pytest.raises(UidsError, match="uids: is no JSON object of texts; restore it, or remove it"):
        with_uids(manifests(SPILL), tmp_path)
