"""Offering over real connections, and over lost ones."""

import asyncio

import pytest

from eventually import eventually
from forebay.client import OfferSettings, Outcome, OutfeedClient, ProtocolError, Tally
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime import (
    BackoffSettings,
    InvalidArgumentError,
    ResourceExhaustedError,
    UnavailableError,
)
from ports import free_port

from .scripted import ScriptedOutfeed, listening

QUICK = OfferSettings(batch_articles=10, backoff=BackoffSettings(0.01, 0.05), patience=20)


def articles(count):
    return [b"article %d" % number for number in range(count)]


async def verdicts(offering):
    return [(verdict.first, verdict.count, verdict.outcome) async for verdict in offering]


async def test_every_article_gets_a_verdict_in_order(client, service):
    offering = client.offer(articles(95), QUICK)
    assert [first for first, _, _ in await verdicts(offering)] == list(range(95))
    assert offering.tally == Tally(offered=95, accepted=95)
    assert service.taken == articles(95)


async def test_the_source_may_be_asynchronous(client, service):
    async def source():
        for article in articles(20):
            await asyncio.sleep(0)
            yield article

    offering = client.offer(source(), QUICK)
    await verdicts(offering)
    assert service.taken == articles(20)


async def test_no_article_is_an_offering_too(client, service):
    assert await verdicts(client.offer([])) == []


async def test_a_rejected_article_tells_why(client):
    found = [verdict async for verdict in client.offer([b"good", b"bad", b"fine"])]
    assert [verdict.outcome for verdict in found] == [
        Outcome.OUTCOME_ACCEPTED,
        Outcome.OUTCOME_REJECTED,
        Outcome.OUTCOME_ACCEPTED,
    ]
    assert found[1].reason == "header Bad is bad"


async def test_what_had_no_verdict_is_sent_again_after_a_lost_connection(client, service):
    service.faults = [(2, False, UnavailableError("gone")), (3, False, UnavailableError("gone again"))]
    offering = client.offer(articles(100), QUICK)
    await verdicts(offering)
    assert offering.tally == Tally(offered=100, accepted=100)
    assert service.streams == 3
    assert service.taken == articles(100)


async def test_an_article_whose_verdict_was_lost_is_a_duplicate(client, service):
    service.faults = [(1, True, UnavailableError("gone"))]
    offering = client.offer(articles(30), QUICK)
    await verdicts(offering)
    assert offering.tally == Tally(offered=30, accepted=20, duplicate=10)
    assert service.taken == articles(30)


async def test_a_full_service_is_left_alone_for_as_long_as_it_asks(client, service):
    service.faults = [(0, False, ResourceExhaustedError("full", retry_after=0.4))]
    began = asyncio.get_running_loop().time()
    await verdicts(client.offer(articles(10), QUICK))
    assert asyncio.get_running_loop().time() - began >= 0.4


async def test_a_service_that_refuses_is_not_asked_again(client, service):
    service.faults = [(1, False, InvalidArgumentError("article 10 is none"))]
    with pytest.raises(InvalidArgumentError, match="article 10 is none"):
        await verdicts(client.offer(articles(30), QUICK))
    assert service.streams == 1


async def test_patience_ends(client, service):
    service.faults = [(0, False, ResourceExhaustedError("full", retry_after=0.2))] * 10
    with pytest.raises(ResourceExhaustedError, match="full"):
        await verdicts(client.offer(articles(10), OfferSettings(patience=0.5)))
    assert 1 < service.streams <= 3


async def test_a_service_that_is_not_there_is_an_error():
    async with OutfeedClient.connect(f"127.0.0.1:{free_port()}") as client:
        with pytest.raises(UnavailableError):
            await verdicts(client.offer(articles(1), OfferSettings(patience=0)))


async def test_a_service_that_comes_later_is_found(service):
    port = free_port()
    async with OutfeedClient.connect(f"127.0.0.1:{port}") as client:
        offering = client.offer(articles(25), QUICK)
        waiting = asyncio.ensure_future(verdicts(offering))
        await eventually(lambda: offering._retrying.failures > 1)
        async with listening(service, address=f"127.0.0.1:{port}"):
            await waiting
    assert service.taken == articles(25)


async def test_a_restarted_service_gets_the_rest(service):
    port, second = free_port(), ScriptedOutfeed()
    service.open.clear()
    async with OutfeedClient.connect(f"127.0.0.1:{port}") as client:
        offering = client.offer(articles(50), QUICK)
        waiting = asyncio.ensure_future(verdicts(offering))
        async with listening(service, address=f"127.0.0.1:{port}"):
            await eventually(lambda: service.batches)
        async with listening(second, address=f"127.0.0.1:{port}"):
            await waiting
    assert second.taken == articles(50)


async def test_the_source_is_read_no_faster_than_verdicts_come(client, service):
    service.open.clear()
    read = []

    def source():
        for number in range(1000):
            read.append(number)
            yield b"%1000d" % number

    settings = OfferSettings(batch_articles=10, window_octets=50_000)
    waiting = asyncio.ensure_future(verdicts(client.offer(source(), settings)))
    await eventually(lambda: len(read) >= 50)
    await asyncio.sleep(0.1)
    assert len(read) <= 90
    service.open.set()
    assert len(await waiting) == 1000


async def test_an_error_of_the_source_comes_after_the_verdicts_before_it(client, service):
    def source():
        yield from articles(5)
        raise OSError("unreadable")

    offering = client.offer(source(), QUICK)
    with pytest.raises(OSError, match="unreadable"):
        await verdicts(offering)
    assert offering.tally == Tally(offered=5, accepted=5)


async def test_leaving_the_loop_ends_the_offering(client, service):
    async for _ in client.offer(articles(1000), QUICK):
        break
    assert len(service.taken) <= 1000


async def test_a_stream_that_ends_too_early_is_an_error(client, service):
    async def offer(requests, context):
        async for _ in requests:
            return
        yield pb.OfferResponse()

    service.Offer = offer
    async with listening(service) as port, OutfeedClient.connect(f"127.0.0.1:{port}") as other:
        with pytest.raises(ProtocolError, match="without a verdict"):
            await verdicts(other.offer(articles(10), QUICK))
