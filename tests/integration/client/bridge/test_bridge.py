"""A bridge between nodes of conduit and programs with zenoh, on loopback."""

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
import zenoh

from eventually import eventually
from forebay.client.bridge import Bridge, BridgeSettings, ZenohSettings
from forebay.client.conduit import ConduitNodeSettings, Node
from ports import free_port
from zenohprogram import ALONE, program

WITHIN = 20.0


@asynccontextmanager
async def running(bridge):
    task = asyncio.create_task(bridge.run())
    try:
        yield bridge
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def node_settings(*peers, **options):
    return ConduitNodeSettings("udp/127.0.0.1:0", peers=peers, scout_interval=0.1, **options)


def place_of(node):
    return "udp/{}:{}".format(*node.address)


async def take(queue):
    async with asyncio.timeout(WITHIN):
        return await queue.get()


@pytest.fixture
async def stack():
    async with AsyncExitStack() as exits:
        yield exits


@pytest.fixture
def place():
    return f"tcp/127.0.0.1:{free_port()}"


@pytest.fixture
def session(tmp_path, place):
    """Settings of a bridge's session: to a program at that place and to nobody else."""
    file = tmp_path / "zenoh.json5"
    file.write_text(json.dumps({"scouting": ALONE, "transport": {"shared_memory": {"enabled": False}}}))
    return ZenohSettings(file, "client", connect=(place,))


@pytest.fixture
async def device(stack):
    """A node of conduit."""
    return await stack.enter_async_context(Node(node_settings()))


async def bridged(stack, session, *nodes, **settings):
    bridge = Bridge(BridgeSettings(**settings), node_settings(*map(place_of, nodes)), session)
    await stack.enter_async_context(running(bridge))
    await eventually(lambda: bridge.zenoh.is_open and all(bridge.node.peer_id in node.peers for node in nodes))
    return bridge


async def listened(device, pattern="/**"):
    """What the node's subscriber gets, once the peers have agreed to what it subscribes to."""
    received = asyncio.Queue()

    async def note(delivery):
        for payload in delivery.payloads:
            received.put_nowait((delivery.uri, payload))

    device.subscribe(pattern, note)
    directory = device.participant.node.declarations.directory
    async with asyncio.timeout(WITHIN):
        await device.until(lambda: directory.reach_uri(pattern.replace("**", "x").replace("*", "x")).own)
    return received


async def matched(device, uri, count=1):
    """Wait until so many peers subscribe to what a URI matches."""
    directory = device.participant.node.declarations.directory
    async with asyncio.timeout(WITHIN):
        await device.until(lambda: len(directory.reach_uri(uri).peers) >= count)


async def heard(other, bridge, key):
    """Wait until what the program publishes comes to a subscriber of conduit."""
    publisher = other.session.declare_publisher(key, allowed_destination=zenoh.Locality.REMOTE)
    await eventually(lambda: publisher.matching_status.matching)
    await matched(bridge.node, "/any")


async def test_samples_go_over_both_ways_in_order(stack, device, session, place):
    other = await stack.enter_async_context(program(place))
    bridge = await bridged(stack, session, device)
    received = await listened(device)
    await matched(device, "/plant/oven")
    publisher = device.publisher("/plant/oven")
    await publisher.write([b"%d" % number for number in range(500)])
    assert [await take(other.received) for _ in range(500)] == [("plant/oven", b"%d" % each) for each in range(500)]
    # They come back to their own node's subscriber, and once.
    assert [await take(received) for _ in range(500)] == [("/plant/oven", b"%d" % each) for each in range(500)]
    await heard(other, bridge, "lab/lamp")
    for number in range(500):
        other.session.put("lab/lamp", b"%d" % number)
    assert [await take(received) for _ in range(500)] == [("/lab/lamp", b"%d" % each) for each in range(500)]
    assert (bridge.tally.outward, bridge.tally.inward) == (500, 500)
    assert received.empty()


async def test_nothing_is_brought_back(stack, device, session, place):
    other = await stack.enter_async_context(program(place))
    one = await bridged(stack, session, device, inward=())
    two = await bridged(stack, session, device, one.node, outward=("/out/**",))
    received = await listened(device)
    await matched(device, "/out/x", 2)
    await heard(other, two, "in/x")
    for number in range(100):
        await device.publisher("/out/x").write([b"%d" % number])
        other.session.put("in/x", b"%d" % number)
    sent = [*(("out/x", b"%d" % number) for number in range(100))] * 2
    assert sorted([await take(other.received) for _ in sent]) == sorted(sent)
    assert len([await take(received) for _ in sent]) == len(sent)
    # What one of them brought, the other one was offered on either side before this.
    await device.publisher("/out/x").write([b"last"])
    assert [await take(other.received) for _ in range(2)] == [("out/x", b"last")] * 2
    other.session.put("in/x", b"last")
    assert [await take(received) for _ in range(2)] == [("/out/x", b"last"), ("/in/x", b"last")]
    assert (one.tally.outward, two.tally.outward, two.tally.inward) == (101, 101, 101)


async def test_networks_of_different_names_talk_by_way_of_zenoh(stack, device, session, place):
    await stack.enter_async_context(program(place))
    far = await stack.enter_async_context(Node(node_settings()))
    await bridged(stack, session, device, network="east")
    await bridged(stack, session, far, network="west")
    received = await listened(far, "/east/*")
    await matched(device, "/east/lamp")
    publisher = device.publisher("/east/lamp")
    async with asyncio.timeout(WITHIN):
        while received.empty():
            await publisher.write([b"on"])
            await asyncio.sleep(0.05)
    assert await take(received) == ("/east/lamp", b"on")


async def test_only_what_is_chosen_goes_over_under_the_prefix(stack, device, session, place):
    other = await stack.enter_async_context(program(place))
    bridge = await bridged(stack, session, device, outward=("/open/*",), inward=("/b?",), prefix="site/one")
    received = await listened(device)
    await matched(device, "/open/x")
    await device.publisher("/shut/x").write([b"no"])
    await device.publisher("/open/x").write([b"yes"])
    assert await take(other.received) == ("site/one/open/x", b"yes")
    await take(received), await take(received)
    await heard(other, bridge, "site/one/b1")
    for key in ("b1", "site/one/c1", "site/one/b", "site/one/b12", "site/one/b1"):
        other.session.put(key, key.encode())
    assert await take(received) == ("/b1", b"site/one/b1")
    assert received.empty()
    assert bridge.tally.unnamed == 0


async def test_what_has_no_counterpart_is_left_out_and_counted(stack, device, session, place):
    other = await stack.enter_async_context(program(place))
    bridge = await bridged(stack, session, device)
    received = await listened(device)
    await heard(other, bridge, "a/b")
    other.session.put("a/b.c", b"no such URI")
    other.session.delete("a/b")
    other.session.put("a/b", bytes(20 << 20), congestion_control=zenoh.CongestionControl.BLOCK)
    other.session.put("a/b", b"taken")
    assert await take(received) == ("/a/b", b"taken")
    assert (bridge.tally.unnamed, bridge.tally.deleted, bridge.tally.refused, bridge.tally.inward) == (1, 1, 1, 1)


async def test_while_zenoh_is_away_conduit_goes_on(stack, device, session, place):
    bridge = Bridge(BridgeSettings(), node_settings(place_of(device)), session)
    await stack.enter_async_context(running(bridge))
    await matched(device, "/plant/oven")
    publisher = device.publisher("/plant/oven")
    for _ in range(50):
        await publisher.write([b"lost"] * 200)
    await device.drained()
    await eventually(lambda: bridge.tally.away == 10_000)
    other = await stack.enter_async_context(program(place))
    await eventually(lambda: bridge.zenoh.is_open)
    await publisher.write([b"heard"])
    assert await take(other.received) == ("plant/oven", b"heard")


async def test_it_is_there_again_after_zenoh_was_away(stack, device, session, place):
    received = await listened(device)
    async with program(place) as first:
        bridge = await bridged(stack, session, device)
        await heard(first, bridge, "a/b")
        first.session.put("a/b", b"before")
        assert await take(received) == ("/a/b", b"before")
    async with program(place) as second:
        await heard(second, bridge, "a/b")
        second.session.put("a/b", b"after")
        assert await take(received) == ("/a/b", b"after")
        await device.publisher("/back").write([b"out"])
        assert await take(second.received) == ("back", b"out")


async def test_a_node_that_restarts_is_met_again(stack, session, place):
    other = await stack.enter_async_context(program(place))
    device = Node(node_settings())
    async with device:
        port = device.address[1]
        bridge = await bridged(stack, session, device)
    async with Node(ConduitNodeSettings(f"udp/127.0.0.1:{port}")) as again:
        await eventually(lambda: bridge.node.peer_id in again.peers)
        await matched(again, "/again")
        await again.publisher("/again").write([b"here"])
        assert await take(other.received) == ("again", b"here")


async def test_zenoh_waits_while_a_node_is_slow(stack, session, place):
    """Nothing is lost on the way to a subscriber that takes its time, and little waits in the bridge."""
    other = await stack.enter_async_context(program(place))
    device = await stack.enter_async_context(Node(node_settings(queue_samples=16)))
    bridge = await bridged(stack, session, device, waiting_samples=64)
    received = await listened(device)
    await heard(other, bridge, "a/b")
    count = 2000
    put = asyncio.create_task(
        asyncio.to_thread(
            lambda: [
                other.session.put("a/b", b"%d" % each, congestion_control=zenoh.CongestionControl.BLOCK)
                for each in range(count)
            ]
        )
    )
    assert [await take(received) for _ in range(count)] == [("/a/b", b"%d" % each) for each in range(count)]
    await put
    assert bridge.tally.inward == count
