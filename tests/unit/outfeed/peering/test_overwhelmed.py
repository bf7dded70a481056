"""A peer that takes a hundredth of what comes in: limits hold, the newest is kept, and every drop is counted."""

import pytest

from forebay.outfeed.sending.feed import Outcome
from forebay.spill import SpoolSettings
from onepeer import OnePeer

COMING_IN, TAKEN = 1000, 10
"""Articles a second."""
SECONDS = 20
QUEUE = 1000
LIMIT = 100_000
"""Octets of the backlog."""
ENTRY = 80
"""Octets that an entry has at most."""


@pytest.fixture
async def peer():
    peer = OnePeer(size=QUEUE)
    await peer.start()
    peer.spool.settings = SpoolSettings(rotate_bytes=20_000, rotate_age=0, limit_bytes=LIMIT)
    await peer.rest()
    peer.feed.poll()
    await peer.rest()
    yield peer
    await peer.close()


def kept_on_redis(peer):
    state = peer.spool.state
    return (state.backlog + state.deferred + state.resend).bytes


async def test_limits_hold_the_newest_is_kept_and_every_drop_is_counted(peer):
    peer.up()
    accepted = []
    for _ in range(SECONDS):
        await peer.offer(COMING_IN)
        accepted += peer.take(TAKEN)
        peer.settle(Outcome.ACCEPTED)
        peer.feed.poll()
        peer.clock.advance(1)
        await peer.rest()
        assert kept_on_redis(peer) <= LIMIT + ENTRY
        assert len(peer.feed.queue) <= QUEUE + COMING_IN
        assert peer.feed.ledger.imbalance == 0
    ledger = peer.feed.ledger
    offered = COMING_IN * SECONDS
    waiting = ledger.queued
    assert ledger.offered == offered
    assert ledger.dropped == {"limit-bytes": offered - len(accepted) - waiting}
    assert waiting >= LIMIT // ENTRY
    sent = await peer.send_all()
    oldest = min(sent)
    newest = [*sent, *(seq for seq in accepted if seq > oldest)]
    assert sorted(newest) == list(range(oldest, offered)), "what is newer than the oldest that was kept was kept"
    assert (len(sent), ledger.accepted) == (waiting, waiting + len(accepted))
    dropped = [seq for outcome, _, seqs in peer.outcomes.lines if outcome == "dropped" for seq in seqs]
    assert sorted([*dropped, *accepted, *sent]) == list(range(offered)), "each has one outcome"
    assert peer.log.count_owed(peer.number) == 0
