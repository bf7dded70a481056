"""Tokens as entries of spill streams."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.token import MAX_TRIES, Token, decode, decode_all, message_key


@given(
    st.binary(min_size=3, max_size=250),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, MAX_TRIES),
)
def test_a_token_survives_its_entry(message_id, seq, arrival, size, tries):
    token = Token(message_id, message_key(message_id), seq, arrival, size, tries)
    assert decode(token.encode()) == token


def test_tries_beyond_what_an_entry_holds_stay_at_the_most():
    token = Token(b"<a@b>", message_key(b"<a@b>"), 1, 2, 3, MAX_TRIES).again()
    assert decode(token.encode()).tries == MAX_TRIES


@pytest.mark.parametrize("entry", [b"", b"short", b"\0" * 22])
def test_an_entry_that_is_no_token_says_so(entry):
    with pytest.raises(ValueError, match="is no token"):
        decode(entry)


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=250), st.integers(0, 2**64 - 1), st.integers(0, MAX_TRIES))))
def test_many_entries_are_read_as_each_of_them(parts):
    entries = [Token(name, b"", seq, 7, 9, tries).encode() for name, seq, tries in parts]
    tokens = decode_all(entries)
    assert tokens == list(map(decode, entries))
    assert all(type(token) is Token for token in tokens)


@pytest.mark.parametrize("entry", [b"", b"short", b"\0" * 22])
def test_one_that_is_no_token_among_many_says_so(entry):
    good = Token(b"<a@b>", b"", 1, 2, 3, 4).encode()
    with pytest.raises(ValueError, match="is no token"):
        decode_all([good, entry, good])
