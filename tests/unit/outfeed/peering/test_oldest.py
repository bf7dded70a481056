"""How long the oldest article of a peer has waited, wherever it waits."""

import pytest

from forebay.outfeed.peering.flow import FlowSettings
from forebay.outfeed.peering.oldest import Place, oldest_arrivals
from forebay.outfeed.sending.feed import Outcome
from onepeer import MIN_DEFERRED_AGE, OnePeer


@pytest.fixture
async def resting():
    """A peer whose articles rest for a minute in the feed log."""
    peer = OnePeer(flow=FlowSettings(delay=60))
    await peer.start()
    await peer.rest()
    yield peer
    await peer.close()


async def test_nothing_waits_nowhere(peer):
    assert oldest_arrivals(peer.feed) == {}


async def test_in_memory_it_is_the_first_of_the_queue(peer):
    peer.up()
    await peer.rest()
    await peer.offer(2)
    assert oldest_arrivals(peer.feed) == {Place.QUEUE: peer.feed.queue.fresh[0].arrival}
    peer.take()
    assert oldest_arrivals(peer.feed) == {}


async def test_without_a_line_it_is_on_redis(peer):
    await peer.offer(2)
    await peer.rest()
    assert oldest_arrivals(peer.feed) == {Place.BACKLOG: peer.spool.state.oldest_backlog}


async def test_what_was_put_off_is_as_old_as_its_segment(peer):
    peer.up()
    await peer.rest()
    await peer.offer(1)
    peer.take()
    peer.settle(Outcome.DEFERRED, reply="431")
    assert oldest_arrivals(peer.feed).keys() == {Place.DEFERRED}
    await peer.rest()
    assert oldest_arrivals(peer.feed) == {Place.DEFERRED: peer.spool.state.oldest_deferred}
    peer.clock.advance(MIN_DEFERRED_AGE)
    peer.feed.poll()
    await peer.rest()
    assert oldest_arrivals(peer.feed).keys() == {Place.RESEND}


async def test_what_rests_is_in_the_feed_log(resting):
    resting.up()
    await resting.offer(1)
    await resting.rest()
    found = oldest_arrivals(resting.feed)
    assert found.keys() == {Place.LOG}
    resting.clock.advance(61)
    resting.feed.poll()
    await resting.rest()
    assert oldest_arrivals(resting.feed) == {Place.QUEUE: found[Place.LOG]}
