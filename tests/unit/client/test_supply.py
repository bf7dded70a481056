import asyncio

import pytest

from fakeclock import settle
from forebay.client import ArticleTooLargeError, OfferSettings
from forebay.client.supply import Supply

SMALL = OfferSettings(batch_articles=3, batch_octets=10, article_octets=50)


async def drained(articles, settings=SMALL):
    """All batches of a supply."""
    supply = Supply(articles, settings)
    filling = asyncio.ensure_future(supply.fill())
    batches = []
    while batch := await supply.take():
        batches.append(batch)
    await filling
    return batches


async def test_batches_are_closed_by_their_number_of_articles():
    assert await drained([b"a", b"b", b"c", b"d"]) == [[b"a", b"b", b"c"], [b"d"]]


async def test_batches_are_closed_by_their_octets():
    assert await drained([b"a" * 6, b"b" * 4, b"c"]) == [[b"a" * 6, b"b" * 4], [b"c"]]


async def test_an_article_larger_than_a_batch_goes_alone():
    assert await drained([b"a", b"b" * 40, b"c"]) == [[b"a"], [b"b" * 40], [b"c"]]


async def test_nothing_waits_for_company():
    queue = asyncio.Queue()

    async def source():
        while article := await queue.get():
            yield article

    supply = Supply(source(), SMALL)
    filling = asyncio.ensure_future(supply.fill())
    queue.put_nowait(b"first")
    assert await supply.take() == [b"first"]
    queue.put_nowait(b"")
    assert await supply.take() == []
    await filling


async def test_the_source_is_read_only_a_little_ahead():
    read = []

    def source():
        for number in range(100):
            read.append(number)
            yield b"x"

    supply = Supply(source(), SMALL)
    filling = asyncio.ensure_future(supply.fill())
    await settle()
    assert len(read) == 6
    await supply.take()
    await settle()
    assert len(read) == 9
    filling.cancel()


async def test_a_cancelled_take_loses_nothing():
    supply = Supply([b"a"], SMALL)
    taking = asyncio.ensure_future(supply.take())
    await settle()
    taking.cancel()
    await supply.fill()
    assert await supply.take() == [b"a"]


async def test_what_was_read_before_a_too_large_article_is_still_there():
    supply = Supply([b"a", b"b" * 51], SMALL)
    with pytest.raises(ArticleTooLargeError, match="article 1 has 51 octets, and gRPC takes 50"):
        await supply.fill()
    assert await supply.take() == [b"a"]
    assert await supply.take() == []
