"""Newsgroup patterns: RFC 3977 section 4, with sets, escapes and poison."""

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.errors import PatternError
from forebay.outfeed.incoming.wildmat import Match, compile_wildmat

YES, NO, POISON = Match.YES, Match.NO, Match.POISON


@pytest.mark.parametrize(
    ("patterns", "group", "verdict"),
    [
        ("*", "any.thing", YES),
        ("misc.*", "misc.jobs", YES),
        ("misc.*", "misc", NO),
        ("misc.*", "a.misc.jobs", NO),
        ("misc*", "misc", YES),
        ("a,b", "b", YES),
        ("a,b", "c", NO),
        ("*,!misc.*", "misc.jobs", NO),
        ("*,!misc.*,misc.jobs", "misc.jobs", YES),
        ("*,!misc.*,misc.jobs", "misc.other", NO),
        ("*,@alt.binaries.*", "alt.binaries.pictures", POISON),
        ("@alt.binaries.*,*", "alt.binaries.pictures", YES),
        ("*,@alt.binaries.*,!alt.binaries.x", "alt.binaries.x", NO),
        ("!*", "any.thing", NO),
        ("a?c", "abc", YES),
        ("a?c", "ac", NO),
        ("a?c", "aöc", YES),
        ("a[bc]d", "acd", YES),
        ("a[^bc]d", "acd", NO),
        ("a[^bc]d", "axd", YES),
        ("a[b-d]", "ac", YES),
        ("a[b-d]", "ae", NO),
        ("[a-]", "-", YES),
        ("[]x]", "]", YES),
        ("[a,b],c", "a", YES),
        ("[a,b],c", ",", YES),
        (r"a\*", "a*", YES),
        (r"a\*", "ab", NO),
        (r"\!a", "!a", YES),
        (r"a\,b", "a,b", YES),
        ("a.b", "axb", NO),
        ("A.b", "a.b", NO),
        (" a , !b ", "a", YES),
        ("a,,b,", "b", YES),
        ("*.a*b.*", "x.aab.y", YES),
        ("**", "x", YES),
        ("[&&--||~~]", "&", YES),
    ],
)
def test_matches(patterns, group, verdict):
    assert compile_wildmat(patterns).match(group.encode()) is verdict


def test_octets_that_are_no_utf8_match_as_single_characters():
    assert compile_wildmat("a?c").match(b"a\xffc") is YES


@pytest.mark.parametrize(
    ("groups", "verdict"),
    [
        ([b"misc.a", b"rec.b"], YES),
        ([b"rec.b", b"rec.c"], NO),
        ([b"misc.a", b"alt.x"], POISON),
        ([b"alt.x"], POISON),
    ],
)
def test_an_article_is_judged_by_all_its_groups(groups, verdict):
    assert compile_wildmat("misc.*,@alt.*").match_all(groups) is verdict


@pytest.mark.parametrize("patterns", ["", " , ", "!", "*,@", "a[b", "a\\", "[", "[z-a]"])
def test_refuses(patterns):
    with pytest.raises(PatternError, match="groups"):
        compile_wildmat(patterns)


def test_what_was_compiled_is_kept():
    assert compile_wildmat("a.*,!a.b") is compile_wildmat("a.*,!a.b")


def test_many_stars_take_no_exponential_time():
    started = time.perf_counter()
    assert compile_wildmat("*a" * 30 + "b").match(b"a" * 20_000) is NO
    assert time.perf_counter() - started < 2


SIMPLE = st.text(alphabet="ab.*?", min_size=1, max_size=8)


@given(st.lists(st.tuples(st.sampled_from(["", "!", "@"]), SIMPLE), min_size=1, max_size=6), st.text("ab.", max_size=8))
def test_the_last_that_matches_decides(signed, group):
    expected = NO
    for sign, pattern in signed:
        if fnmatchcase(group, pattern):
            expected = {"": YES, "!": NO, "@": POISON}[sign]
    patterns = ",".join(sign + pattern for sign, pattern in signed)
    assert compile_wildmat(patterns).match(group.encode()) is expected


@pytest.mark.parametrize(
    ("group", "pattern"),
    [
        pytest.param(b"rec.a", "*", id="wanted"),
        pytest.param(b"alt.b", "!alt.*", id="excluded"),
        pytest.param(b"alt.x", "@alt.x", id="poisoned"),
    ],
)
def test_the_pattern_that_decides_is_told(group, pattern):
    assert compile_wildmat("*,!alt.*,@alt.x").decider(group) == pattern


def test_without_a_match_no_pattern_decides():
    assert compile_wildmat("rec.*").decider(b"alt.b") == ""
