from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.errors import RequestError
from forebay.announcer.fronts.proxies import TrustedProxies
from forebay.announcer.wire.addresses import packed

PROXY = packed("10.0.0.1")
PROXIES = TrustedProxies([ip_network("10.0.0.0/8"), ip_network("fd00::/8")])


@pytest.mark.parametrize(
    ("address", "trusted"),
    [("10.1.2.3", True), ("::ffff:10.1.2.3", True), ("fd00::1", True), ("11.0.0.1", False), ("2001:db8::1", False)],
)
def test_a_proxy_is_trusted_by_its_network(address, trusted):
    assert PROXIES.trusts(packed(address)) == trusted


def test_without_networks_nobody_is_trusted():
    assert not TrustedProxies().trusts(PROXY)


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        pytest.param("192.0.2.1", "192.0.2.1", id="one"),
        pytest.param("198.51.100.9, 192.0.2.1", "192.0.2.1", id="what-the-client-says-is-not-believed"),
        pytest.param("192.0.2.1, 10.0.0.2 ,fd00::5", "192.0.2.1", id="proxies-behind-proxies"),
        pytest.param("nonsense, 192.0.2.1", "192.0.2.1", id="what-the-client-says-is-not-looked-at"),
        pytest.param("192.0.2.1:4711", "192.0.2.1", id="port"),
        pytest.param("[2001:db8::1]:4711", "2001:db8::1", id="ipv6-port"),
        pytest.param("2001:db8::1", "2001:db8::1", id="ipv6"),
        pytest.param("::ffff:192.0.2.1", "192.0.2.1", id="mapped"),
        pytest.param("10.0.0.7, 10.0.0.8", "10.0.0.7", id="proxies-only"),
    ],
)
def test_the_client_is_the_last_that_is_no_proxy(forwarded, client):
    assert PROXIES.client(PROXY, forwarded.encode()) == packed(client)


@pytest.mark.parametrize("forwarded", ["unknown", "192.0.2.1,", "_hidden", "192.0.2.1, x", "1.2.3.4.5", "[::g]"])
def test_a_header_without_an_address_is_refused(forwarded):
    with pytest.raises(RequestError, match="X-Forwarded-For"):
        PROXIES.client(PROXY, forwarded.encode())


@given(st.binary(max_size=100))
def test_any_header_is_an_address_or_an_error(forwarded):
    try:
        address = PROXIES.client(PROXY, forwarded)
    except RequestError:
        return
    assert len(address) in (4, 16)
