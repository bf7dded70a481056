"""What was confirmed is there when another pod goes on; what was settled does not come back."""

import asyncio

import pytest
from grpc.aio import AioRpcError, insecure_channel

from eventually import eventually
from forebay.client.store import make_message
from forebay.pb.store.v1 import store_pb2 as pb
from storecalls import numbered, publish, take
from storepods import StorePods


async def bodies(server, queue="orders", count=1000):
    """Take so many messages, once the server is open."""
    async with insecure_channel(server.address) as channel:
        return await take(channel, queue, count)


async def test_what_was_confirmed_is_there_after_the_primary_is_killed(pods):
    first = pods.holder
    async with insecure_channel(pods.primary.address) as channel:
        assert await publish(channel, "orders", numbered(300)) == [pb.OUTCOME_CONFIRMED] * 300
        assert await take(channel, "orders", 100) == numbered(100)
        big = [bytes([number]) * 10_000 for number in range(5)]
        assert await publish(channel, "orders", big) == [pb.OUTCOME_CONFIRMED] * 5
        assert await publish(channel, "ranked", [b"low"], priority=0) == [pb.OUTCOME_CONFIRMED]
        assert await publish(channel, "ranked", [b"high"], priority=3) == [pb.OUTCOME_CONFIRMED]
    await pods.primary.kill()
    server = await pods.led_by_another(first)
    assert await bodies(server) == [*numbered(200, 100), *big]
    assert await bodies(server, "ranked") == [b"high", b"low"]


async def test_a_primary_that_ends_in_order_lets_another_lead_at_once(pods):
    first = pods.holder
    async with insecure_channel(pods.primary.address) as channel:
        assert await publish(channel, "orders", numbered(50)) == [pb.OUTCOME_CONFIRMED] * 50
    assert await pods.primary.stop() == 0
    assert await bodies(await pods.led_by_another(first)) == numbered(50)


async def test_a_killed_pod_comes_back_as_a_mirror_and_may_lead_again(pods):
    first = pods.holder
    old = pods.primary
    async with insecure_channel(old.address) as channel:
        await publish(channel, "orders", numbered(50))
    await old.kill()
    server = await pods.led_by_another(first)
    async with insecure_channel(server.address) as channel:
        await publish(channel, "orders", numbered(50, 50))
    await old.start()
    await pods.whole()
    second = pods.holder
    assert first != second
    others = [name for name in pods.names if name not in (first, second)]
    for name in (second, *others):
        await pods.pods[name].kill()
    assert await bodies(await pods.led_by_another(second)) == numbered(100)


async def test_a_pod_that_only_keeps_a_copy_names_the_primary(pods):
    other = next(server for name, server in pods.pods.items() if name != pods.holder)
    async with insecure_channel(other.address) as channel:
        with pytest.raises(AioRpcError, match=f"ask {pods.holder}"):
            await take(channel, "orders")


async def test_without_mirrors_the_primary_goes_on_alone(pods):
    for name, server in pods.pods.items():
        if name != pods.holder:
            await server.kill()
    async with insecure_channel(pods.primary.address) as channel:
        assert await publish(channel, "orders", numbered(10)) == [pb.OUTCOME_CONFIRMED] * 10
    assert pods.members == [pods.holder]


async def test_a_pod_outside_the_set_is_never_primary(pods):
    """Both mirrors are gone when something is confirmed: they come back, and wait for who has it."""
    first = pods.holder
    others = [name for name in pods.names if name != first]
    for name in others:
        await pods.pods[name].kill()
    async with insecure_channel(pods.primary.address) as channel:
        await publish(channel, "orders", numbered(10))
    await pods.primary.kill()
    for name in others:
        await pods.pods[name].start()
    await asyncio.sleep(5)  # longer than the lease lasts: nobody may take it
    assert pods.holder == first
    await pods.pods[first].start()
    await eventually(lambda: pods.holder == first and "primary now" in pods.pods[first].log_text(), within=30)
    await pods.whole()
    assert await bodies(pods.primary) == numbered(10)


async def test_a_primary_without_mirrors_that_was_stalled_for_too_long_goes_on_once_it_is_started_again(pods):
    """None but itself may be primary."""
    for name, server in pods.pods.items():
        if name != pods.holder:
            await server.kill()
    async with insecure_channel(pods.primary.address) as channel:
        await publish(channel, "orders", numbered(10))
    epoch = pods.lease["spec"]["leaseTransitions"]
    pods.primary.freeze()
    await asyncio.sleep(3)  # as long as its lease lasts
    pods.primary.thaw()
    await eventually(lambda: pods.lease["spec"]["leaseTransitions"] > epoch)
    await pods.opened()
    assert await bodies(pods.primary) == numbered(10)


async def test_clients_find_the_primary_and_follow_it(pods):
    """A client that knows only a pod which keeps a copy publishes and consumes over a change of the primary."""
    door = next(name for name in pods.names if name != pods.holder)
    async with pods.pods[door].client() as client, client.publisher() as publisher, client.consume("orders") as orders:
        await publisher.publish(make_message("orders", b"before"))
        delivery = await anext(aiter(orders))
        delivery.ack()
        assert await orders.flush()
        name = pods.holder
        await pods.primary.kill()
        outcomes = asyncio.ensure_future(publisher.publish(make_message("orders", b"after")))
        await pods.led_by_another(name)
        assert await outcomes == pb.OUTCOME_CONFIRMED
        assert (await anext(aiter(orders))).message.body == b"after"
        assert [queue.name for queue in await client.queues()] == ["orders", "ranked"]


async def test_mirrors_come_and_go_while_the_primary_goes_on(pods):
    away = pods.names[2]
    epoch = pods.lease["spec"]["leaseTransitions"]
    for mirrors in (1, 2):
        for server in pods.pods.values():
            server.spec["mirrors"] = mirrors
            await server.apply()
        await (pods.left_out(away) if mirrors == 1 else pods.whole())
        assert set(pods.members) == set(pods.names[: mirrors + 1])
        async with insecure_channel(pods.primary.address) as channel:
            assert await publish(channel, "orders", numbered(10)) == [pb.OUTCOME_CONFIRMED] * 10
    assert (pods.holder, pods.lease["spec"]["leaseTransitions"]) == (pods.names[0], epoch)


async def test_without_a_lease_none_begins_but_the_first_pod(tmp_path):
    """It has what there was before there were mirrors."""
    alone = StorePods(tmp_path, mirrors=1)
    alone.queue("orders")
    server = alone.pods["main-0"]
    server.spec["mirrors"] = 0
    await server.start()
    async with insecure_channel(server.address) as channel:
        assert await publish(channel, "orders", numbered(10)) == [pb.OUTCOME_CONFIRMED] * 10
    assert await server.stop() == 0
    server.spec["mirrors"] = 1
    await alone.start("main-1", "main-0")
    await alone.whole()
    assert alone.holder == "main-0"
    assert await bodies(alone.primary) == numbered(10)
    await alone.close()


async def test_pods_tell_what_they_are(pods):
    values = {name: await server.metrics() for name, server in pods.pods.items()}
    assert {name for name, value in values.items() if value[("forebay_store_primary",)]} == {pods.holder}
    assert values[pods.holder][("forebay_store_members",)] == 3
    async with pods.primary.client() as client:
        first, *others = (await client.status()).members
    assert first == pods.holder
    assert {first, *others} == set(pods.names)
    away = next(name for name in pods.names if name != pods.holder)
    await pods.pods[away].kill()

    async def told():
        _, page = await pods.primary.page("readyz")
        return away in page and "MirrorsMissing" in page

    await pods.left_out(away)
    await eventually(told, within=20)
