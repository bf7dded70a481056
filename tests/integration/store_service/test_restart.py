"""The end of a store, graceful and not: what was confirmed is there, and clients go on."""

import asyncio

from eventually import eventually
from forebay.client import PublishSettings, make_message
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import BackoffSettings, UnavailableError

from .streams import batch, confirms_of, deliveries_of, rest_of, settlement, start, stub_of

QUICK = PublishSettings(batch_messages=50, backoff=BackoffSettings(0.05, 0.5))


async def contents(client, queue="orders"):
    return [delivery.message.body async for delivery in client.browse(queue)]


async def test_what_was_confirmed_is_there_after_a_kill(server, client):
    for number in range(20):
        await client.publish("orders.eu", b"%d" % number)
    # Its connection would wait before it is tried again, and the next client would share it.
    await client.close()
    await server.kill()
    await server.start()
    async with server.client() as again:
        assert await contents(again) == [b"%d" % number for number in range(20)]


async def test_a_publisher_goes_on_over_kills_and_everything_is_kept_once(server):
    async with server.client() as client, client.publisher(settings=QUICK) as publisher:

        async def send():
            for number in range(6000):
                await publisher.send([make_message("orders.eu", b"%d" % number)])
                await asyncio.sleep(0)

        sending = asyncio.ensure_future(send())
        for least in (1000, 3000):
            await eventually(lambda least=least: publisher.tally.confirmed > least, within=60)
            await server.kill()
            await server.start()
        await sending
    async with server.client() as client:
        assert await contents(client) == [b"%d" % number for number in range(6000)]


async def test_what_was_settled_durably_is_not_delivered_again_after_a_kill(server, client):
    for number in range(4):
        await client.publish("orders.eu", b"%d" % number)
    async with client.consume("orders") as orders:
        async for delivery in orders:
            delivery.ack()
            if delivery.body == b"1":
                break
        assert await orders.flush()
        await server.kill()
        await server.start()
        async for delivery in orders:
            assert delivery.body in (b"2", b"3")
            delivery.ack()
            if delivery.body == b"3":
                break
        assert await orders.flush()


async def test_at_the_end_streams_get_what_is_due_and_then_unavailable(server):
    async with stub_of(server) as stub:
        publishing, consuming = stub.Publish(), stub.Consume()
        await publishing.write(batch(1, b"a", b"b"))
        await consuming.write(start())
        deliveries = await deliveries_of(consuming, 2)
        await consuming.write(settlement(deliveries[0].number))
        server.terminate()
        settled = []
        for call in (publishing, consuming):
            responses, failure = await rest_of(call)
            settled += [run for response in responses for run in getattr(response, "settled", [])]
            assert isinstance(failure, UnavailableError)
            assert failure.retry_after
    assert await server.ended() == 0
    await server.start()
    async with server.client() as client:
        left = await contents(client)
        assert left[-1] == b"b"
        assert not settled or left == [b"b"]


async def test_a_stream_that_has_not_begun_does_not_hold_up_the_end(server):
    async with stub_of(server) as stub:
        call = stub.Publish()
        await eventually(lambda: _is_open(server))
        assert await server.stop() == 0
        call.cancel()


async def _is_open(server):
    return (await server.metrics()).get(("forebay_grpc_open_calls", "forebay.store.v1.StoreService/Publish"))


async def test_order_and_counts_of_deliveries_survive(server, client):
    for number in range(5):
        await client.publish("orders.eu", b"%d" % number)
    async with client.consume("orders", prefetch=2) as orders:
        async for delivery in orders:
            if delivery.body == b"1":
                break
    await client.close()
    await server.stop()
    await server.start()
    async with server.client() as again:
        found = [(delivery.message.body, delivery.deliveries) async for delivery in again.browse("orders")]
    assert found == [(b"0", 1), (b"1", 1), (b"2", 0), (b"3", 0), (b"4", 0)]


async def test_transient_queues_are_empty_after_a_restart(started):
    server = await started({"jobs": {"durable": False}, "kept": {"bindings": ["jobs"]}})
    async with server.client() as client:
        await client.publish("jobs", b"x")
        await client.publish("jobs", b"transient", transient=True)
    await server.stop()
    await server.start()
    async with server.client() as client:
        assert await contents(client, "jobs") == []
        assert await contents(client, "kept") == [b"x"]


async def test_confirms_are_ranges(server):
    async with stub_of(server) as stub:
        call = stub.Publish()
        await call.write(batch(1, *[b"x"] * 500))
        confirms = await confirms_of(call, 500)
        assert len(confirms) == 1
        assert confirms[0].outcome == pb.OUTCOME_CONFIRMED
        call.cancel()
