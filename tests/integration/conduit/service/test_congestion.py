"""What becomes of samples that there is no room for, and of subscribers that are read too slowly."""

import asyncio

import pytest

from eventually import eventually
from forebay.client.conduitservice import Published
from forebay.conduit.clients.attachments import Quota
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime import ResourceExhaustedError
from integration.conduit.service.following import collect, declared, numbered, subscribed

URI = "/plant/press/force"
SMALL = [{"window": {"samples": 8}}]


class Stalled:
    """A service whose window fills up, since a node outside takes only so many samples until it is read."""

    def __init__(self, press, attached, edge, subscription):
        self.press = press
        self.attached = attached
        self.edge = edge
        self.subscription = subscription


@pytest.fixture
async def stalled(make_node, outside, attach):
    press = make_node(conduits=SMALL)
    await press.start()
    edge = await outside(press.place, queue_samples=4, conduits=(ConduitSettings(window_samples=8),))
    subscription = edge.subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    return Stalled(press, await attach(press), edge, subscription)


async def test_a_publisher_that_blocks_waits_and_loses_nothing(stalled):
    publisher = await stalled.attached.publisher(URI)
    publishing = asyncio.ensure_future(publisher.publish(numbered(100)))
    assert await collect(stalled.subscription, 100) == numbered(100)
    assert await publishing == Published(100)


async def test_one_that_waits_does_not_hold_up_what_comes_in(stalled, attach):
    publisher = await stalled.attached.publisher(URI)
    publishing = asyncio.ensure_future(publisher.publish(numbered(100)))
    coming = await stalled.attached.subscribe("/plant/edge")
    await stalled.edge.until(lambda: subscribed(stalled.edge))
    await stalled.edge.publisher("/plant/edge").write(numbered(1000))
    assert await collect(coming, 1000) == numbered(1000)
    assert not publishing.done()
    assert await collect(stalled.subscription, 100) == numbered(100)
    await publishing


async def test_a_batch_expires_at_its_deadline(stalled):
    publisher = await stalled.attached.publisher(URI, deadline=1.0)
    outcome = await publisher.publish(numbered(100))
    assert 0 < outcome.accepted < 100
    assert outcome.accepted + outcome.expired == 100
    assert await collect(stalled.subscription, outcome.accepted) == numbered(outcome.accepted)
    async with stalled.press.client() as client:
        assert (await client.node()).undelivered == outcome.expired


async def test_the_node_says_what_holds_for_those_that_do_not(stalled):
    stalled.press.spec["congestion"] = {"policy": "drop"}
    await stalled.press.applied()
    publisher = await stalled.attached.publisher(URI)
    outcome = await settled(publisher)
    assert outcome.dropped == 100 - outcome.accepted
    metrics = await stalled.press.metrics()
    assert metrics["forebay_conduit_published_total", "dropped"] == outcome.dropped
    assert metrics["forebay_conduit_published_total", "accepted"] == outcome.accepted


async def test_a_publisher_with_error_is_told_why(stalled):
    publisher = await stalled.attached.publisher(URI, congestion=pb.CONGESTION_ERROR)
    outcome = await settled(publisher)
    assert outcome.refused == 100 - outcome.accepted
    assert outcome.reason == "WINDOW_FULL"
    assert "the window of conduit 0 is full" in outcome.problem


async def settled(publisher):
    outcome = await publisher.publish(numbered(100))
    assert 0 < outcome.accepted < 100
    return outcome


async def test_batches_that_were_accepted_are_told_as_one(make_node, attach):
    press = make_node()
    await press.start()
    publisher = await (await attach(press)).publisher(URI)
    settlements = [await publisher.send(numbered(3)) for _ in range(50)]
    assert await asyncio.gather(*settlements) == [Published(3)] * 50


@pytest.fixture
async def busy(make_node, outside, attach):
    """A service with two subscribers, of which the first is not read, and a node outside that publishes."""
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    attached = await attach(press)

    async def subscribe(slow):
        lazy = await attached.subscribe(URI, slow=slow, queued_samples=50)
        lazy._call.cancel()
        eager = await attached.subscribe(URI)
        await edge.until(lambda: subscribed(edge))
        [client] = press.service.node.attachments
        await eventually(lambda: not client.declared[lazy.number].read)
        return lazy, eager, edge.publisher(URI)

    subscribe.attached = attached
    subscribe.press = press
    return subscribe


def reopened(busy, subscription):
    request = pb.SubscribeRequest(client=subscription.client, subscriber=subscription.number)
    subscription._call = busy.attached._stub.Subscribe(request)
    return subscription


async def test_a_slow_subscriber_loses_the_oldest_and_others_nothing(busy):
    lazy, eager, publisher = await busy(pb.SLOW_DROP)
    await publisher.write(numbered(1000))
    assert await collect(eager, 1000) == numbered(1000)
    assert await collect(reopened(busy, lazy), 50) == numbered(50, 950)
    assert lazy.missed == 950
    assert (await busy.press.metrics())["forebay_conduit_missed_total",] == 950


async def test_a_slow_subscriber_is_ended_and_others_lose_nothing(busy):
    lazy, eager, publisher = await busy(pb.SLOW_END)
    await publisher.write(numbered(1000))
    assert await collect(eager, 1000) == numbered(1000)
    reopened(busy, lazy)
    found = []

    async def read():
        async for delivery in lazy:
            found.extend(delivery.samples)

    with pytest.raises(ResourceExhaustedError, match="read more slowly than samples come") as raised:
        await read()
    assert raised.value.reason == "TOO_SLOW"
    assert found == numbered(len(found))
    assert len(found) <= 50
    assert busy.press.service.node.attachments.counted(Quota.SUBSCRIBERS) == 1


async def test_a_slow_subscriber_that_holds_loses_nothing(busy):
    lazy, eager, publisher = await busy(pb.SLOW_HOLD)
    writing = asyncio.ensure_future(publisher.write(numbered(5000)))
    reopened(busy, lazy)
    both = await asyncio.gather(collect(eager, 5000), collect(lazy, 5000))
    assert both == [numbered(5000)] * 2
    await writing
