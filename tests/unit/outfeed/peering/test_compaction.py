"""A peer whose backlog is compacted: what was dropped is let go of once, and nothing else is."""

import pytest

from compacting import of_articles
from fakeclock import settle
from feedlogs import records
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.token import message_key
from forebay.spill import Dropped, Kind
from onepeer import MIN_DEFERRED_AGE, OnePeer
from powerloss import PowerLossDisk

SIZE = 6
"""Articles that fill a segment."""
FIRST, REST = list(range(SIZE)), list(range(SIZE, 3 * SIZE))
OLD = of_articles(lambda token: token.seq < SIZE)
"""Drops the first segment for its age."""


async def spill(peer: OnePeer, segments: int = 3) -> None:
    """Have that many segments, the last of them open."""
    for _ in range(segments):
        await peer.offer(SIZE)
        await peer.rest()
    assert peer.spool.state.segments == segments


async def compact(peer: OnePeer, choose=OLD) -> None:
    peer.redis.compact(peer.uid, choose)
    peer.feed.poll()
    await peer.rest()


async def defer(peer: OnePeer, count: int) -> None:
    """Have a peer that puts off what it is sent."""
    peer.up()
    await peer.offer(count)
    peer.take()
    peer.settle(Outcome.DEFERRED)
    await peer.rest()


async def flush(peer: OnePeer) -> list[bytes]:
    keys = await peer.flush()
    peer.feed.poll()
    await peer.rest()
    return keys


async def test_articles_that_were_dropped_for_their_age_have_expired(peer):
    await spill(peer)
    await compact(peer)
    ledger = peer.feed.ledger
    assert (ledger.expired, ledger.queued, ledger.imbalance) == (SIZE, 2 * SIZE, 0)
    assert list(peer.log.owed(peer.number)) == REST
    assert peer.outcomes.lines == [("expired", "limit-age", FIRST)]


async def test_their_references_go(peer):
    await spill(peer)
    await compact(peer)
    assert await peer.flush() == [message_key(peer.message_ids[seq]) for seq in range(SIZE)]


async def test_what_is_left_is_sent_in_order(peer):
    await spill(peer)
    await compact(peer)
    assert await peer.send_all() == REST
    assert (peer.feed.ledger.accepted, peer.feed.ledger.owed, peer.feed.ledger.imbalance) == (2 * SIZE, 0, 0)


async def test_the_ledger_adds_up_before_it_is_noticed_and_afterwards(peer):
    await spill(peer)
    peer.redis.compact(peer.uid, OLD)
    assert peer.feed.ledger.imbalance == 0
    for _ in range(50):
        peer.backlog.wake()
        await peer.rest(1)
        assert peer.feed.ledger.imbalance == 0
    assert peer.feed.ledger.expired == SIZE


async def test_of_an_article_that_came_twice_one_is_sent_and_one_dropped(peer):
    """A message-id is remembered for days; then it may come again while its first copy waits still."""
    for first in (0, 0, SIZE):
        await peer.log.append(records(first, SIZE, 1 << peer.number))
        peer.fan_out()
        await peer.rest()
    await compact(peer, of_articles())
    ledger = peer.feed.ledger
    assert dict(ledger.dropped) == {"duplicate": SIZE}
    assert await peer.send_all() == [*FIRST, *range(2 * SIZE, 3 * SIZE)]
    assert (ledger.owed, ledger.imbalance) == (0, 0)


async def test_a_repeat_of_the_very_article_releases_nothing(peer):
    await spill(peer)
    stream = peer.spool.streams.queues[Kind.BACKLOG][0]
    stream.entries += stream.entries
    await compact(peer, of_articles())
    assert not peer.feed.ledger.dropped
    assert await peer.send_all() == FIRST + REST


async def test_what_was_put_off_is_taken_from_what_is_deferred(peer):
    for _ in range(3):
        await defer(peer, SIZE)
    assert len(peer.spool.streams.queues[Kind.DEFERRED]) == 3
    await compact(peer)
    ledger = peer.feed.ledger
    assert (ledger.expired, ledger.deferred, ledger.queued) == (SIZE, 2 * SIZE, 0)


async def test_what_is_recalled_is_what_was_in_the_segment_and_not_what_a_compaction_took(peer):
    for _ in range(3):
        await defer(peer, SIZE)
    peer.clock.advance(MIN_DEFERRED_AGE)
    peer.redis.compact(peer.uid, OLD)
    peer.feed.poll()
    await peer.rest()
    ledger = peer.feed.ledger
    assert (ledger.expired, ledger.queued, ledger.deferred) == (SIZE, SIZE, SIZE)
    assert await peer.send_all() == REST
    assert (ledger.owed, ledger.imbalance) == (0, 0)


async def test_an_article_that_is_on_its_way_is_not_let_go_of(peer):
    await spill(peer)
    peer.up()
    await peer.rest()
    taken = peer.take(4)
    # An append whose answer was lost can leave an article in the backlog that is in memory, too.
    data = [entry.data for entry in peer.spool.streams.resend.entries[:4]]
    peer.spool.streams.castoffs.append(Dropped("limit-age", data, Kind.BACKLOG))
    peer.feed.poll()
    await peer.rest()
    assert peer.feed.ledger.expired == 0
    peer.settle(Outcome.ACCEPTED)
    assert taken == [0, 1, 2, 3]
    assert peer.feed.ledger.accepted == 4


async def test_what_was_settled_meanwhile_is_not_counted_again(peer):
    await spill(peer)
    data = [entry.data for entry in peer.spool.streams.queues[Kind.BACKLOG][0].entries]
    assert await peer.send_all() == FIRST + REST
    peer.spool.streams.castoffs = [Dropped("limit-age", data, Kind.BACKLOG)]
    peer.feed.poll()
    await peer.rest()
    assert (peer.feed.ledger.expired, peer.feed.ledger.imbalance) == (0, 0)


async def test_redis_forgets_what_was_dropped_once_that_is_durable(peer):
    await spill(peer)
    await compact(peer)
    assert peer.castoffs() == FIRST
    await flush(peer)
    assert peer.castoffs() == []


async def test_a_power_loss_in_between_drops_the_same_again(peer):
    await spill(peer)
    await flush(peer)
    await compact(peer)
    await peer.crash()
    await peer.start()
    await peer.rest()
    ledger = peer.feed.ledger
    assert (ledger.offered, ledger.expired, ledger.queued) == (3 * SIZE, SIZE, 2 * SIZE)
    assert peer.spilled() == REST
    await flush(peer)
    assert peer.castoffs() == []


async def test_a_power_loss_afterwards_leaves_it_dropped(peer):
    await spill(peer)
    await compact(peer)
    await flush(peer)
    await peer.crash()
    await peer.start()
    await peer.rest()
    assert (peer.feed.ledger.offered, peer.feed.ledger.expired) == (2 * SIZE, 0)
    assert await peer.send_all() == REST


async def test_what_was_dropped_while_the_service_was_away_is_not_put_back(peer):
    await spill(peer)
    await peer.stop()
    peer.redis.compact(peer.uid, OLD)
    await peer.start()
    await peer.rest()
    assert "iterate" not in peer.spool.commands
    assert peer.feed.ledger.expired == SIZE
    assert await peer.send_all() == REST


async def test_what_a_lost_data_folder_had_dropped_is_nothing_to_a_new_one(peer):
    await spill(peer)
    peer.spool.streams.castoffs = [Dropped("limit-age", [b"\0" * 22 + b"<0@example.org>"], Kind.BACKLOG)]
    peer.spool.streams.queues[Kind.BACKLOG].clear()
    await peer.crash()
    peer.disk = PowerLossDisk()
    await peer.start()
    await peer.offer(SIZE)
    await peer.rest()
    assert await peer.send_all() == FIRST


@pytest.mark.parametrize("gone", [range(SIZE, 2 * SIZE), range(0)], ids=["some expire", "none expires"])
@pytest.mark.parametrize("turns", range(0, 20, 2))
async def test_a_compaction_during_an_audit_is_no_loss(peer, turns, gone):
    await spill(peer)
    await flush(peer)
    await peer.crash()
    peer.spool.streams.queues[Kind.BACKLOG][2].entries.pop()
    await peer.start()
    await settle(turns)
    await compact(peer, of_articles(lambda token: token.seq in gone))
    kept = [seq for seq in FIRST + REST if seq not in gone]
    assert sorted(peer.spilled()) == kept
    assert (peer.feed.ledger.queued, peer.feed.ledger.imbalance) == (len(kept), 0)
    assert sorted(await peer.send_all()) == kept
    assert peer.spool.commands.count("append") == 1


async def test_redis_that_loses_the_compaction_sends_only_what_was_kept(peer):
    await spill(peer)
    peer.redis.lazy = True
    await compact(peer)
    await flush(peer)
    peer.redis.restart(lost="unsynced")
    peer.come_back()
    await peer.rest()
    assert peer.spilled() == FIRST + REST
    assert await peer.send_all() == REST


async def test_what_is_dropped_before_it_is_known_to_be_on_disk_is_dropped_all_the_same(peer):
    peer.redis.lazy = True
    await spill(peer)
    assert peer.feed.checkpoint == -1
    await compact(peer)
    assert peer.feed.ledger.expired == SIZE
    peer.redis.restart(lost="unsynced")
    peer.come_back()
    await peer.rest()
    assert await peer.send_all() == REST
    assert peer.feed.checkpoint == 3 * SIZE - 1


async def test_the_feed_log_keeps_what_a_compaction_has_moved_until_that_is_on_disk(peer):
    peer.redis.lazy = True
    await spill(peer)
    await compact(peer, of_articles())
    assert peer.feed.checkpoint == -1
    peer.redis.sync()
    peer.feed.poll()
    await peer.rest()
    assert peer.feed.checkpoint == 3 * SIZE - 1


async def test_a_long_list_of_what_was_dropped_does_not_keep_the_peer_from_being_fed(peer):
    await spill(peer)
    entries = peer.spool.streams.queues[Kind.BACKLOG].pop(0).entries
    peer.spool.streams.castoffs = [Dropped("limit-age", [entry.data], Kind.BACKLOG) for entry in entries]
    peer.spool.commands.clear()
    peer.up()
    await peer.rest()
    told = [place for place, name in enumerate(peer.spool.commands) if name == "dropped"]
    assert "read" in peer.spool.commands[: told[1]]
