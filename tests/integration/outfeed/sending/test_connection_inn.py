"""The connection against a real INN."""

import pytest

from articles import without_path
from forebay.outfeed.sending.feed import Outcome
from recordingfeed import RecordingFeed, article, tokens

from .polled import ended, polled, settled

pytestmark = pytest.mark.inn

# On asyncio's own loop: a program that uvloop starts inherits the far ends of its own pipes and passes them on. innd,
# which stays behind when the script that started it ends, would keep them open, and the script never seems to end.

COUNT = 100


@pytest.fixture
def feed():
    return RecordingFeed(tokens(COUNT))


async def test_articles_arrive_octet_for_octet(inn, feed):
    async with polled(feed, inn.port):
        assert set((await settled(feed, COUNT)).values()) == {Outcome.ACCEPTED}
    assert {message_id: without_path(wire) for message_id, wire in inn.stored().items()} == {
        token.message_id: without_path(article(token.message_id)) for token in tokens(COUNT)
    }


async def test_a_second_offer_is_refused(inn, feed):
    async with polled(feed, inn.port):
        await settled(feed, COUNT)
    again = RecordingFeed(tokens(COUNT))
    async with polled(again, inn.port):
        assert set((await settled(again, COUNT)).values()) == {Outcome.REFUSED}


async def test_large_articles_arrive(inn):
    feed = RecordingFeed(tokens(5, size=900_000), size=900_000)
    async with polled(feed, inn.port):
        assert set((await settled(feed, 5)).values()) == {Outcome.ACCEPTED}
    assert {len(wire) > 900_000 for wire in inn.stored().values()} == {True}


async def test_articles_of_unknown_groups_are_rejected(inn, feed):
    whole = feed.bodies
    feed.bodies = lambda ids: [body.replace(b"test.feed", b"no.such.group") for body in whole(ids)]
    async with polled(feed, inn.port):
        assert set((await settled(feed, COUNT)).values()) == {Outcome.REJECTED}


async def test_a_paused_server_defers(inn, feed):
    await inn.pause()
    async with polled(feed, inn.port):
        assert set((await settled(feed, COUNT)).values()) == {Outcome.DEFERRED}


async def test_a_throttled_server_is_not_fed(inn, feed):
    await inn.throttle()
    async with polled(feed, inn.port):
        assert (await ended(feed)).startswith("greeted with: 400 ")
    assert len(feed.waiting) == COUNT


async def test_a_server_that_is_throttled_while_it_is_fed_costs_nothing(inn, feed):
    async with polled(feed, inn.port) as connection:
        await settled(feed, COUNT)
        await inn.throttle()
        feed.waiting = tokens(COUNT, first=COUNT)
        connection.wake()
        await settled(feed, 2 * COUNT)
    message_ids = [*feed.outcomes, *feed.returned, *(token.message_id for token in feed.waiting)]
    assert sorted(message_ids) == sorted(token.message_id for token in tokens(2 * COUNT))
