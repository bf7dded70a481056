"""What a store cannot take: a typed error with the remedy, or flow control, and no growth of memory."""

import asyncio

import psutil
import pytest

from forebay.client import make_message
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.octets_pb2 import PublishOctets
from forebay.runtime import FailedPreconditionError, InvalidArgumentError, NotFoundError, ServiceError

from .streams import batch, confirms_of, deliveries_of, raw_publish, refusal, settlement, start, stub_of

MEBIBYTE = 1 << 20


@pytest.fixture
async def stub(server):
    async with stub_of(server) as stub:
        yield stub


async def test_an_unknown_queue_is_not_found(client):
    for call in (client.get("ordres"), client.purge("ordres"), client.queue("ordres")):
        with pytest.raises(NotFoundError) as caught:
            await call
        assert caught.value.resource == ("StoreQueue", "ordres")
    with pytest.raises(NotFoundError):
        async for _ in client.browse("ordres"):
            pass


async def test_nobody_consumes_from_an_unknown_queue(stub):
    call = stub.Consume()
    await call.write(start("ordres"))
    failure = await refusal(call)
    assert isinstance(failure, NotFoundError)
    assert failure.resource == ("StoreQueue", "ordres")


@pytest.mark.parametrize("second", [2, 4, 1], ids=["a step back", "a gap", "again"])
async def test_a_wrong_number_ends_the_stream_behind_the_outcomes_before(stub, second):
    call = stub.Publish()
    await call.write(batch(1, b"a", b"b"))
    await call.write(batch(second, b"c"))
    confirms = await confirms_of(call, 2)
    failure = await refusal(call)
    assert sum(confirm.count for confirm in confirms) == 2
    assert isinstance(failure, InvalidArgumentError)
    assert (failure.violations[0].field, str(second) in failure.message, "3" in failure.message) == (
        "first",
        True,
        True,
    )


@pytest.mark.parametrize("behind", [[], [b"sound"]], ids=["alone", "before a sound one"])
async def test_octets_that_are_no_message_end_the_stream_behind_the_outcomes_before(server, client, behind):
    sound = [pb.Message(address="orders.eu", body=body).SerializeToString() for body in behind]
    async with raw_publish(server) as call:
        await call.write(batch(1, b"a").SerializeToString())
        await call.write(PublishOctets(first=2, messages=[b"\x0a\xff", *sound]).SerializeToString())
        assert sum(confirm.count for confirm in await confirms_of(call, 1)) == 1
        failure = await refusal(call)
    assert isinstance(failure, InvalidArgumentError)
    assert failure.violations[0].field == "messages"
    assert (await client.queue("orders")).status.counters.published == 1


async def test_too_large_a_message_is_told_with_both_sizes_and_the_remedy(stub):
    call = stub.Publish()
    await call.write(batch(1, b"small"))
    await call.write(batch(2, bytes(17 * MEBIBYTE)))
    await confirms_of(call, 1)
    failure = await refusal(call)
    assert isinstance(failure, InvalidArgumentError)
    assert str(16 * MEBIBYTE) in failure.message
    assert "spec.messages.maxSize" in failure.message


async def test_a_request_that_grpc_does_not_take_is_an_error_too(stub, client):
    call = stub.Publish()
    await call.write(batch(1, bytes(66 * MEBIBYTE)))
    assert isinstance(await refusal(call), ServiceError)
    await client.publish("orders.eu", b"others go on")


async def test_a_second_consumer_beside_an_exclusive_one_is_refused(stub):
    first, second = stub.Consume(), stub.Consume()
    await first.write(start(exclusive=True))
    await first.read()
    await second.write(start())
    failure = await refusal(second)
    assert isinstance(failure, FailedPreconditionError)
    assert "exclusive" in failure.message


@pytest.mark.parametrize(
    ("requests", "field"),
    [
        ([pb.ConsumeRequest(credit=1)], "start"),
        ([pb.ConsumeRequest(start=pb.ConsumeStart(queue="orders", prefetch=70_000))], "start.prefetch"),
        ([start(), start()], "start"),
        ([start(consumer="x" * 300)], "start.consumer"),
        ([start(), settlement(1)], "settlements"),
    ],
    ids=["no start", "prefetch", "two starts", "long name", "nobody holds it"],
)
async def test_a_consumer_that_errs_is_told_which_field(stub, requests, field):
    call = stub.Consume()
    for request in requests:
        await call.write(request)
    failure = await refusal(call)
    assert isinstance(failure, InvalidArgumentError)
    assert failure.violations[0].field.startswith(field)


async def test_a_delivery_is_not_settled_twice(stub, client):
    await client.publish("orders.eu", b"x")
    call = stub.Consume()
    await call.write(start())
    (delivery,) = await deliveries_of(call, 1)
    await call.write(settlement(delivery.number))
    await call.write(settlement(delivery.number))
    assert isinstance(await refusal(call), InvalidArgumentError)


async def test_too_many_at_once_are_told_the_bound(client):
    with pytest.raises(InvalidArgumentError, match="1001 is above 1000"):
        await client.get("orders", 1001)


def memory(server) -> int:
    return psutil.Process(server.process.pid).memory_info().rss


async def test_a_consumer_that_does_not_read_makes_nothing_grow(server, stub, client):
    async with client.publisher() as publisher:
        for _ in range(40):
            await publisher.send([make_message("orders.eu", bytes(MEBIBYTE))])
    before = memory(server)
    calls = [stub.Consume() for _ in range(8)]
    for call in calls:
        await call.write(start(credit=60_000))
    await asyncio.sleep(1)
    assert memory(server) - before < 120 * MEBIBYTE
    for call in calls:
        call.cancel()


async def test_a_publisher_that_reads_no_outcomes_makes_nothing_grow(server, stub):
    call = stub.Publish()

    async def write(first):
        await call.write(batch(first, *[bytes(1000)] * 1000, address="nowhere"))

    await write(1)
    before = memory(server)
    for first in range(1001, 200_000, 1000):
        await write(first)
    assert memory(server) - before < 100 * MEBIBYTE
    call.cancel()
