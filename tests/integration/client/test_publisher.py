"""Publishing over real connections, and over lost ones."""

import asyncio

import pytest

from eventually import eventually
from forebay.client import ClosedError, NotKeptError, ProtocolError, PublishSettings, PublishTally, Store, make_message
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import BackoffSettings, InvalidArgumentError, UnavailableError
from ports import free_port

from .scriptedstore import ScriptedStore, serving

QUICK = PublishSettings(batch_messages=10, window_messages=50, backoff=BackoffSettings(0.01, 0.05), patience=20)


def messages(count, address="a"):
    return [make_message(address, b"%d" % number) for number in range(count)]


def bodies(count):
    return [b"%d" % number for number in range(count)]


@pytest.fixture
def scripted():
    return ScriptedStore()


@pytest.fixture
async def store(scripted):
    async with serving(scripted) as port, Store.connect(f"127.0.0.1:{port}") as store:
        yield store


async def test_one_message_is_published_and_confirmed(store, scripted):
    await store.publish("orders.eu", b"a boat hook", headers={"by": "post"}, ttl=1.5, priority=3, transient=True)
    assert scripted.kept == [b"a boat hook"]


async def test_messages_that_are_published_at_once_share_requests(store, scripted):
    await asyncio.gather(*(store.publish("a", body) for body in bodies(100)))
    assert sorted(scripted.kept) == sorted(bodies(100))
    ((_, batches),) = scripted.streams
    assert len(batches) < 20


@pytest.mark.parametrize(
    ("address", "reason"), [("nowhere", "no queue is bound to its address"), ("full", "the queue full has 3 of 3")]
)
async def test_a_message_that_is_not_kept_is_an_error(store, address, reason):
    with pytest.raises(NotKeptError, match=reason):
        await store.publish(address, b"x")
    await store.publish("a", b"another")


async def test_many_messages_go_in_order_and_in_batches(store, scripted):
    async with store.publisher(settings=QUICK) as publisher:
        assert await publisher.send(messages(95)) == 95
        await publisher.flush()
        assert publisher.tally == PublishTally(confirmed=95)
    assert scripted.kept == bodies(95)
    ((name, batches),) = scripted.streams
    assert name == publisher.name
    assert [first for first, _ in batches] == list(range(1, 96, 10))


async def test_leaving_waits_for_all_outcomes(store, scripted):
    async with store.publisher(settings=QUICK) as publisher:
        await publisher.send(messages(30))
    assert publisher.tally == PublishTally(confirmed=30)


async def test_leaving_tells_what_was_not_kept(store):
    with pytest.raises(NotKeptError, match=r"message 1 was not kept \(and 2 more like it\)"):
        async with store.publisher(settings=QUICK) as publisher:
            await publisher.send(messages(3, "full"))


async def test_one_may_wait_for_a_part(store, scripted):
    async with store.publisher(settings=QUICK) as publisher:
        number = await publisher.send(messages(20))
        await publisher.settled(number)
        assert len(scripted.kept) == 20
        await publisher.settled(number)


async def test_nobody_publishes_faster_than_outcomes_come(store, scripted):
    scripted.open.clear()
    async with store.publisher(settings=QUICK) as publisher:
        sending = asyncio.ensure_future(publisher.send(messages(500)))
        await eventually(lambda: scripted.streams and scripted.streams[0][1])
        await asyncio.sleep(0.05)
        assert publisher._window.next <= 61
        scripted.open.set()
        assert await sending == 500
    assert scripted.kept == bodies(500)


async def test_what_had_no_outcome_is_sent_again_under_its_name_and_numbers(store, scripted):
    scripted.faults = [(2, False, UnavailableError("gone")), (3, True, UnavailableError("gone again"))]
    async with store.publisher(settings=QUICK) as publisher:
        await publisher.send(messages(100))
    assert scripted.kept == bodies(100)
    assert publisher.tally == PublishTally(confirmed=90, duplicate=10)
    assert {name for name, _ in scripted.streams} == {publisher.name}
    assert [batches[0][0] for _, batches in scripted.streams] == [1, 21, 51]


async def test_a_name_of_ones_own_passes_over_what_was_kept_before(store, scripted):
    for _ in range(2):
        async with store.publisher("loader", first=1, settings=QUICK) as publisher:
            await publisher.send(messages(25))
    assert publisher.tally == PublishTally(duplicate=25)
    assert len(scripted.kept) == 25


async def test_a_restarted_store_gets_the_rest(scripted):
    port, second = free_port(), ScriptedStore()
    scripted.open.clear()
    async with Store.connect(f"127.0.0.1:{port}") as store, store.publisher(settings=QUICK) as publisher:
        async with serving(scripted, f"127.0.0.1:{port}"):
            await publisher.send(messages(40))
            await eventually(lambda: scripted.streams and scripted.streams[0][1])
        async with serving(second, f"127.0.0.1:{port}"):
            await publisher.flush()
    assert second.kept == bodies(40)


async def test_what_the_store_will_never_take_ends_the_publisher(store, scripted):
    # Where the answer comes while a batch is being written, gRPC loses it, and the next stream gets it again.
    scripted.faults = [(0, False, InvalidArgumentError("message 1 has 17 MiB"))] * 20
    publisher = store.publisher(settings=QUICK)
    with pytest.raises(InvalidArgumentError, match="message 1 has"):
        async with publisher:
            await publisher.send(messages(500))
    assert len(scripted.streams) < 20
    with pytest.raises(InvalidArgumentError):
        await publisher.send(messages(1))


async def test_after_a_failure_publish_begins_anew(store, scripted):
    scripted.faults = [(0, False, InvalidArgumentError("too large"))]
    with pytest.raises(InvalidArgumentError):
        await store.publish("a", b"1")
    await store.publish("a", b"2")
    assert scripted.kept == [b"2"]


async def test_patience_ends():
    settings = PublishSettings(backoff=BackoffSettings(0.01, 0.05), patience=0)
    async with Store.connect(f"127.0.0.1:{free_port()}") as store:
        with pytest.raises(UnavailableError):
            async with store.publisher(settings=settings) as publisher:
                await publisher.send(messages(1))


async def test_one_who_waits_is_told_when_the_publisher_is_closed(store, scripted):
    scripted.open.clear()
    publisher = store.publisher(settings=QUICK)
    publisher.start()
    await publisher.send(messages(1))
    waiting = asyncio.ensure_future(publisher.settled(1))
    await eventually(lambda: scripted.streams and scripted.streams[0][1])
    await publisher.close()
    scripted.open.set()
    for ended in (waiting, publisher.flush(), publisher.send(messages(1))):
        with pytest.raises(ClosedError, match="has ended"):
            await ended


async def test_it_has_to_be_entered(store):
    with pytest.raises(ClosedError, match="async with"):
        await store.publisher().send(messages(1))


async def test_a_blocked_store_is_told(store, scripted):
    go_on = asyncio.Event()

    async def publish(requests, context):
        yield pb.PublishResponse(blocked="the disk is full: free space")
        await go_on.wait()
        yield pb.PublishResponse(blocked="")
        async for _ in requests:
            pass

    scripted.Publish = publish
    async with serving(scripted) as port, Store.connect(f"127.0.0.1:{port}") as other, other.publisher() as publisher:
        await eventually(lambda: publisher.blocked == "the disk is full: free space")
        go_on.set()
        await eventually(lambda: publisher.blocked == "")


async def test_a_stream_that_ends_too_early_is_an_error(scripted):
    async def publish(requests, context):
        yield pb.PublishResponse()

    scripted.Publish = publish
    async with serving(scripted) as port, Store.connect(f"127.0.0.1:{port}") as store:
        with pytest.raises(ProtocolError, match="without an outcome"):
            async with store.publisher() as publisher:
                await publisher.send(messages(1))
