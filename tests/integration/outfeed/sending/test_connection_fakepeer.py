"""The connection against a peer that gives the answers a real server seldom gives."""

import asyncio
import socket
from collections import Counter

import pytest
import uvloop

from eventually import eventually
from forebay.outfeed.sending.connection import Connection
from forebay.outfeed.sending.connectionsettings import ConnectionSettings
from forebay.outfeed.sending.feed import Outcome
from ports import free_port
from recordingfeed import RecordingFeed, tokens

from .polled import ended, polled, settled

new_event_loop = uvloop.new_event_loop
"""The loop that the services use."""

COUNT = 100
IDS = [token.message_id for token in tokens(COUNT)]


@pytest.fixture
def feed():
    return RecordingFeed(tokens(COUNT))


async def kept(peer):
    """The message-ids of the articles that the peer has in the end."""
    await peer.stop()
    return peer.have


async def test_all_arrive_in_order(fake_peer, feed):
    peer = await fake_peer("ok")
    async with polled(feed, peer.port, window=7):
        assert set((await settled(feed, COUNT)).values()) == {Outcome.ACCEPTED}
    await peer.stop()
    assert [message_id for message_id, _ in peer.replies("TAKETHIS")] == IDS


async def test_what_the_peer_has_is_refused(fake_peer, feed):
    peer = await fake_peer("ok")
    async with polled(feed, peer.port):
        await settled(feed, COUNT)
    again = RecordingFeed(tokens(COUNT))
    async with polled(again, peer.port):
        assert set((await settled(again, COUNT)).values()) == {Outcome.REFUSED}


async def test_one_poison_article_does_not_stop_the_others(fake_peer, feed):
    peer = await fake_peer("501", "--match", "<3@")
    async with polled(feed, peer.port):
        outcomes = await settled(feed, COUNT)
    assert [message_id for message_id, outcome in outcomes.items() if outcome is Outcome.FAILED] == [b"<3@t>"]
    assert await kept(peer) == set(IDS) - {b"<3@t>"}


async def test_the_first_offers_are_deferred(fake_peer, feed):
    peer = await fake_peer("431", "--after", 10)
    async with polled(feed, peer.port):
        outcomes = await settled(feed, COUNT)
    assert Counter(outcomes.values()) == {Outcome.DEFERRED: 10, Outcome.ACCEPTED: COUNT - 10}
    assert await kept(peer) == set(IDS[10:])


@pytest.mark.parametrize(("mode", "outcome"), [("403", Outcome.DEFERRED), ("take431", Outcome.REJECTED)])
async def test_an_answer_to_one_takethis_concerns_that_article_alone(fake_peer, feed, mode, outcome):
    peer = await fake_peer(mode, "--match", "<7@")
    async with polled(feed, peer.port):
        outcomes = await settled(feed, COUNT)
    assert outcomes.pop(b"<7@t>") is outcome
    assert set(outcomes.values()) == {Outcome.ACCEPTED}
    assert await kept(peer) == set(IDS) - {b"<7@t>"}


async def test_a_peer_that_does_not_stream_is_fed_by_ihave(fake_peer, feed):
    peer = await fake_peer("nostream")
    async with polled(feed, peer.port) as connection:
        assert set((await settled(feed, COUNT)).values()) == {Outcome.ACCEPTED}
        assert not connection.streams
    assert await kept(peer) == set(IDS)
    assert len(peer.replies("IHAVE")) >= COUNT
    assert not peer.replies("CHECK")


async def test_a_peer_that_streams_is_fed_by_ihave_where_that_is_wished(fake_peer, feed):
    peer = await fake_peer("ok")
    async with polled(feed, peer.port, streaming=False):
        assert set((await settled(feed, COUNT)).values()) == {Outcome.ACCEPTED}
    assert await kept(peer) == set(IDS)
    assert not peer.replies("CHECK")
    assert not peer.replies("MODE")


async def test_an_offer_by_ihave_that_is_put_off_is_told_so(fake_peer, feed):
    peer = await fake_peer("431", "--after", 10)
    async with polled(feed, peer.port, streaming=False):
        outcomes = await settled(feed, COUNT)
    assert Counter(outcomes.values()) == {Outcome.DEFERRED: 10, Outcome.ACCEPTED: COUNT - 10}


async def test_a_slow_peer_is_waited_for_while_it_answers(fake_peer):
    peer = await fake_peer("slow", "--delay", 0.05)
    feed = RecordingFeed(tokens(20))
    async with polled(feed, peer.port, response_timeout=1):
        assert set((await settled(feed, 20)).values()) == {Outcome.ACCEPTED}


async def test_a_silent_peer_is_given_up(fake_peer, feed):
    peer = await fake_peer("slow", "--delay", 30)
    async with polled(feed, peer.port, response_timeout=0.3):
        assert await ended(feed) == "no answer to the greeting within 0.3 s"


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("close", "the peer closed the connection"),
        ("400", "greeted with: 400 come back later"),
        ("502", "greeted with: 502 no permission"),
    ],
)
async def test_a_peer_that_takes_no_articles_gets_none(fake_peer, feed, mode, reason):
    peer = await fake_peer(mode)
    async with polled(feed, peer.port):
        assert await ended(feed) == reason
    assert len(feed.waiting) == COUNT
    assert not feed.settled


async def test_what_a_dropped_connection_left_goes_over_the_next(fake_peer):
    peer = await fake_peer("drop", "--after", 50)
    waiting, seen = tokens(COUNT), set()
    while waiting:
        feed = RecordingFeed(waiting)
        async with polled(feed, peer.port, window=20):
            await settled(feed, len(waiting))
        assert feed.settled
        assert seen.isdisjoint(feed.outcomes)
        seen |= feed.outcomes.keys()
        waiting = feed.given_back + feed.waiting
        assert waiting == sorted(waiting, key=lambda token: token.seq)
    assert seen == await kept(peer) == set(IDS)


async def test_a_graceful_close_settles_what_is_in_flight_and_says_goodbye(fake_peer, feed):
    peer = await fake_peer("ok")
    async with polled(feed, peer.port, window=10) as connection:
        await feed.is_up.wait()
        connection.close("shutting down", 30)
        assert await ended(feed) == "shutting down"
    await eventually(lambda: peer.replies("QUIT") == [(b"", "205")])
    assert not feed.given_back
    assert len(await kept(peer)) + len(feed.waiting) == COUNT


async def test_large_articles_arrive(fake_peer):
    peer = await fake_peer("ok")
    feed = RecordingFeed(tokens(20, size=900_000), size=900_000)
    async with polled(feed, peer.port):
        assert set((await settled(feed, 20)).values()) == {Outcome.ACCEPTED}


async def test_that_nobody_listens_is_the_reason(feed):
    port = free_port()
    async with polled(feed, port):
        reason = await ended(feed)
    assert reason == f"cannot connect to 127.0.0.1 port {port}: [Errno 111] Connection refused"


@pytest.fixture
def deaf_port():
    """A port where connections stay half open."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        with socket.create_connection(deaf.getsockname()):
            yield deaf.getsockname()[1]


async def test_a_peer_that_does_not_accept_times_out(feed, deaf_port):
    async with polled(feed, deaf_port, connect_timeout=0.2):
        assert await ended(feed) == f"no connection to 127.0.0.1 port {deaf_port} within 0.2 s"


async def test_connecting_may_be_cancelled(feed, deaf_port):
    connecting = asyncio.create_task(Connection(feed, ConnectionSettings()).connect("127.0.0.1", deaf_port))
    await asyncio.sleep(0)
    connecting.cancel()
    assert await ended(feed) == "connecting was cancelled"
    assert connecting.cancelled()
