from urllib.parse import quote_from_bytes, unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.errors import RequestError
from forebay.announcer.wire.percent import percent_decode

PIECES = [b"%", b"=", b"+", b"_", b"\n", b"\r", b"%3d", b"%0A", b"%zz", b"a", b"4", b"f"]


@given(st.binary(max_size=40))
def test_what_clients_encode_is_decoded_once(octets):
    assert percent_decode(quote_from_bytes(octets, safe="+=_").encode()) == octets


@given(st.binary(max_size=40))
def test_all_octets_may_be_encoded_in_either_case(octets):
    assert percent_decode("".join(f"%{octet:02x}" for octet in octets).encode()) == octets
    assert percent_decode("".join(f"%{octet:02X}" for octet in octets).encode()) == octets


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=12).map(b"".join))
def test_anything_is_decoded_rightly_or_refused(value):
    rest = unquote_to_bytes(value)
    is_well_formed = value.count(b"%") * 2 == len(value) - len(rest)
    try:
        assert percent_decode(value) == rest
        assert is_well_formed
    except RequestError:
        assert not is_well_formed or b"\n" in value or b"\r" in value


@pytest.mark.parametrize("value", [b"%", b"%2", b"%zz", b"%%20", b"a%4", b"%4%41", b"%\n", b"%\r", b"%41\n"])
def test_a_bare_percent_sign_is_refused(value):
    with pytest.raises(RequestError):
        percent_decode(value)


def test_a_plus_stands_for_itself():
    assert percent_decode(b"a+b%2Bc%20") == b"a+b+c "


def test_what_stands_for_an_encoded_percent_is_not_decoded_again():
    assert percent_decode(b"%2541") == b"%41"
