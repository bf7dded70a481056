"""Consuming over real connections, and over lost ones."""

import asyncio

import pytest

from eventually import eventually
from forebay.client import ConsumeSettings, ProtocolError, SettledError, Store
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import BackoffSettings, NotFoundError, UnavailableError
from ports import free_port

from .scriptedstore import ScriptedStore, serving

QUICK = ConsumeSettings(backoff=BackoffSettings(0.01, 0.05), patience=20)


def bodies(count):
    return [b"%d" % number for number in range(count)]


@pytest.fixture
def scripted():
    return ScriptedStore()


@pytest.fixture
async def store(scripted):
    async with serving(scripted) as port, Store.connect(f"127.0.0.1:{port}") as store:
        yield store


async def take(consumption, count):
    """So many deliveries."""
    found = []
    async for delivery in consumption:
        found.append(delivery)
        if len(found) == count:
            return found
    raise AssertionError(f"it ended after {len(found)}")


async def test_messages_come_in_order_and_are_acknowledged(store, scripted):
    scripted.queue.extend(bodies(100))
    async with store.consume("orders", prefetch=10, settings=QUICK) as orders:
        got = []
        async for delivery in orders:
            got.append(delivery.body)
            delivery.ack()
            if len(got) == 100:
                break
        assert await orders.flush()
    assert got == bodies(100)
    assert scripted.settled == [("ACK", body) for body in bodies(100)]


async def test_leaving_sends_what_is_settled_and_gives_back_the_rest(store, scripted):
    scripted.queue.extend(bodies(5))
    async with store.consume("orders", prefetch=5, settings=QUICK) as orders:
        found = await take(orders, 5)
        found[1].ack()
        found[3].reject()
    assert sorted(scripted.settled) == [("ACK", b"1"), ("REJECT", b"3")]
    assert list(scripted.queue) == [b"0", b"2", b"4"]
    assert scripted.ended_well == 1


async def test_it_needs_no_context(store, scripted):
    scripted.queue.extend(bodies(3))
    count = 0
    async for delivery in store.consume("orders", settings=QUICK):
        delivery.ack()
        count += 1
        if count == 3:
            break
    await eventually(lambda: len(scripted.settled) == 3)


async def test_no_more_come_than_may_be_unsettled(store, scripted):
    scripted.queue.extend(bodies(10))
    async with store.consume("orders", prefetch=4, settings=QUICK) as orders:
        found = await take(orders, 4)
        assert len(scripted.queue) == 6
        found[0].ack()
        (fifth,) = await take(orders, 1)
        assert fifth.body == b"4"


async def test_the_start_tells_how_to_consume(store, scripted):
    async with store.consume("orders", prefetch=7, consumer="me", exclusive=True, priority=-2, settings=QUICK) as some:
        await eventually(lambda: some.active)
    (start,) = scripted.starts
    expected = pb.ConsumeStart(queue="orders", consumer="me", prefetch=7, exclusive=True, priority=-2, credit=14)
    assert start == expected


async def test_deliveries_that_count_as_acknowledged_go_on_by_credit(store, scripted):
    scripted.queue.extend(bodies(100))
    async with store.consume("orders", prefetch=5, no_ack=True, settings=QUICK) as orders:
        found = await take(orders, 100)
        assert [delivery.body for delivery in found] == bodies(100)
        with pytest.raises(SettledError):
            found[0].ack()
    assert scripted.settled == []


async def test_a_delivery_is_settled_once(store, scripted):
    scripted.queue.extend(bodies(1))
    async with store.consume("orders", settings=QUICK) as orders:
        (delivery,) = await take(orders, 1)
        delivery.ack()
        with pytest.raises(SettledError, match="settle each once"):
            delivery.reject()


async def test_a_requeued_message_comes_again(store, scripted):
    scripted.queue.extend(bodies(1))
    async with store.consume("orders", settings=QUICK) as orders:
        (delivery,) = await take(orders, 1)
        delivery.requeue()
        (again,) = await take(orders, 1)
        assert again.body == b"0"


async def test_flush_waits_until_settlements_are_durable(store, scripted):
    scripted.queue.extend(bodies(1))
    scripted.durable.clear()
    async with store.consume("orders", settings=QUICK) as orders:
        (delivery,) = await take(orders, 1)
        delivery.ack()
        flushing = asyncio.ensure_future(orders.flush())
        await eventually(lambda: scripted.settled)
        assert not flushing.done()
        scripted.durable.set()
        assert await flushing


async def test_after_a_lost_connection_what_was_not_settled_comes_again(store, scripted):
    scripted.queue.extend(bodies(3))
    async with store.consume("orders", settings=QUICK) as orders:
        found = await take(orders, 3)
        found[0].ack()
        await orders.flush()
        scripted.error = UnavailableError("crashed", reason="QUEUE_CRASHED", retry_after=0.01)
        scripted.cut.set()
        again = await take(orders, 2)
        assert [delivery.body for delivery in again] == [b"1", b"2"]
        # What is said over the lost connection is said to nobody, and the next flush tells so.
        found[1].reject()
        again[0].ack()
        assert not await orders.flush()
        again[1].ack()
        assert await orders.flush()
    assert scripted.settled == [("ACK", b"0"), ("ACK", b"1"), ("ACK", b"2")]


async def test_flush_tells_of_a_connection_that_was_lost_before_it(store, scripted):
    scripted.queue.extend(bodies(1))
    scripted.durable.clear()
    async with store.consume("orders", settings=QUICK) as orders:
        (delivery,) = await take(orders, 1)
        delivery.ack()
        await eventually(lambda: scripted.settled)
        scripted.error = UnavailableError("crashed", reason="QUEUE_CRASHED", retry_after=0.01)
        scripted.cut.set()
        scripted.durable.set()
        scripted.queue.extend(bodies(1))
        (again,) = await take(orders, 1)
        again.ack()
        assert not await orders.flush()


async def test_flush_tells_that_the_connection_was_lost(store, scripted):
    scripted.queue.extend(bodies(1))
    scripted.durable.clear()
    async with store.consume("orders", settings=QUICK) as orders:
        (delivery,) = await take(orders, 1)
        delivery.ack()
        flushing = asyncio.ensure_future(orders.flush())
        await eventually(lambda: scripted.settled)
        scripted.error = UnavailableError("gone")
        scripted.cut.set()
        assert not await flushing
        scripted.durable.set()


async def test_an_unknown_queue_is_an_error(store):
    async with store.consume("gone", settings=QUICK) as gone:
        with pytest.raises(NotFoundError) as caught:
            await take(gone, 1)
    assert caught.value.resource == ("StoreQueue", "gone")


async def test_a_store_that_comes_later_is_found(scripted):
    port = free_port()
    scripted.queue.extend(bodies(1))
    async with Store.connect(f"127.0.0.1:{port}") as store, store.consume("orders", settings=QUICK) as orders:
        waiting = asyncio.ensure_future(take(orders, 1))
        await eventually(lambda: orders._retrying.failures > 1)
        async with serving(scripted, f"127.0.0.1:{port}"):
            await waiting


async def test_patience_ends():
    settings = ConsumeSettings(backoff=BackoffSettings(0.01, 0.05), patience=0)
    async with Store.connect(f"127.0.0.1:{free_port()}") as store, store.consume("x", settings=settings) as orders:
        with pytest.raises(UnavailableError):
            await take(orders, 1)


async def test_a_stream_that_ends_without_a_reason_is_an_error(scripted):
    async def consume(requests, context):
        yield pb.ConsumeResponse(active=True)

    scripted.Consume = consume
    async with serving(scripted) as port, Store.connect(f"127.0.0.1:{port}") as store, store.consume("x") as orders:
        with pytest.raises(ProtocolError, match="does not say why"):
            await take(orders, 1)


async def test_closing_ends_the_loop(store, scripted):
    async with store.consume("orders", settings=QUICK) as orders:
        waiting = asyncio.ensure_future(take(orders, 1))
        await eventually(lambda: orders.active)
        await orders.close()
        with pytest.raises(AssertionError, match="it ended after 0"):
            await waiting
