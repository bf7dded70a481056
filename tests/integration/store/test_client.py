"""The client against `forebay serve store`: back-pressure, acknowledgements, and a process that is killed."""

import asyncio

import pytest_asyncio

from eventually import eventually
from forebay.client import PublishSettings, Store, make_message
from forebay.runtime import BackoffSettings

COUNT = 20_000
WINDOW = 500
SETTINGS = PublishSettings(batch_messages=100, window_messages=WINDOW, backoff=BackoffSettings(0.05, 0.2))


@pytest_asyncio.fixture
async def client(command):
    async with Store.connect(command.address) as client:
        yield client
        await client.purge("orders")


def messages(first, count):
    return [make_message("orders.eu", b"%d" % number) for number in range(first, first + count)]


async def send_all(publisher, count, taken=lambda number: None):
    for first in range(0, count, 100):
        taken(await publisher.send(messages(first, 100)))


async def everything(client, count):
    """The bodies of that many messages of `orders`, each acknowledged."""
    found = []
    async with client.consume("orders", prefetch=1000) as orders:
        async for order in orders:
            found.append(int(order.body))
            order.ack()
            if len(found) == count:
                break
        assert await orders.flush()
    return found


async def ready(client):
    return (await client.queue("orders")).status.ready


async def test_publishing_waits_while_the_store_does_not_answer(command, client):
    async with client.publisher(settings=SETTINGS) as publisher:
        await publisher.publish(messages(0, 1)[0])
        taken = [1]
        command.running.freeze()
        try:
            sending = asyncio.ensure_future(send_all(publisher, COUNT, taken.append))
            await eventually(lambda: taken[-1] == 1 + WINDOW)
            # Nothing can come of the frozen store, however long one waits.
            await asyncio.wait([sending], timeout=0.3)
            assert taken[-1] == 1 + WINDOW
            assert publisher.tally.confirmed == 1
        finally:
            command.running.thaw()
        await sending
        await publisher.flush()
    assert await ready(client) == COUNT + 1


async def test_calls_that_go_on_at_once_are_each_confirmed(client):
    await asyncio.gather(*(client.publish("orders.us", b"%d" % number) for number in range(1000)))
    assert sorted(await everything(client, 1000)) == list(range(1000))
    assert await ready(client) == 0


async def test_no_confirm_is_lost_and_nothing_doubled_when_the_store_is_killed(command, client):
    async with client.publisher(settings=SETTINGS) as publisher:
        sending = asyncio.ensure_future(send_all(publisher, COUNT))
        for share in (4, 2):
            await eventually(lambda share=share: publisher.tally.confirmed >= COUNT // share)
            await command.kill()
            await command.start()
        await sending
        await publisher.flush()
        assert publisher.tally.confirmed + publisher.tally.duplicate == COUNT
    assert await everything(client, COUNT) == list(range(COUNT))


async def test_consuming_goes_on_and_what_was_durably_settled_does_not_come_again(command, client):
    async with client.publisher() as publisher:
        await send_all(publisher, 2000)
    seen = []
    async with client.consume("orders", prefetch=200) as orders:
        deliveries = aiter(orders)
        while len(seen) < 1000:
            order = await anext(deliveries)
            seen.append(int(order.body))
            order.ack()
        assert await orders.flush()
        settled = set(seen)
        await command.kill()
        await command.start()
        again = []
        while settled | set(again) != set(range(2000)):
            order = await anext(deliveries)
            again.append(int(order.body))
            order.ack()
        assert await orders.flush()
    assert not settled & set(again)
    assert again == list(range(1000, 2000))
    assert await ready(client) == 0
