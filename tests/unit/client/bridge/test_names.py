"""Names of resources on both sides of a bridge."""

import pytest
import zenoh
from hypothesis import given
from hypothesis import strategies as st

from forebay.client.bridge.names import Naming
from forebay.conduit.core.uri.pattern import Pattern
from forebay.conduit.core.uri.syntax import fault_of

PARTS = st.lists(st.text("ab-", min_size=1, max_size=3), min_size=1, max_size=4)
URIS = PARTS.map(lambda parts: "/" + "/".join(parts))
PATTERNS = st.text("ab/*?", min_size=1, max_size=10).map(lambda text: f"/{text}").filter(lambda uri: not fault_of(uri))


@given(URIS, st.sampled_from(["", "site", "site/conduit"]))
def test_names_come_back_as_they_were(uri, prefix):
    naming = Naming(prefix)
    key = naming.key_of(uri)
    assert naming.uri_of(key) == uri
    assert str(zenoh.KeyExpr(key)) == key


@given(PATTERNS, URIS)
def test_a_selector_includes_the_keys_of_all_that_match(pattern, uri):
    naming = Naming("site")
    if Pattern(pattern).matches(uri):
        assert zenoh.KeyExpr.autocanonize(naming.selector_of(pattern)).includes(naming.key_of(uri))


@pytest.mark.parametrize(
    ("pattern", "selector"),
    [
        ("/**", "**"),
        ("**", "**"),
        ("/plant/*/temp", "plant/*/temp"),
        ("/plant/oven-*", "plant/oven-$*"),
        ("/plant/?", "plant/*"),
        ("/plant/o?en*x", "plant/o$*en$*x"),
        ("/plant/a**z/temp", "plant/**"),
    ],
)
def test_selectors_are_as_narrow_as_zenoh_can_say(pattern, selector):
    assert Naming().selector_of(pattern) == selector


@pytest.mark.parametrize(
    "key",
    ["elsewhere/a", "site", "site/a.b", "site/a b", "site/é", "site/a*b", "site/**", f"site/{'a' * 300}"],
    ids=["outside", "prefix-alone", "dot", "blank", "letter", "star", "all", "long"],
)
def test_keys_without_a_uri(key):
    assert Naming("site").uri_of(key) is None


def test_a_pattern_has_no_key():
    assert Naming().key_of("/plant/*") is None
