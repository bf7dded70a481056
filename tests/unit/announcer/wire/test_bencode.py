from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.errors import BencodeError
from forebay.announcer.wire.bencode import DEEPEST, decode, encode

VALUES = st.recursive(
    st.integers(-(10**19), 10**19) | st.binary(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.binary(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.binary(max_size=8))
def test_what_is_encoded_is_decoded_again_whatever_stands_behind_it(value, behind):
    assert decode(encode(value) + behind) == value


@given(st.binary(max_size=200) | st.text("idle0123456789:-e", max_size=60).map(str.encode))
def test_any_octets_are_a_value_or_an_error(octets):
    with suppress(BencodeError):
        decode(octets)


@given(VALUES.map(encode), st.data())
def test_what_is_cut_off_is_an_error(octets, data):
    with pytest.raises(BencodeError):
        decode(octets[: data.draw(st.integers(0, len(octets) - 1))])


def test_keys_are_written_in_their_order_and_read_in_any():
    assert encode({b"b": 1, b"a": [b"x", -2]}) == b"d1:al1:xi-2ee1:bi1ee"
    assert decode(b"d1:bi1e1:ai2ee") == {b"a": 2, b"b": 1}


def test_lists_within_each_other_have_a_limit():
    assert decode(b"l" * DEEPEST + b"e" * DEEPEST)
    with pytest.raises(BencodeError, match="within each other"):
        decode(b"l" * (DEEPEST + 1) + b"e" * (DEEPEST + 1))


@pytest.mark.parametrize("depth", [10_000, 1_000_000])
def test_nesting_without_end_is_an_error_and_no_overflow(depth):
    with pytest.raises(BencodeError):
        decode(b"d1:a" * depth)


@pytest.mark.parametrize(
    ("octets", "message"),
    [
        pytest.param(b"", "no value at octet 0", id="nothing"),
        pytest.param(b"i12", "no integer at octet 0", id="open-integer"),
        pytest.param(b"i1_0e", "no integer", id="underscore"),
        pytest.param(b"i" + b"1" * 21 + b"e", "no integer", id="many-digits"),
        pytest.param(b"11:0123456789", "cut off", id="short-octets"),
        pytest.param(b"99999999999:a", "no value", id="huge-length"),
        pytest.param(b"di1ei2ee", "no value at octet 1", id="key-is-a-number"),
        pytest.param(b"<html>", "no value at octet 0", id="html"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(octets, message):
    with pytest.raises(BencodeError, match=message):
        decode(octets)
