import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.uri import matches
from forebay.conduit.core.uri.pattern import Pattern

from .strings import DEEP_PATTERNS, PATTERNS, URIS, matched_by, share_a_string

ANY = st.one_of(PATTERNS, DEEP_PATTERNS)


@pytest.mark.parametrize(
    ("first", "second", "match"),
    [
        ("/a", "/a", True),
        ("/a", "/b", False),
        ("/a", "/a/b", False),
        ("/?", "/a", True),
        ("/?", "/ab", False),
        ("/a?b", "/a/b", False),
        ("/*", "/abc", True),
        ("/*", "/a/b", False),
        ("/a*", "/a", True),
        ("/*/b", "/a/b", True),
        ("/a/*/c", "/a/b/c", True),
        ("/a/*/c", "/a/b/b/c", False),
        ("**", "/a/b/c", True),
        ("/a**", "/a", True),
        ("/a/**", "/a", False),
        ("/a/**", "/a/b/c", True),
        ("**/c", "/a/b/c", True),
        ("/a/**/c", "/a/c", False),
        ("/a**/c", "/a/c", True),
        ("/a/*", "/*/b", True),
        ("/a/*", "/b/*", False),
        ("/a/*", "/a/?/c", False),
        ("/a?", "/?b", True),
        ("/a?", "/?", False),
        ("**a", "/b**", True),
        ("/*a/x", "/b*/y", False),
        ("/a*/**", "**/b", True),
        ("/?/*", "**", True),
        ("/*", "/a**b", True),
        ("/*", "/a/**b", False),
    ],
)
def test_examples(first: str, second: str, match: bool):
    assert matches(first, second) is match
    assert matches(second, first) is match


@given(ANY, URIS)
def test_a_pattern_matches_what_a_regular_expression_does(pattern: str, uri: str):
    assert Pattern(pattern).matches(uri) is matched_by(pattern, uri)


@given(PATTERNS.filter(lambda uri: len(uri) < 5), PATTERNS.filter(lambda uri: len(uri) < 5))
def test_patterns_match_when_some_string_matches_both(first: str, second: str):
    assert matches(first, second) is share_a_string(first, second, 7)


@given(ANY, ANY, URIS)
def test_patterns_that_share_a_uri_match(first: str, second: str, uri: str):
    if matched_by(first, uri) and matched_by(second, uri):
        assert matches(first, second)


@given(ANY, ANY)
def test_the_order_does_not_matter(first: str, second: str):
    assert matches(first, second) is matches(second, first)


@given(ANY)
def test_a_pattern_matches_itself(pattern: str):
    assert matches(pattern, pattern)


def test_a_pattern_of_many_wildcards_costs_no_more_than_both_lengths_together_multiplied():
    """The stars of a pattern from a hostile peer, and a URI that nearly matches: all ways in turn would take ages."""
    pattern, uri = "/" + "*a**b" * 50 + "z", "/" + "ab" * 127
    steps = 0

    def counted(_frame: object, event: str, _arg: object) -> None:
        nonlocal steps
        steps += event == "call"

    made, other = Pattern(pattern), Pattern("/" + "?*a**" * 51)
    sys.setprofile(counted)
    try:
        assert not made.matches(uri)
        made.intersects(other)
    finally:
        sys.setprofile(None)
    assert steps < 256 * 256
