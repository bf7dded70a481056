"""Messages through a real store and back, by the real client."""

import asyncio

import pytest

from eventually import eventually
from forebay.client import NotKeptError, make_message

COUNT = 5000


def bodies(count, first=0):
    return [b"%d" % number for number in range(first, first + count)]


def messages(count, address="orders.eu"):
    return [make_message(address, body) for body in bodies(count)]


async def take(consumption, count):
    found = []
    async for delivery in consumption:
        found.append(delivery)
        if len(found) == count:
            return found
    raise AssertionError(f"it ended after {len(found)}")


async def test_what_is_published_arrives_once_and_in_order(client):
    async with client.publisher() as publisher, client.consume("orders", prefetch=500) as orders:
        await publisher.send(messages(COUNT))
        got = []
        async for delivery in orders:
            got.append(delivery.body)
            delivery.ack()
            if len(got) == COUNT:
                break
        assert await orders.flush()
    assert got == bodies(COUNT)
    status = (await client.queue("orders")).status
    assert (status.ready, status.unacked, status.counters.acked) == (0, 0, COUNT)


async def test_all_of_a_message_arrives(client):
    await client.publish("orders.eu.new", b"\x00\xff", headers={"kind": "order", "": "x"}, ttl=60, priority=3)
    async with client.consume("orders") as orders:
        (delivery,) = await take(orders, 1)
    message = delivery.message
    assert (message.address, message.body, dict(message.headers)) == (
        "orders.eu.new",
        b"\x00\xff",
        {"kind": "order", "": "x"},
    )
    assert (message.ttl_ms, message.priority, delivery.deliveries) == (60_000, 3, 0)
    assert message.taken_ms > 1_700_000_000_000


async def test_an_address_that_no_queue_is_bound_to_is_told(client):
    with pytest.raises(NotKeptError, match="no queue is bound"):
        await client.publish("nowhere", b"x")


async def test_requeued_messages_keep_their_places(client):
    for body in bodies(6):
        await client.publish("orders.eu", body)
    async with client.consume("orders", prefetch=4) as orders:
        found = await take(orders, 4)
        found[2].requeue()
        await orders.flush()
        (again,) = await take(orders, 1)
        assert (again.body, again.deliveries) == (b"2", 1)
        found[0].requeue()
        found[1].ack()
        found[3].requeue()
        again.requeue()
        await orders.flush()
        following = await take(orders, 4)
        assert [delivery.body for delivery in following] == [b"0", b"2", b"3", b"4"]


async def test_what_a_consumer_held_goes_to_the_next(client):
    for body in bodies(3):
        await client.publish("orders.eu", body)
    async with client.consume("orders") as orders:
        await take(orders, 3)
    async with client.consume("orders") as orders:
        again = await take(orders, 3)
    assert [(delivery.body, delivery.deliveries) for delivery in again] == [(b"0", 1), (b"1", 1), (b"2", 1)]


async def test_rejected_messages_go_to_the_dead_letters_with_their_history(started):
    server = await started({"jobs": {"deadLetter": {"address": "rejects"}}, "rejects": {}})
    async with server.client() as client:
        await client.publish("jobs", b"bad", headers={"a": "b"})
        async with client.consume("jobs") as jobs:
            (delivery,) = await take(jobs, 1)
            delivery.reject()
            await jobs.flush()
        async with client.consume("rejects") as rejects:
            (dead,) = await take(rejects, 1)
        (death,) = dead.message.deaths
        assert (dead.body, death.queue, death.count, death.address) == (b"bad", "jobs", 1, "jobs")
        assert dict(dead.message.headers) == {"a": "b"}


async def test_get_browse_and_purge(client):
    async with client.publisher() as publisher:
        await publisher.send(messages(250))
    assert [delivery.message.body for delivery in await client.get("orders", 2)] == [b"0", b"1"]
    assert [delivery.message.body async for delivery in client.browse("orders")] == bodies(248, 2)
    assert [delivery.message.body async for delivery in client.browse("orders")] == bodies(248, 2)
    assert await client.purge("orders") == 248
    assert await client.get("orders") == []


async def test_every_bound_queue_gets_it_and_it_is_kept_once(started):
    server = await started({f"q{number}": {"bindings": ["all"]} for number in range(20)})
    async with server.client() as client:
        await client.publish("all", bytes(100_000))
        assert (await client.status()).messages == 1
        assert {queue.ready for queue in await client.queues()} == {1}
        for number in range(20):
            assert len((await client.get(f"q{number}"))[0].message.body) == 100_000
        await eventually(lambda: _no_messages(client))


async def _no_messages(client):
    return (await client.status()).messages == 0


async def test_five_megabytes_go_through(client):
    body = bytes(range(256)) * 20_480
    await client.publish("orders.eu", body)
    async with client.consume("orders") as orders:
        (delivery,) = await take(orders, 1)
        delivery.ack()
        assert delivery.body == body


async def test_consumers_share_a_queue(client):
    async with client.publisher() as publisher, client.consume("orders") as one, client.consume("orders") as other:

        async def work(consumption, got):
            async for delivery in consumption:
                got.append(delivery.body)
                delivery.ack()

        shares = [], []
        working = [asyncio.ensure_future(work(each, got)) for each, got in zip((one, other), shares, strict=True)]
        await publisher.send(messages(COUNT))
        await eventually(lambda: sum(map(len, shares)) == COUNT)
        for task in working:
            task.cancel()
    assert sorted(shares[0] + shares[1]) == sorted(bodies(COUNT))
    assert all(shares)


async def test_the_single_active_consumer_hands_over(started):
    server = await started({"jobs": {"singleActiveConsumer": True}})
    async with server.client() as client, client.consume("jobs") as other_in_waiting:
        await eventually(lambda: other_in_waiting.active)
        async with client.consume("jobs") as second:
            await eventually(lambda: second.active is False)
            await client.publish("jobs", b"1")
            await take(other_in_waiting, 1)
            await other_in_waiting.close()
            await eventually(lambda: second.active)
            (again,) = await take(second, 1)
            assert (again.body, again.deliveries) == (b"1", 1)


async def test_the_queue_shows_its_consumers_and_its_insides(client):
    await client.publish("orders.eu", b"x")
    async with client.consume("orders", consumer="me", prefetch=7) as orders:
        await take(orders, 1)
        shown = await client.queue("orders")
    (consumer,) = shown.consumers
    assert (consumer.name, consumer.prefetch, consumer.unacked, consumer.active) == ("me", 7, 1, True)
    assert consumer.peer
    assert (shown.status.name, shown.status.unacked, len(shown.insides)) == ("orders", 1, 1)
    assert shown.insides[0].next_seq >= 1


async def test_a_publisher_of_the_same_name_is_passed_over(client):
    for _ in range(2):
        async with client.publisher("loader", 1) as publisher:
            await publisher.send(messages(100))
    assert publisher.tally.duplicate == 100
    assert (await client.queue("orders")).status.ready == 100
