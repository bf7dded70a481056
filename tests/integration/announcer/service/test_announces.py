"""Announces by each way in, over one table of swarms."""

import asyncio
import socket
import struct

import pytest

from announcing import announce, get, octets, told
from eventually import eventually
from forebay.runtime import InvalidArgumentError, UnavailableError


@pytest.fixture
async def server(make_announcer):
    server = make_announcer()
    await server.start()
    return server


async def udp_announce(port, torrent, peer, own_port):
    """Announce over UDP from 127.0.0.1; the octets of the peers."""
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plug:
        plug.setblocking(False)
        plug.connect(("127.0.0.1", port))
        await loop.sock_sendall(plug, struct.pack(">QII", 0x41727101980, 0, 7))
        async with asyncio.timeout(30):
            answer = await loop.sock_recv(plug, 2048)
        packet = answer[8:16] + struct.pack(">II", 1, 8) + octets(torrent) + octets(peer)
        packet += struct.pack(">QQQIIIiH", 0, 100, 0, 0, 0, 0, -1, own_port)
        await loop.sock_sendall(plug, packet)
        async with asyncio.timeout(30):
            return (await loop.sock_recv(plug, 2048))[20:]


async def test_clients_find_each_other_whichever_way_they_come(server):
    await announce(server, peer="over-http", port=1001)
    assert await udp_announce(server.port, "torrent", "over-udp", 1002) == bytes([127, 0, 0, 1, 3, 233])
    async with server.client() as client:
        (answer,) = await client.announce([told(peer="over-grpc", port=1003)])
    assert {(peer.ip, peer.port) for peer in answer.peers} == {("127.0.0.1", 1001), ("127.0.0.1", 1002)}
    assert (answer.complete, answer.incomplete, answer.interval, answer.min_interval) == (0, 3, 1800, 900)
    peers = (await announce(server, peer="late", port=1004))[b"peers"]
    assert bytes([10, 0, 0, 1, 3, 235]) in [peers[at : at + 6] for at in range(0, len(peers), 6)]


async def test_the_sizes_of_swarms(server):
    await announce(server, peer="seeder", left=0)
    await announce(server, peer="leecher", port=1001)
    async with server.client() as client:
        seen, unknown = await client.scrape(octets("torrent"), octets("other"))
        listed = [swarm async for swarm in client.swarms()]
    assert (seen.complete, seen.incomplete, seen.downloaders) == (1, 1, 1)
    assert (unknown.info_hash, unknown.complete, unknown.incomplete) == (octets("other"), 0, 0)
    assert listed == [seen]
    answer = await get(server, "/scrape", info_hash=octets("torrent"))
    assert answer[b"files"][octets("torrent")][b"complete"] == 1


async def test_swarms_are_listed_in_pages(server):
    torrents = sorted(f"torrent-{number:03}" for number in range(2005))
    async with server.client() as client:
        for start in range(0, len(torrents), 1000):
            await client.announce([told(torrent) for torrent in torrents[start : start + 1000]])
        listed = [swarm.info_hash async for swarm in client.swarms()]
    assert listed == [octets(torrent) for torrent in torrents]


@pytest.mark.parametrize(
    ("fields", "failure"),
    [
        pytest.param({"info_hash": b"short"}, "info_hash has 5 octets; give 20", id="info hash"),
        pytest.param({"peer_id": b""}, "peer_id has 0 octets; give 20", id="peer id"),
        pytest.param({"port": 0}, "port 0 is none; give 1 to 65535", id="port 0"),
        pytest.param({"port": 70_000}, "port 70000 is none; give 1 to 65535", id="port too large"),
        pytest.param({"ip": "10.0.0"}, "ip '10.0.0' is no address", id="ip"),
        pytest.param({"key": bytes(33)}, "key has 33 octets; give at most 32", id="key"),
        pytest.param({"event": 9}, "event 9 is unknown", id="event"),
    ],
)
async def test_one_wrong_announce_leaves_the_others_alone(server, fields, failure):
    async with server.client() as client:
        wrong, right = await client.announce([told(**fields), told(peer="other")])
    assert wrong.failure == failure
    assert right.failure == ""
    assert right.incomplete == 1


async def test_too_much_at_once_is_refused(server):
    async with server.client() as client:
        with pytest.raises(InvalidArgumentError, match="announces are 1001; give 1 to 1000"):
            await client.announce([told()] * 1001)
        with pytest.raises(InvalidArgumentError, match="info_hashes are 0"):
            await client.scrape()
        with pytest.raises(InvalidArgumentError, match="info_hashes\\[1\\] has 3 octets"):
            await client.scrape(octets("torrent"), b"abc")


async def test_figures_of_the_fronts(server):
    await announce(server)
    await announce(server, port=0)
    await udp_announce(server.port, "torrent", "over-udp", 1002)
    async with server.client() as client:
        queue = await client.queue()
    assert (queue.peers, queue.swarms, queue.capacity, queue.max_workers) == (2, 1, 10_000, 20)
    metrics = await eventually(lambda: server.metrics())
    assert metrics["forebay_announcer_announces_total", "http"] == 1
    assert metrics["forebay_announcer_failures_total", "http"] == 1
    assert metrics["forebay_announcer_announces_total", "udp"] == 1


async def test_peers_are_there_again_after_a_restart(server):
    await announce(server, peer="before", port=1001)
    assert server.running.stop() == 0
    await server.start()
    assert (await announce(server, peer="after", port=1002))[b"peers"] == bytes([127, 0, 0, 1, 3, 233])


async def test_without_a_sound_configuration_it_says_so(make_announcer):
    server = make_announcer()
    await server.start()
    server.spec = {"announces": {"interval": "1s"}}
    results = await server.apply()
    assert results["Announcer/lan"].violations[0].field == "spec.announces.interval"
    assert b"interval" in await announce(server)
    with pytest.raises(UnavailableError):
        async with make_announcer().client() as nobody:
            await nobody.queue()
