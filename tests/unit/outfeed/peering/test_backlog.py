"""A backlog: what is appended, read again, put off and given up, and what happens when Redis does not play along."""

import pytest

from forebay.outfeed.peering import deadletters
from forebay.outfeed.peering.poison import GivingUp
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.token import decode
from forebay.spill import Kind, SpillFullError
from onepeer import MIN_DEFERRED_AGE, OnePeer


async def sending(peer, count):
    """Have so many articles in the backlog, and a line that takes them."""
    await peer.offer(count)
    await peer.rest()
    peer.up()
    await peer.rest()


async def ripen(peer):
    """Let what was put off become old enough."""
    peer.clock.advance(MIN_DEFERRED_AGE)
    peer.feed.poll()
    await peer.rest()


# Reading again


async def test_nothing_is_read_while_no_line_takes_it(peer):
    await peer.offer(3)
    await peer.rest()
    assert peer.spilled(Kind.RESEND) == []
    peer.up()
    await peer.rest()
    assert peer.spilled(Kind.RESEND) == [0, 1, 2]


async def test_at_most_half_a_queue_is_read_at_once(peer):
    await peer.offer(40)
    await peer.rest()
    peer.lines.is_up = True
    peer.backlog.wake()
    await peer.rest()
    assert [token.seq for token in peer.feed.queue.resent] == [0, 1, 2, 3]


async def test_more_is_read_when_the_queue_runs_dry(peer):
    await sending(peer, 40)
    assert await peer.send_all() == list(range(40))


async def test_articles_come_back_in_the_order_in_which_they_came_over_many_segments(peer):
    for _ in range(10):
        await peer.offer(5)
        await peer.rest()
    assert peer.spool.state.segments > 3
    assert await peer.send_all() == list(range(50))


async def test_a_segment_is_deleted_when_its_last_article_is_settled(peer):
    await sending(peer, 4)
    peer.take()
    peer.settle(Outcome.ACCEPTED, [0, 1, 3])
    peer.feed.poll()
    await peer.rest()
    assert peer.spilled() == [2, 3]
    peer.settle(Outcome.ACCEPTED)
    peer.feed.poll()
    await peer.rest()
    assert peer.spool.state.segments == 0


async def test_the_backlog_comes_before_what_was_put_off(peer):
    peer.up()
    await peer.rest()
    await peer.offer(1)
    peer.take()
    peer.settle(Outcome.DEFERRED)
    peer.down()
    await peer.rest()
    await peer.offer(1)
    await peer.rest()
    await ripen(peer)
    assert await peer.send_all() == [1, 0]


async def test_an_entry_that_is_none_is_left_out(peer):
    await peer.offer(1)
    await peer.rest()
    await peer.spool.append(Kind.BACKLOG, [b"no token"])
    assert await peer.send_all() == [0]
    peer.feed.poll()
    await peer.rest()
    assert peer.spool.state.segments == 0


async def test_an_article_that_the_peer_has_by_now_is_left_out(peer):
    await peer.offer(2)
    await peer.rest()
    tokens, _ = peer.log.read(0, 9, peer.number)
    peer.log.release(peer.number, tokens[:1])
    assert await peer.send_all() == [1]


# Putting off and giving up


async def test_what_is_put_off_out_of_the_backlog_moves_in_one_command(peer):
    await sending(peer, 3)
    peer.take()
    peer.spool.commands.clear()
    peer.settle(Outcome.DEFERRED, [1], "431")
    await peer.rest()
    assert "append" not in peer.spool.commands
    assert peer.spilled(Kind.DEFERRED) == [1]
    assert peer.spilled(Kind.RESEND) == [0, 2]
    assert [decode(entry.data).tries for _, entries in peer.spool.streams.seen()[1:2] for entry in entries] == [1]
    assert peer.feed.ledger.deferred == 1


async def test_what_is_given_up_out_of_the_backlog_moves_in_one_command():
    peer = OnePeer(limits=GivingUp(failures=1))
    await peer.start()
    await peer.rest()
    await sending(peer, 3)
    peer.take()
    peer.settle(Outcome.FAILED, [1], "501 bad")
    await peer.rest()
    assert peer.spilled(Kind.DEAD) == [1]
    assert peer.spilled(Kind.RESEND) == [0, 2]
    assert peer.feed.needs(1)
    await peer.close()


async def test_all_that_had_to_be_written_can_be_waited_for(peer):
    peer.redis.lazy = True
    await peer.offer(2)
    waiting = peer.tasks[0].get_loop().create_task(peer.backlog.settled())
    await peer.rest()
    assert not waiting.done()
    peer.redis.sync()
    peer.feed.poll()
    await waiting
    assert peer.spilled() == [0, 1]


# Redis is full


async def test_a_full_redis_keeps_what_it_took_and_memory_keeps_the_rest(peer):
    peer.redis.room = 3
    await peer.offer(5)
    await peer.rest()
    assert peer.spilled() == [0, 1, 2]
    assert [token.seq for token in peer.feed.queue.spilling] == [3, 4]
    assert isinstance(peer.backlog.trouble, SpillFullError)
    assert peer.feed.checkpoint == 2


async def test_a_full_redis_is_drained_all_the_same(peer):
    peer.redis.room = 3
    await peer.offer(3)
    await peer.rest()
    await peer.offer(2)
    await peer.rest()
    peer.up()
    await peer.rest()
    assert peer.take() == [3, 4]
    peer.settle(Outcome.ACCEPTED)
    assert await peer.send_all() == [0, 1, 2]


async def test_appending_goes_on_when_redis_has_room_again(peer):
    peer.redis.room = 0
    await peer.offer(2)
    await peer.rest()
    peer.come_back()
    await peer.rest()
    assert peer.spilled() == [0, 1]
    assert peer.backlog.writable


async def test_a_full_redis_still_takes_what_moves_out_of_the_backlog(peer):
    await sending(peer, 2)
    peer.take()
    peer.redis.room = 0
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    assert peer.spilled(Kind.DEFERRED) == [0, 1]


# Redis leaves


async def test_what_could_not_be_written_is_written_once_redis_is_back(peer):
    peer.redis.away = True
    await peer.offer(3)
    await peer.rest()
    assert not peer.backlog.writable
    assert peer.feed.checkpoint == -1
    peer.come_back()
    await peer.rest()
    assert peer.spilled() == [0, 1, 2]
    assert peer.feed.checkpoint == 2


@pytest.mark.parametrize("outcome", [None, Outcome.DEFERRED], ids=["spilled", "put off"])
async def test_an_article_whose_append_was_not_answered_is_sent_once(peer, outcome):
    if outcome:
        peer.up()
        await peer.rest()
    await peer.offer(2)
    if outcome:
        peer.take()
        peer.settle(outcome)
    peer.redis.mute = 1
    await peer.rest()
    peer.come_back()
    await peer.rest()
    assert peer.spilled() == [0, 1, 0, 1]
    await ripen(peer)
    assert await peer.send_all() == [0, 1]
    assert (peer.feed.ledger.accepted, peer.feed.ledger.owed) == (2, 0)


async def test_what_is_in_flight_when_the_spool_is_taken_over_anew_keeps_its_place(peer):
    await sending(peer, 3)
    assert peer.take(2) == [0, 1]
    peer.spool.lose_lease()
    peer.backlog.wake()
    await peer.rest()
    peer.feed.poll()
    await peer.rest()
    peer.settle(Outcome.ACCEPTED)
    assert await peer.send_all() == [2]
    assert peer.spilled() == []


async def test_what_is_in_flight_when_redis_is_restarted_is_not_sent_again(peer):
    await sending(peer, 3)
    assert peer.take(2) == [0, 1]
    peer.redis.restart(lost="everything")
    peer.come_back()
    await peer.rest()
    assert peer.spilled() == [2]
    peer.give_back([1])
    peer.settle(Outcome.ACCEPTED)
    assert sorted(await peer.send_all()) == [1, 2]


async def test_a_lost_entry_that_is_put_off_meanwhile_is_put_off_afresh(peer):
    await sending(peer, 2)
    peer.take()
    peer.redis.restart(lost="everything")
    peer.come_back()
    await peer.rest()
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    assert peer.spilled() == peer.spilled(Kind.DEFERRED) == [0, 1]


async def test_what_was_put_off_of_both_origins_survives_an_append_that_fails(peer):
    await sending(peer, 1)
    await peer.offer(1)
    peer.take()
    peer.take()
    assert sorted(peer.in_flight) == [0, 1]
    peer.redis.away = True
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    assert peer.backlog.put_off == 2
    peer.come_back()
    await peer.rest()
    await ripen(peer)
    assert sorted(await peer.send_all()) == [0, 1]


async def test_what_a_full_redis_took_is_kept_when_redis_leaves_at_once(peer):
    peer.redis.room = 1
    append = peer.spool.append

    async def append_and_leave(kind, entries):
        try:
            return await append(kind, entries)
        finally:
            peer.redis.away = True

    peer.spool.append = append_and_leave
    await peer.offer(3)
    await peer.rest()
    peer.spool.append = append
    peer.come_back()
    await peer.rest()
    assert sorted(await peer.send_all()) == [0, 1, 2]


async def test_redis_that_has_room_again_at_once_is_used_again(peer):
    peer.redis.room = 0
    append = peer.spool.append

    async def append_and_make_room(kind, entries):
        try:
            return await append(kind, entries)
        finally:
            peer.tasks[0].get_loop().call_soon(peer.come_back)

    peer.spool.append = append_and_make_room
    await peer.offer(1)
    await peer.rest()
    assert peer.backlog.writable
    assert peer.spilled() == [0]


async def test_what_is_given_up_stays_given_up_when_the_spool_is_lost_before_it_was_moved():
    peer = OnePeer(limits=GivingUp(failures=1))
    await peer.start()
    await peer.rest()
    await sending(peer, 1)
    peer.take()
    peer.spool.lose_lease()
    peer.settle(Outcome.FAILED, reply="501 bad")
    await peer.rest()
    peer.feed.poll()
    await peer.rest()
    assert peer.take() == []
    assert peer.spilled() == peer.spilled(Kind.DEAD) == [0]
    await peer.close()


async def test_what_is_put_off_stays_put_off_when_the_spool_is_lost_before_it_was_moved(peer):
    await sending(peer, 1)
    peer.take()
    peer.spool.lose_lease()
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    peer.feed.poll()
    await peer.rest()
    assert peer.take() == []
    await ripen(peer)
    assert peer.take() == [0]


async def test_a_letter_whose_append_was_not_answered_is_replayed_as_one_article():
    peer = OnePeer(limits=GivingUp(failures=1))
    await peer.start()
    peer.up()
    await peer.rest()
    await peer.offer(1)
    peer.take()
    peer.settle(Outcome.FAILED, reply="501 bad")
    peer.redis.mute = 1
    await peer.rest()
    peer.come_back()
    await peer.rest()
    await deadletters.replay(peer, deadletters.Choice())
    assert peer.feed.ledger.dead_kept == 0
    assert await peer.send_all() == [0]
    assert peer.feed.ledger.owed == 0
    await peer.close()


async def test_doubt_about_the_disk_of_redis_does_not_end_the_backlog(peer):
    peer.redis.lazy = True
    await peer.offer(1)
    await peer.rest()
    peer.redis.fail_sync()
    peer.redis.lazy = False
    peer.backlog.wake()
    await peer.rest()
    peer.come_back()
    await peer.rest()
    assert peer.backlog.writable
    assert await peer.send_all() == [0]


async def test_a_limit_does_not_drop_what_is_in_memory_as_well(peer):
    await peer.offer(1)
    peer.redis.mute = 1
    await peer.rest()
    assert (peer.spilled(), [token.seq for token in peer.feed.queue.spilling]) == ([0], [0])
    peer.up()
    assert peer.take() == [0]
    peer.come_back()
    peer.clock.advance(61)
    peer.spool.settings = peer.spool.settings.__class__(limit_age=60)
    await peer.rest()
    peer.settle(Outcome.ACCEPTED)
    ledger = peer.feed.ledger
    assert (ledger.accepted, ledger.expired, ledger.queued) == (1, 0, 0)
