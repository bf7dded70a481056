"""Connections are made as the settings say, over the loopback."""

import asyncio
import socket

import pytest

from forebay.outfeed.sending.dialling import SO_MAX_PACING_RATE, NetworkSettings, dial


@pytest.fixture
async def listener():
    """A port on which both loopback addresses listen, and the connections that came."""
    came = asyncio.Queue()

    async def serve(reader, writer):
        came.put_nowait(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], came
    server.close()
    while not came.empty():
        came.get_nowait().close()
    await server.wait_closed()


async def test_a_connection_comes_from_the_address_that_is_wished(listener):
    port, came = listener
    with await dial("127.0.0.1", port, NetworkSettings(("127.0.0.9", "::1"))):
        peer = await came.get()
        assert peer.get_extra_info("peername")[0] == "127.0.0.9"
        peer.close()


async def test_an_address_that_is_not_ours_is_told(listener):
    port, _ = listener
    with pytest.raises(OSError, match="Cannot assign"):
        await dial("127.0.0.1", port, NetworkSettings(("192.0.2.1",)))


async def test_only_addresses_of_the_family_are_used(listener):
    port, _ = listener
    with pytest.raises(OSError, match=r"family|not known|No address"):
        await dial("127.0.0.1", port, NetworkSettings(family=socket.AF_INET6))
    with await dial("localhost", port, NetworkSettings(family=socket.AF_INET)) as connection:
        assert connection.family == socket.AF_INET


async def test_the_kernel_is_told_how_to_send(listener):
    port, _ = listener
    wished = NetworkSettings(pacing_rate=5_000_000, congestion_control="reno", send_buffer=65_536)
    with await dial("127.0.0.1", port, wished) as connection:
        pacing = connection.getsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 8)
        assert int.from_bytes(pacing, "little") == 5_000_000
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) >= 65_536
        algorithm = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        assert algorithm.rstrip(b"\0") == b"reno"


@pytest.mark.parametrize(
    ("address", "level", "option"),
    [("127.0.0.1", socket.IPPROTO_IP, socket.IP_TOS), ("::1", socket.IPPROTO_IPV6, socket.IPV6_TCLASS)],
    ids=["IPv4", "IPv6"],
)
async def test_packets_are_marked_for_routers(address, level, option):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with (
        socket.create_server((address, 0), family=family) as server,
        await dial(address, server.getsockname()[1], NetworkSettings(dscp=8)) as connection,
    ):
        assert connection.getsockopt(level, option) == 8 << 2


async def test_an_algorithm_that_the_kernel_lacks_is_told(listener):
    port, _ = listener
    with pytest.raises(OSError, match="does not have or allow the congestion control mystery"):
        await dial("127.0.0.1", port, NetworkSettings(congestion_control="mystery"))


async def test_the_next_address_is_tried_when_one_takes_no_connection(listener, monkeypatch):
    port, _ = listener
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)
    refusing = [(*found[0][:4], ("127.0.0.1", 1))]

    async def look_up(*arguments, **options):
        return refusing + found

    monkeypatch.setattr(loop, "getaddrinfo", look_up)
    with await dial("two.example", port, NetworkSettings()) as connection:
        assert connection.getpeername() == ("127.0.0.1", port)


async def test_a_name_is_looked_up_anew_for_each_connection(monkeypatch):
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as old, socket.create_server(("127.0.0.2", 0)) as new:
        answers = [server.getsockname() for server in (old, new)]

        async def look_up(*arguments, **options):
            return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", answers.pop(0))]

        monkeypatch.setattr(loop, "getaddrinfo", look_up)
        for server in (old, new):
            with await dial("moved.example", 119, NetworkSettings()) as connection:
                assert connection.getpeername() == server.getsockname()


async def test_a_name_that_nobody_knows_is_told():
    with pytest.raises(OSError, match=r"."):
        await dial("host.invalid", 119, NetworkSettings())
