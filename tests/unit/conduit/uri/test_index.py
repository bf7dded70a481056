import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.uri import UriIndex, matches
from forebay.conduit.core.uri.pattern import Pattern

from .strings import DEEP_PATTERNS, PATTERNS, URIS

ANY = st.one_of(URIS, PATTERNS, DEEP_PATTERNS)


@given(st.lists(ANY, max_size=30), ANY, st.data())
def test_it_finds_what_a_scan_finds(uris: list[str], sought: str, data: st.DataObject):
    index: UriIndex[int] = UriIndex()
    for value, uri in enumerate(uris):
        index.add(uri, value)
    gone = data.draw(st.sets(st.sampled_from(range(len(uris))))) if uris else set()
    for value in gone:
        index.remove(uris[value], value)
    expected = [value for value, uri in enumerate(uris) if value not in gone and matches(uri, sought)]
    assert sorted(index.matching(sought)) == expected


def test_a_uri_may_have_several_values():
    index: UriIndex[str] = UriIndex()
    index.add("/a", "x")
    index.add("/a", "y")
    assert index.exactly("/a") == ["x", "y"]
    index.remove("/a", "x")
    assert index.exactly("/a") == ["y"]
    assert len(index) == 1


def test_exactly_does_not_match():
    index: UriIndex[str] = UriIndex()
    index.add("/*", "x")
    assert (index.exactly("/a"), index.exactly("/*")) == ([], ["x"])


@pytest.mark.parametrize(("uri", "value"), [("/b", "x"), ("/a", "y"), ("/*", "x")])
def test_what_is_not_there_cannot_be_removed(uri: str, value: str):
    index: UriIndex[str] = UriIndex()
    index.add("/a", "x")
    with pytest.raises(KeyError):
        index.remove(uri, value)
    assert index.matching("/a") == ["x"]


def test_nothing_is_kept_of_what_was_removed():
    index: UriIndex[int] = UriIndex()
    uris = ["/a/b", "/a/*", "**", "/a*", "**/b"]
    for uri in uris * 2:
        index.add(uri, 1)
    for uri in uris * 2:
        index.remove(uri, 1)
    assert len(index) == 0
    assert list(index.uris_matching("**")) == []


def cost_of(index: UriIndex[int], sought: str) -> tuple[int, int]:
    """How many URIs and patterns a look-up tests, and how many it finds."""
    count = 0
    codes = {Pattern.matches.__code__, Pattern.intersects.__code__}

    def counted(frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code in codes

    sys.setprofile(counted)
    try:
        found = len(index.matching(sought))
    finally:
        sys.setprofile(None)
    return count, found


@pytest.fixture(scope="module")
def plant() -> UriIndex[int]:
    """2000 resources of 200 machines and 600 patterns."""
    index: UriIndex[int] = UriIndex()
    machines, sensors = [f"m{number}" for number in range(200)], [f"s{number}" for number in range(10)]
    uris = [f"/plant/{machine}/{sensor}" for machine in machines for sensor in sensors]
    patterns = [form.format(machine) for machine in machines for form in ("/plant/{}/*", "**/{}/s?", "/*/{}x*")]
    everything = uris + patterns
    random.Random(9).shuffle(everything)
    for value, uri in enumerate(everything):
        index.add(uri, value)
    return index


@pytest.mark.parametrize(
    ("sought", "found", "most"),
    [
        pytest.param("/plant/m77/s3", 3, 40, id="resource"),
        pytest.param("/plant/m77/*", 12, 420, id="what begins so"),
        pytest.param("/*/m77/*", 12, 620, id="a part in the middle"),
        pytest.param("**/m77/s3", 3, 620, id="what ends so"),
        pytest.param("/elsewhere/x", 0, 10, id="nothing"),
        pytest.param("/plant/m77x/s3", 0, 40, id="nearly"),
    ],
)
def test_a_look_up_does_not_test_all(plant: UriIndex[int], sought: str, found: int, most: int):
    tested, matched = cost_of(plant, sought)
    assert matched == found
    assert tested <= most
