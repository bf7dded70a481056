"""Nodes on real sockets of loopback."""

import asyncio
import threading
from contextlib import AsyncExitStack

import pytest

from forebay.client.conduit import (
    ConduitNodeSettings,
    Congestion,
    ExpiredError,
    Node,
    NodeClosedError,
    SpillFullError,
)
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.errors import WindowFullError
from forebay.conduit.core.session.events import PeerChange
from lossyproxy import LossyProxy
from ports import free_port

URI = "/field/pump"


def settings(*peers, **options):
    return ConduitNodeSettings(**{"listen": "udp/127.0.0.1:0", "peers": peers, "scout_interval": 0.1, **options})


def place(node):
    return "udp/{}:{}".format(*node.address)


def numbered(count):
    return [index.to_bytes(4, "big") for index in range(count)]


async def collect(subscription, count):
    found = []
    async for delivery in subscription:
        found += delivery.payloads
        if len(found) >= count:
            return found
    return found


async def matched(publisher_node, count=1):
    """Wait until so many peers have declared a subscriber."""
    register = publisher_node.participant.node.declarations
    await publisher_node.until(lambda: len(register.directory.reach_uri(URI).peers) >= count)


@pytest.fixture
async def stack():
    async with AsyncExitStack() as exits:
        yield exits


async def test_samples_arrive_once_and_in_order(stack):
    reader = await stack.enter_async_context(Node(settings()))
    writer = await stack.enter_async_context(Node(settings(place(reader))))
    subscription = reader.subscribe(URI)
    await matched(writer)
    samples = numbered(20_000)
    publisher = writer.publisher(URI)
    received = asyncio.ensure_future(collect(subscription, len(samples)))
    for start in range(0, len(samples), 100):
        await publisher.write(samples[start : start + 100])
    await writer.drained()
    assert await received == samples


async def test_lossy_network_loses_no_reliable_sample(stack):
    reader = await stack.enter_async_context(Node(settings()))
    proxy = await stack.enter_async_context(LossyProxy(reader.address, 0.1, seed=7))
    writer = await stack.enter_async_context(Node(settings(proxy.place)))
    subscription = reader.subscribe(URI)
    await matched(writer)
    samples = numbered(5_000)
    received = asyncio.ensure_future(collect(subscription, len(samples)))
    publisher = writer.publisher(URI)
    for start in range(0, len(samples), 50):
        await publisher.write(samples[start : start + 50])
    await writer.drained()
    assert await received == samples
    assert proxy.lost > 0


async def test_group_of_multicast_finds_and_serves_all(stack):
    group = f"udp/239.255.71.13:{free_port()}"
    nodes = [await stack.enter_async_context(Node(settings(group=group, interface="127.0.0.1"))) for _ in range(3)]
    writer, *readers = nodes
    subscriptions = [reader.subscribe(URI) for reader in readers]
    await matched(writer, 2)
    assert len(writer.peers) == 2
    samples = numbered(3_000)
    received = asyncio.gather(*(collect(each, len(samples)) for each in subscriptions))
    publisher = writer.publisher(URI)
    for start in range(0, len(samples), 100):
        await publisher.write(samples[start : start + 100])
    await writer.drained()
    assert await received == [samples, samples]


async def test_stream_carries_samples(stack):
    reader = await stack.enter_async_context(Node(settings(streams="tcp/127.0.0.1:0")))
    writer = await stack.enter_async_context(Node(settings("tcp/{}:{}".format(*reader.stream_address))))
    subscription = reader.subscribe(URI)
    await matched(writer)
    samples = numbered(2_000)
    received = asyncio.ensure_future(collect(subscription, len(samples)))
    await writer.publisher(URI).write(samples)
    await writer.drained()
    assert await received == samples


async def test_short_input_of_a_stream_ends_that_session_only(stack):
    events = []
    reader = await stack.enter_async_context(Node(settings(streams="tcp/127.0.0.1:0"), on_peer=events.append))
    writer = await stack.enter_async_context(Node(settings("tcp/{}:{}".format(*reader.stream_address))))
    other = await stack.enter_async_context(Node(settings(place(reader))))
    await reader.until(lambda: len(reader.peers) == 2)
    address = reader.peers[writer.peer_id]
    (stream,) = writer._station.engine._streams._open.values()
    stream.write(b"\x10abc")
    stream.close()
    await reader.until(lambda: writer.peer_id not in reader.peers)
    ended = [event for event in events if event.change is PeerChange.DISCONNECTED]
    assert [event.address for event in ended] == [address]
    assert "stream ends after 4 octets" in ended[0].reason
    assert other.peer_id in reader.peers


async def test_names_of_peers_are_looked_up(stack):
    reader = await stack.enter_async_context(Node(settings()))
    writer = await stack.enter_async_context(Node(settings(f"udp/localhost:{reader.address[1]}")))
    await writer.until(lambda: reader.peer_id in writer.peers)


async def test_peers_are_told_of(stack):
    events = []
    reader = await stack.enter_async_context(Node(settings(), on_peer=events.append))
    async with Node(settings(place(reader))) as writer:
        await reader.until(lambda: bool(reader.peers))
    await reader.until(lambda: not reader.peers)
    assert [(event.change, event.peer_id) for event in events] == [
        (PeerChange.CONNECTED, writer.peer_id),
        (PeerChange.DISCONNECTED, writer.peer_id),
    ]


async def test_peer_that_restarts_at_its_address_reconnects(stack):
    events = []
    reader = await stack.enter_async_context(Node(settings(), on_peer=events.append))
    port = free_port()
    first = Node(settings(place(reader), listen=f"udp/127.0.0.1:{port}"))
    await first.__aenter__()
    await reader.until(lambda: bool(reader.peers))
    # It dies without a word.
    await first._station.engine._close()
    second = Node(settings(place(reader), listen=f"udp/127.0.0.1:{port}"))
    await stack.enter_async_context(second)
    await reader.until(lambda: second.peer_id in reader.peers)
    assert [event.change for event in events] == [PeerChange.CONNECTED, PeerChange.RECONNECTED]
    assert events[1].previous == first.peer_id


class Stalled:
    """A writer whose reader takes nothing, so that its window fills up."""

    def __init__(self, reader, writer, subscription):
        self.reader = reader
        self.writer = writer
        self.subscription = subscription


@pytest.fixture
async def stalled(stack):
    conduits = (ConduitSettings(window_samples=8),)
    reader = await stack.enter_async_context(Node(settings(queue_samples=4, conduits=conduits)))
    writer = await stack.enter_async_context(Node(settings(place(reader), conduits=conduits, spill_octets=40)))
    subscription = reader.subscribe(URI)
    await matched(writer)
    return Stalled(reader, writer, subscription)


async def test_writer_waits_for_room_and_goes_on(stalled):
    samples = numbered(100)
    writing = asyncio.ensure_future(stalled.writer.publisher(URI).write(samples))
    assert await collect(stalled.subscription, 100) == samples
    assert await writing == 100


async def test_writer_gives_up_at_its_deadline(stalled):
    publisher = stalled.writer.publisher(URI, deadline=1.0)
    with pytest.raises(ExpiredError) as raised:
        await publisher.write(numbered(100))
    assert 0 < raised.value.written < 100
    assert raised.value.written + raised.value.expired == 100


async def test_writer_drops_what_has_no_room(stalled):
    publisher = stalled.writer.publisher(URI, congestion=Congestion.DROP)
    taken = await publisher.write(numbered(100))
    assert 0 < taken < 100
    assert publisher.dropped == 100 - taken


async def test_writer_is_told_of_the_error(stalled):
    publisher = stalled.writer.publisher(URI, congestion=Congestion.ERROR)
    with pytest.raises(WindowFullError):
        await publisher.write(numbered(100))


async def test_writer_lays_aside_in_order_and_within_its_limit(stalled):
    samples = numbered(60)
    publisher = stalled.writer.publisher(URI, congestion=Congestion.SPILL)
    assert await publisher.write(samples) == 60
    assert publisher.aside > 0
    with pytest.raises(SpillFullError, match="spill_octets is 40"):
        await publisher.write(numbered(1))
    assert await collect(stalled.subscription, 60) == samples
    assert publisher.aside == 0


async def test_blocked_writer_does_not_keep_the_node_from_receiving(stalled):
    blocked = asyncio.ensure_future(stalled.writer.publisher(URI).write(numbered(100)))
    back = stalled.writer.subscribe("/field/answers")
    register = stalled.reader.participant.node.declarations
    await stalled.reader.until(lambda: bool(register.directory.reach_uri("/field/answers").peers))
    await stalled.reader.publisher("/field/answers").write([b"still here"])
    assert await collect(back, 1) == [b"still here"]
    assert not blocked.done()
    blocked.cancel()


async def test_slow_callback_does_not_keep_the_node_from_receiving(stack):
    release, began = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(_):
        loop.call_soon_threadsafe(began.set)
        release.wait(30)

    reader = await stack.enter_async_context(Node(settings()))
    writer = await stack.enter_async_context(Node(settings(place(reader))))
    reader.subscribe(URI, slow)
    quick = reader.subscribe("/field/valve")
    await matched(writer)
    await writer.publisher(URI).write([b"1"])
    await began.wait()
    await writer.publisher("/field/valve").write([b"2"])
    await writer.drained()
    assert await collect(quick, 1) == [b"2"]
    release.set()


async def test_callbacks_get_deliveries_and_their_errors_end_nothing(stack):
    reader = await stack.enter_async_context(Node(settings()))
    writer = await stack.enter_async_context(Node(settings(place(reader))))
    got = asyncio.Queue()

    async def callback(delivery):
        for payload in delivery.payloads:
            got.put_nowait(payload)
        raise ValueError("of the program")

    reader.subscribe(URI, callback)
    await matched(writer)
    publisher = writer.publisher(URI)
    for sample in (b"1", b"2"):
        await publisher.write([sample])
        assert await got.get() == sample


async def test_closed_node_refuses_and_ends_iterators(stack):
    async with Node(settings()) as node:
        subscription = node.subscribe(URI)
        publisher = node.publisher(URI)
    assert await collect(subscription, 1) == []
    with pytest.raises(NodeClosedError):
        await publisher.write([b""])
    with pytest.raises(NodeClosedError):
        node.subscribe(URI)


async def test_writer_that_waits_when_its_node_ends_is_told(stack):
    conduits = (ConduitSettings(window_samples=8),)
    reader = await stack.enter_async_context(Node(settings(queue_samples=4)))
    async with Node(settings(place(reader), conduits=conduits)) as writer:
        reader.subscribe(URI)
        await matched(writer)
        writing = asyncio.ensure_future(writer.publisher(URI).write(numbered(100)))
        await asyncio.sleep(0)
    with pytest.raises(NodeClosedError):
        await writing
