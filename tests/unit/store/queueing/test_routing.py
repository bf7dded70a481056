"""Routes: exact addresses and patterns, against a plain matcher."""

import re

from hypothesis import given
from hypothesis import strategies as st

from forebay.store.queueing import routing
from forebay.store.queueing.routing import Routes

WORDS = st.sampled_from(["a", "b", "*", "#"])
PATTERNS = st.lists(WORDS, min_size=1, max_size=6).map(".".join)
ADDRESSES = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6).map(".".join)


def matches(pattern, address):
    """By a regular expression over words that each end with a dot."""
    parts = {"*": r"[^.]+\.", "#": r"(?:[^.]+\.)*"}
    expression = "".join(parts.get(word, word + r"\.") for word in pattern.split("."))
    return re.fullmatch(expression, address + ".") is not None


@given(st.lists(st.lists(PATTERNS, max_size=3), max_size=4), st.lists(ADDRESSES, min_size=1, max_size=5))
def test_an_address_reaches_the_queues_whose_pattern_fits(bindings, addresses):
    names = {f"q{place}": patterns for place, patterns in enumerate(bindings)}
    routes = Routes()
    routes.bind(names)
    for address in addresses * 2:
        expected = [name for name, patterns in names.items() if any(matches(p, address) for p in patterns)]
        assert list(routes.queues(address)) == expected


def test_other_bindings_count_at_once():
    routes = Routes()
    routes.bind({"q": ["a"]})
    assert routes.queues("a") == ("q",)
    routes.bind({"r": ["a"]})
    assert routes.queues("a") == ("r",)


def test_many_hashes_cost_no_more_than_they_are_long():
    routes = Routes()
    routes.bind({"q": [".".join(["#", "a"] * 30)]})
    assert routes.queues(".".join(["a"] * 60)) == ("q",)
    assert routes.queues(".".join(["b"] * 200)) == ()


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(routing, "REMEMBERED", 3)
    routes = Routes()
    routes.bind({"q": ["*"]})
    for number in range(10):
        assert routes.queues(str(number)) == ("q",)
        assert len(routes._known) <= 3
