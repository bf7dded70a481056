"""Samples that wait in the Spill: in order, none lost, none twice."""

import asyncio

import pytest

from eventually import eventually
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from integration.conduit.service.following import collect, declared, numbered

URI = "/plant/press/force"
SMALL = [{"window": {"samples": 8}}]
EDGE = {"queue_samples": 4, "conduits": (ConduitSettings(window_samples=8),)}


@pytest.fixture
async def spilling(make_node, outside, valkey):
    """A service that spills, and a node outside that takes little until it is read."""
    press = make_node(redis=valkey.url, conduits=SMALL)
    # With `everysec` a server that is killed may forget what it has just taken.
    press.durability = "always"
    await press.start()
    edge = await outside(press.place, **EDGE)
    subscription = edge.subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    return press, subscription


async def waiting(press):
    async with press.client() as client:
        return (await client.node()).spilled


async def test_samples_without_room_wait_in_the_spill_and_come_in_order(spilling, attach):
    press, subscription = spilling
    publisher = await (await attach(press)).publisher(URI, congestion=pb.CONGESTION_SPILL)
    outcomes = [await publisher.publish(numbered(100, first)) for first in range(0, 2000, 100)]
    assert sum(outcome.accepted for outcome in outcomes) == 2000
    assert sum(outcome.spilled for outcome in outcomes) > 1900
    assert await eventually(lambda: waiting(press))
    collecting = asyncio.ensure_future(collect(subscription, 3000))
    for first in range(2000, 3000, 100):
        assert (await publisher.publish(numbered(100, first))).accepted == 100
    assert await collecting == numbered(3000)
    await eventually(lambda: empty(press))


async def empty(press):
    return not await waiting(press)


async def test_what_is_spilled_outlives_its_publisher(spilling, attach):
    press, subscription = spilling
    attached = await attach(press)
    publisher = await attached.publisher(URI, congestion=pb.CONGESTION_SPILL)
    assert (await publisher.publish(numbered(500))).accepted == 500
    await publisher.close()
    assert await collect(subscription, 500) == numbered(500)
    reservoir = press.service.node.reservoir
    await eventually(lambda: not reservoir._reserves)
    assert await reservoir._spill.owners() == []


async def test_what_is_spilled_outlives_the_service(make_node, outside, attach, valkey):
    press = make_node(redis=valkey.url, conduits=SMALL)
    await press.start()
    edge = await outside(press.place, **EDGE)
    subscription = edge.subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    publisher = await (await attach(press)).publisher(URI, congestion=pb.CONGESTION_SPILL)
    assert (await publisher.publish(numbered(500))).accepted == 500
    await eventually(lambda: waiting(press))
    found, hurried = [], asyncio.Event()

    async def read_slowly():
        async for delivery in subscription:
            found.extend(delivery.payloads)
            if not hurried.is_set():
                await asyncio.sleep(0.02)

    reading = asyncio.ensure_future(read_slowly())
    await press.stop()
    assert len(found) < 500
    hurried.set()
    await press.start()
    await eventually(lambda: len(found) >= 500, within=90)
    assert found == numbered(500)
    reservoir = press.service.node.reservoir
    # The publisher itself is declared again by its client.
    await eventually(lambda: not any(reserve.retiring for _, reserve in reservoir._reserves.values()))
    reading.cancel()


async def test_publishers_wait_while_the_spill_is_away(spilling, attach, valkey):
    press, subscription = spilling
    publisher = await (await attach(press)).publisher(URI, congestion=pb.CONGESTION_SPILL)
    await publisher.publish(numbered(100))
    await valkey.kill()
    publishing = asyncio.ensure_future(publisher.publish(numbered(100, 100)))
    [degradation] = await eventually(press.degradations)
    assert (degradation.reason, degradation.kind, degradation.name) == ("SpillUnavailable", "Spill", "spill")
    assert "publishers that spill wait" in degradation.message
    assert not publishing.done()
    await valkey.start()
    assert (await publishing).accepted == 100
    found = await collect(subscription, 200)
    assert found[-100:] == numbered(100, 100)
    await eventually(lambda: sound(press))


async def sound(press):
    return not await press.degradations()


async def test_a_batch_expires_while_the_spill_is_away(spilling, attach, valkey):
    press, _ = spilling
    publisher = await (await attach(press)).publisher(URI, congestion=pb.CONGESTION_SPILL, deadline=0.5)
    await publisher.publish(numbered(100))
    await valkey.kill()
    waiting_batch = await publisher.send(numbered(100, 100))
    await eventually(press.degradations)
    assert not waiting_batch.done()
    await valkey.start()
    assert (await waiting_batch).accepted == 100


async def test_a_spill_is_added_to_a_running_service_and_another_needs_a_restart(make_node, attach, valkey):
    press = make_node()
    await press.start()
    press.redis, press.spec["spillRef"] = valkey.url, {"name": "spill"}
    await press.applied()
    await (await attach(press)).publisher(URI, congestion=pb.CONGESTION_SPILL)
    press.redis = "redis://127.0.0.1:1"
    results = await press.apply()
    [violation] = results["Spill/spill"].violations
    assert "the URL changed: restart the service" in violation.description
    assert results["ConduitNode/press"].applied
