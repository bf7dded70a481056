import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.wire.addresses import packed


@given(st.ip_addresses(v=4))
def test_ipv4_has_4_octets_in_either_writing(address):
    assert packed(str(address)) == packed(f"::ffff:{address}") == address.packed


@given(st.ip_addresses(v=6))
def test_ipv6_has_16(address):
    if address.ipv4_mapped is None:
        assert packed(str(address)) == packed(f"{address}%eth0") == address.packed


@pytest.mark.parametrize("host", ["", "localhost", "1.2.3", "1.2.3.4.5", "::g", "1.2.3.4:80", "[::1]"])
def test_what_is_no_address_is_an_error(host):
    with pytest.raises(ValueError, match="no address"):
        packed(host)
