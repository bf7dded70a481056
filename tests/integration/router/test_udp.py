"""What links over UDP are called by, and by which addresses."""

import pytest

from forebay.router.links.udp import UdpEndpoint
from forebay.runtime import SystemClock, UnavailableError

KEY = b"sixteen octets--"


async def opened(listen: str, accepted: list) -> tuple[UdpEndpoint, int]:
    endpoint = UdpEndpoint(KEY, SystemClock(), accepted.append)
    return endpoint, await endpoint.open(listen)


@pytest.mark.parametrize(
    ("listen", "place"),
    [("127.0.0.1:0", "127.0.0.1"), ("[::]:0", "127.0.0.1"), ("[::]:0", "[::1]"), ("[::]:0", "localhost")],
    ids=["IPv4", "IPv4 by all", "IPv6 by all", "name by all"],
)
async def test_a_router_is_called_by_each_address_that_the_socket_has(listen, place):
    here, there = [], []
    caller, _ = await opened(listen, here)
    called, port = await opened(listen, there)
    try:
        session = await caller.call(f"{place}:{port}", 7)
        assert session.address[1] == port
    finally:
        caller.close()
        called.close()


async def test_a_name_that_is_not_known_is_told():
    endpoint, _ = await opened("127.0.0.1:0", [])
    try:
        with pytest.raises(UnavailableError, match=r"nowhere\.invalid:1 is not known"):
            await endpoint.call("nowhere.invalid:1", 7)
    finally:
        endpoint.close()
