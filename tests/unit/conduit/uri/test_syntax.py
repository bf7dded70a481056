import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.errors import InvalidUriError
from forebay.conduit.core.uri import MAX_URI, canonical, check_uri, fault_of, is_pattern

from .strings import matched_by


@pytest.mark.parametrize(
    "uri",
    [
        "/a",
        "/a/b",
        "/A-Z_09",
        "**",
        "**a",
        "**/a",
        "/**",
        "/a**b",
        "/*",
        "/a*b",
        "/?",
        "/?*",
        "/a?b",
        "/**/**",
        "/" + "x" * 255,
    ],
)
def test_valid(uri: str):
    assert fault_of(uri) is None


@pytest.mark.parametrize(
    ("uri", "fault"),
    [
        pytest.param("", "it does not start with / or **", id="empty"),
        pytest.param("a", "it does not start with / or **: put a / before it", id="no slash"),
        pytest.param("*a", "it does not start with / or **", id="one star"),
        pytest.param("?", "it does not start with / or **", id="one character"),
        pytest.param("/", "it ends with a /: leave that out", id="root"),
        pytest.param("/a/", "it ends with a /", id="slash at the end"),
        pytest.param("**/", "it ends with a /", id="slash behind stars"),
        pytest.param("/a//b", "it holds //: write one /", id="empty part"),
        pytest.param("/a b", "it holds ' ' at 2: use letters", id="blank"),
        pytest.param("/ä", "it holds 'ä' at 1", id="umlaut"),
        pytest.param("/a.b", "it holds '.' at 2", id="dot"),
        pytest.param("/a\n", "it holds '\\n' at 2", id="line end"),
        pytest.param("/*?", "it holds *?: write ?*", id="star before character"),
        pytest.param("/**?", "it holds **?: a character", id="stars before character"),
        pytest.param("/***", "it holds ***: write **", id="three stars"),
        pytest.param("/" + "x" * 256, "it has 257 characters, more than the 256 that this node takes", id="long"),
    ],
)
def test_invalid(uri: str, fault: str):
    with pytest.raises(InvalidUriError) as caught:
        check_uri(uri)
    assert caught.value.fault.startswith(fault)
    assert repr(uri) in str(caught.value)


def test_the_limit_is_a_setting():
    assert fault_of("/" + "x" * MAX_URI, MAX_URI + 1) is None
    assert fault_of("/abc", 3) is not None


@pytest.mark.parametrize(("uri", "pattern"), [("/a", False), ("/a*", True), ("/?", True), ("**", True)])
def test_patterns_are_told_from_uris(uri: str, pattern: bool):
    assert is_pattern(uri) is pattern


@pytest.mark.parametrize(
    ("uri", "form"),
    [
        ("/a/b", "/a/b"),
        ("/*?", "/?*"),
        ("/a*?*b", "/a?*b"),
        ("/*?*?", "/??*"),
        ("/***", "/**"),
        ("/*****", "/**"),
        ("/*?**", "/?**"),
        ("/*?***x", "/?**x"),
        ("/?*?**", "/??**"),
        ("/**/**", "/**/**"),
    ],
)
def test_canonical(uri: str, form: str):
    assert canonical(uri) == form


@pytest.mark.parametrize("uri", ["/**?", "/**?*", "/?**?", "/a//b", "a"])
def test_what_has_no_valid_form_is_refused(uri: str):
    with pytest.raises(InvalidUriError):
        canonical(uri)


@given(st.text("a/*?", max_size=6), st.lists(st.text("ab/", max_size=5), max_size=20))
def test_the_canonical_form_matches_the_same(tail: str, strings: list[str]):
    try:
        form = canonical("/a" + tail)
    except InvalidUriError:
        return
    assert fault_of(form) is None
    assert canonical(form) == form
    for string in strings:
        assert matched_by(form, "/a" + string) == matched_by("/a" + tail, "/a" + string)
