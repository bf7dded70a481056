"""A peerfeed: where articles wait, who owns them, and what each outcome does."""

from dataclasses import replace

import pytest

from forebay.outfeed.peering.poison import WRONG_AFTER, GivingUp
from forebay.outfeed.sending.feed import Outcome
from forebay.spill import Kind, SpoolSettings
from onepeer import MIN_DEFERRED_AGE, OnePeer


def seqs(tokens):
    return [token.seq for token in tokens]


async def put_off_long_ago(peer):
    """Take what there is, have it put off, and let it rest long enough."""
    peer.take()
    peer.settle(Outcome.DEFERRED, reply="431")
    await peer.rest()
    peer.clock.advance(MIN_DEFERRED_AGE)
    peer.feed.poll()
    await peer.rest()


# Where articles wait


async def test_without_a_line_articles_go_straight_to_the_backlog(peer):
    await peer.offer(20)
    assert not peer.feed.queue.fresh
    await peer.rest()
    assert peer.spilled() == peer.spilled(Kind.BACKLOG) == list(range(20))
    assert peer.lines.wants


async def test_with_a_line_articles_wait_in_memory_and_wake_it_once(peer):
    peer.up()
    await peer.rest()
    wakes = peer.lines.wakes
    await peer.offer(5)
    await peer.rest()
    assert seqs(peer.feed.queue.fresh) == [0, 1, 2, 3, 4]
    assert not peer.spilled()
    assert peer.lines.wakes == wakes + 1


async def test_the_oldest_half_of_a_full_queue_goes_to_the_backlog(peer):
    peer.up()
    await peer.rest()
    await peer.offer(9)
    await peer.rest()
    assert peer.spilled() == [0, 1, 2, 3]
    assert peer.take() == [4, 5, 6, 7, 8]


async def test_a_lost_line_sends_all_to_the_backlog_in_order(peer):
    peer.up()
    await peer.rest()
    await peer.offer(6)
    peer.take(2)
    peer.down()
    await peer.rest()
    assert peer.spilled() == [0, 1, 2, 3, 4, 5]
    assert peer.feed.ledger.requeued == 2


async def test_what_came_from_the_backlog_goes_back_to_its_own_place(peer):
    await peer.offer(6)
    await peer.rest()
    peer.up()
    await peer.rest()
    await peer.offer(2)
    assert peer.take() == [6, 7]
    assert peer.take(2) == [0, 1]
    peer.give_back()
    assert peer.take() == [6, 7]
    assert peer.take(3) == [0, 1, 2]


async def test_while_neither_memory_nor_redis_takes_more_the_feed_log_is_the_backlog(peer):
    peer.redis.away = True
    peer.backlog.wake()
    peer.up()
    await peer.rest()
    for _ in range(5):
        await peer.offer(10)
        await peer.rest()
    assert not peer.feed.live
    assert len(peer.feed.queue) <= 26
    assert await peer.send_all() == list(range(50))
    assert peer.feed.live


async def test_without_redis_and_without_a_line_nothing_is_held_in_memory(peer):
    peer.redis.away = True
    peer.backlog.wake()
    await peer.rest()
    await peer.offer(8)
    for _ in range(5):
        await peer.offer(10)
        peer.feed.poll()
        await peer.rest()
    assert len(peer.feed.queue) == 8
    assert (peer.feed.ledger.queued, peer.feed.checkpoint) == (58, -1)


async def test_what_overflowed_while_redis_is_away_is_sent_first(peer):
    peer.up()
    await peer.rest()
    peer.redis.away = True
    peer.backlog.wake()
    await peer.rest()
    await peer.offer(12)
    assert peer.take() == [0, 1, 2, 3]
    assert peer.take() == [4, 5, 6, 7, 8, 9, 10, 11]


async def test_nothing_is_handed_out_while_too_much_that_was_put_off_has_no_place(peer):
    peer.up()
    await peer.rest()
    await peer.offer(8)
    peer.take()
    peer.redis.away = True
    peer.backlog.wake()
    await peer.rest()
    peer.settle(Outcome.DEFERRED)
    await peer.offer(1)
    assert peer.backlog.congested
    assert peer.take() == []
    peer.come_back()
    await peer.rest()
    assert peer.take() == [8]


# Who owns them


async def test_the_checkpoint_passes_an_article_only_after_its_final_reply(peer):
    peer.up()
    await peer.rest()
    await peer.offer(3)
    peer.take()
    peer.settle(Outcome.ACCEPTED, [1])
    assert peer.feed.checkpoint == -1
    peer.settle(Outcome.REFUSED, [0])
    assert peer.feed.checkpoint == 1
    peer.settle(Outcome.REJECTED, [2])
    assert peer.feed.checkpoint == 2


@pytest.mark.parametrize("outcome", [None, Outcome.DEFERRED, Outcome.FAILED], ids=["spilled", "deferred", "buried"])
async def test_the_checkpoint_passes_an_article_only_once_redis_has_it_on_disk(outcome):
    peer = OnePeer(limits=GivingUp(failures=1))
    await peer.start()
    peer.redis.lazy = True
    if outcome:
        peer.up()
    await peer.rest()
    await peer.offer(2)
    if outcome:
        peer.take()
        peer.settle(outcome)
    await peer.rest()
    assert peer.spilled() == [0, 1]
    assert peer.feed.checkpoint == -1
    peer.redis.sync()
    peer.feed.poll()
    await peer.rest()
    assert peer.feed.checkpoint == 1
    await peer.close()


async def test_the_checkpoint_passes_articles_of_other_peers(peer):
    await peer.offer(3, ours=False)
    assert peer.feed.checkpoint == 2


async def test_the_checkpoint_stays_before_what_was_not_handed_out(peer):
    peer.redis.away = True
    peer.backlog.wake()
    await peer.rest()
    await peer.offer(8)
    await peer.offer(3, ours=False)
    await peer.offer(2)
    await peer.rest()
    assert peer.feed.checkpoint == -1
    peer.come_back()
    await peer.rest()
    peer.feed.poll()
    await peer.rest()
    assert peer.feed.checkpoint == 12


async def test_what_is_written_and_not_fanned_out_yet_is_not_handed_out_by_the_log(peer):
    await peer.write(3)
    peer.feed.poll()
    await peer.rest()
    assert not peer.spilled()
    assert peer.feed.checkpoint == -1
    peer.fan_out()
    await peer.rest()
    assert peer.spilled() == [0, 1, 2]


@pytest.mark.parametrize(
    ("outcome", "column"),
    [
        (Outcome.ACCEPTED, "accepted"),
        (Outcome.REFUSED, "refused"),
        (Outcome.REJECTED, "rejected"),
        (Outcome.MISSING, "missing"),
    ],
)
async def test_a_final_outcome_gives_the_body_up_and_is_counted(peer, outcome, column):
    peer.up()
    await peer.rest()
    await peer.offer(2)
    peer.take()
    peer.settle(outcome, reply="439 no")
    assert not list(peer.log.owed(peer.number))
    assert len(await peer.flush()) == 2
    ledger = peer.feed.ledger
    assert (ledger.dropped["missing"] if column == "missing" else getattr(ledger, column)) == 2
    assert (ledger.owed, ledger.imbalance) == (0, 0)
    assert peer.outcomes.lines == [(outcome.value, "439 no", [0, 1])]


async def test_a_body_goes_only_after_the_release_is_on_disk(peer):
    peer.up()
    await peer.rest()
    await peer.offer(1)
    peer.take()
    peer.settle(Outcome.ACCEPTED)
    await peer.crash()
    await peer.start()
    assert peer.feed.needs(0)


# What else an outcome does


async def test_a_431_to_takethis_counts_as_rejected_and_is_never_put_off(peer):
    peer.up()
    await peer.rest()
    await peer.offer(1)
    peer.take()
    peer.settle(Outcome.REJECTED, reply="431 not now")
    await peer.rest()
    assert (peer.feed.ledger.rejected, peer.feed.ledger.deferred) == (1, 0)
    assert not peer.spilled()


async def test_what_was_put_off_is_sent_again_in_order_once_it_is_old_enough(peer):
    peer.up()
    await peer.rest()
    await peer.offer(5)
    peer.take()
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    assert peer.spilled(Kind.DEFERRED) == [0, 1, 2, 3, 4]
    peer.clock.advance(MIN_DEFERRED_AGE - 1)
    peer.feed.poll()
    await peer.rest()
    assert peer.take() == []
    peer.clock.advance(1)
    peer.feed.poll()
    assert await peer.send_all() == [0, 1, 2, 3, 4]
    assert peer.feed.ledger.accepted == 5


async def test_an_article_that_fails_too_often_is_given_up_and_the_rest_flows(peer):
    peer.up()
    await peer.rest()
    await peer.offer(3)
    peer.take()
    peer.settle(Outcome.FAILED, [1], "501 what?")
    peer.settle(Outcome.ACCEPTED)
    await peer.rest()
    peer.clock.advance(MIN_DEFERRED_AGE)
    peer.feed.poll()
    await peer.rest()
    assert peer.take() == [1]
    peer.settle(Outcome.FAILED, reply="501 what?")
    await peer.rest()
    assert peer.spilled() == peer.spilled(Kind.DEAD) == [1]
    assert (peer.feed.ledger.accepted, peer.feed.ledger.dead_lettered, peer.feed.ledger.owed) == (2, 1, 0)
    (letter,) = await peer.spool.dead_letters(9)
    assert (letter.reason, letter.tries) == ("501 what?", 2)
    assert peer.feed.needs(1)
    assert ("dead-lettered", "501 what?", [1]) in peer.outcomes.lines


async def test_a_peer_that_fails_at_everything_is_left_alone_and_nothing_is_given_up():
    peer = OnePeer(size=100, limits=GivingUp(failures=1))
    await peer.start()
    peer.up()
    await peer.rest()
    await peer.offer(WRONG_AFTER)
    peer.take()
    peer.settle(Outcome.FAILED, reply="502 go away")
    assert peer.lines.failures == ["the peer answers nothing but errors: 502 go away"]
    await peer.rest()
    assert not peer.spilled(Kind.DEAD)
    assert peer.feed.ledger.deferred == WRONG_AFTER
    await peer.close()


async def test_an_article_that_is_put_off_too_often_is_given_up_where_a_limit_is_set():
    peer = OnePeer(limits=GivingUp(failures=2, deferrals=2))
    await peer.start()
    peer.up()
    await peer.rest()
    await peer.offer(1)
    await put_off_long_ago(peer)
    peer.take()
    peer.settle(Outcome.DEFERRED, reply="431")
    await peer.rest()
    assert peer.spilled() == peer.spilled(Kind.DEAD) == [0]
    await peer.close()


# Limits


@pytest.mark.parametrize(
    ("settings", "column", "reason"),
    [
        (SpoolSettings(limit_bytes=100), "dropped", "limit-bytes"),
        (SpoolSettings(limit_age=60), "expired", "limit-age"),
    ],
)
async def test_what_a_limit_removes_is_counted_by_reason_and_its_body_given_up(peer, settings, column, reason):
    await peer.offer(4)
    await peer.rest()
    peer.clock.advance(61)
    peer.spool.settings = settings
    peer.feed.poll()
    await peer.rest()
    ledger = peer.feed.ledger
    gone = ledger.expired if column == "expired" else ledger.dropped[reason]
    assert gone == 4 - len(peer.spilled()) > 0
    assert list(peer.log.owed(peer.number)) == peer.spilled()
    assert ledger.imbalance == 0
    assert peer.outcomes.lines == [(column, reason, list(range(gone)))]


async def test_a_limit_on_what_was_put_off_is_taken_from_what_is_deferred(peer):
    peer.up()
    await peer.rest()
    await peer.offer(2)
    peer.take()
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    peer.down()
    peer.spool.settings = SpoolSettings(limit_age=60)
    peer.clock.advance(61)
    peer.feed.poll()
    await peer.rest()
    ledger = peer.feed.ledger
    assert (ledger.deferred, ledger.queued, ledger.expired) == (0, 0, 2)


# What it shows


async def test_lines_are_told_how_much_could_be_sent(peer):
    await peer.offer(3)
    peer.feed.poll()
    assert peer.lines.polled[-1] == 3


async def test_lines_are_told_of_what_is_put_off_while_there_is_nothing_else(peer):
    peer.up()
    await peer.rest()
    await peer.offer(1)
    peer.take()
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    peer.feed.poll()
    assert peer.lines.polled[-1] == 1


async def test_the_rate_follows_what_is_settled_a_second(peer):
    peer.up()
    await peer.rest()
    for _ in range(30):
        await peer.offer(7)
        peer.take()
        peer.settle(Outcome.ACCEPTED)
        peer.feed.poll()
    assert peer.feed.rate.per_second == pytest.approx(7, abs=0.1)


async def test_bodies_are_asked_of_those_that_all_peers_share(peer, monkeypatch):
    loaded = []
    bodies = type("Bodies", (), {"load": lambda self, tokens, later: loaded.append((tokens, later))})()
    monkeypatch.setattr(peer.feed, "_shared", replace(peer.feed._shared, bodies=bodies))
    peer.feed.load([1], print)
    assert loaded == [([1], print)]
