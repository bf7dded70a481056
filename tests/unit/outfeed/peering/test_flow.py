"""How articles flow through a peerfeed: delayed, behind the backlog, without one, put off for longer and longer."""

import asyncio
from dataclasses import replace

import pytest

from forebay.outfeed.peering.deferralrest import DeferralRest
from forebay.outfeed.peering.flow import FlowSettings
from forebay.outfeed.peering.poison import GivingUp, PoisonTest
from forebay.outfeed.sending.feed import Outcome
from forebay.spill import Kind
from onepeer import MIN_DEFERRED_AGE, OnePeer
from recordingfeed import tokens


@pytest.fixture
async def make():
    """Start peers of which all has settled."""
    made = []

    async def start(**options):
        peer = OnePeer(**options)
        made.append(peer)
        await peer.start()
        await pass_second(peer)
        return peer

    yield start
    for peer in made:
        await peer.close()


async def pass_second(peer, seconds=0):
    peer.clock.advance(seconds)
    await peer.rest()
    peer.feed.poll()
    await peer.rest()


# Delay. Article n arrives n milliseconds after the clock's beginning.


async def test_an_article_rests_until_its_time_has_come(make):
    peer = await make(flow=FlowSettings(delay=60))
    peer.up()
    await peer.offer(5)
    await pass_second(peer, 59)
    assert peer.take() == []
    assert peer.lines.polled[-1] == 0, "nothing to send now, so no line is needed"
    assert peer.feed.ledger.queued == 5
    await pass_second(peer, 1.1)
    assert peer.take() == [0, 1, 2, 3, 4]


async def test_each_article_rests_by_itself(make):
    peer = await make(flow=FlowSettings(delay=0.010), size=100)
    peer.up()
    await peer.offer(10)
    await pass_second(peer, 0.0145)
    assert peer.take() == [0, 1, 2, 3, 4]
    assert peer.lines.polled[-1] == 0 + 5
    await pass_second(peer, 1)
    assert peer.take() == [5, 6, 7, 8, 9]


async def test_what_rests_is_neither_in_memory_nor_on_redis_and_outlasts_a_crash(make):
    peer = await make(flow=FlowSettings(delay=60))
    await peer.offer(30)
    await peer.rest()
    assert (len(peer.feed.queue), peer.spilled()) == (0, [])
    await peer.flush()
    await peer.crash()
    await peer.start()
    await pass_second(peer, 30)
    assert peer.spilled() == []
    await pass_second(peer, 31)
    assert await peer.send_all() == list(range(30))


async def test_without_a_line_articles_go_to_the_backlog_after_their_rest(make):
    peer = await make(flow=FlowSettings(delay=60))
    await peer.offer(5)
    await pass_second(peer, 61)
    assert peer.spilled() == [0, 1, 2, 3, 4]
    assert peer.lines.wants


async def test_a_delay_that_is_taken_back_lets_articles_go_at_once(make):
    peer = await make(flow=FlowSettings(delay=3600))
    peer.up()
    await peer.offer(5)
    await peer.rest()
    peer.feed.flow = FlowSettings()
    await peer.rest()
    assert peer.take() == [0, 1, 2, 3, 4]
    assert peer.feed.live


async def test_a_delay_that_is_set_holds_what_comes_from_then_on(make):
    peer = await make()
    peer.up()
    await peer.offer(2)
    peer.feed.flow = FlowSettings(delay=60)
    await peer.offer(2)
    await peer.rest()
    assert peer.take() == [0, 1]
    await pass_second(peer, 61)
    assert peer.take() == [2, 3]


# The backlog first


async def test_what_comes_in_queues_up_behind_the_backlog(make):
    peer = await make(flow=FlowSettings(backlog_first=True), size=100)
    await peer.offer(6)
    await peer.rest()
    peer.up()
    await peer.offer(3)
    await peer.rest()
    assert await peer.send_all() == list(range(9))


async def test_nothing_overtakes_what_is_being_written_to_the_backlog(make, monkeypatch):
    peer = await make(flow=FlowSettings(backlog_first=True), size=100)
    await peer.offer(2)
    peer.up()
    await peer.rest()
    written, append = asyncio.Event(), peer.spool.append

    async def slow(*arguments):
        await written.wait()
        return await append(*arguments)

    monkeypatch.setattr(peer.spool, "append", slow)
    await peer.offer(1)
    await peer.rest()
    assert peer.take() == [0, 1]
    await peer.offer(1)
    assert peer.take() == []
    written.set()
    peer.settle(Outcome.ACCEPTED)
    await peer.rest()
    assert await peer.send_all() == [2, 3]


async def test_once_the_backlog_is_gone_articles_go_from_memory_again(make):
    peer = await make(flow=FlowSettings(backlog_first=True), size=100)
    await peer.offer(6)
    await peer.rest()
    await peer.send_all()
    await pass_second(peer)
    await peer.offer(3)
    assert len(peer.feed.queue.fresh) == 3
    assert peer.take() == [6, 7, 8]


async def test_order_is_kept_over_lost_lines(make):
    peer = await make(flow=FlowSettings(backlog_first=True), size=6)
    sent = []
    for _ in range(10):
        await peer.offer(4)
        await peer.rest()
        peer.up()
        await peer.rest()
        taken = peer.take(5)
        peer.settle(Outcome.ACCEPTED, taken[:3])
        sent += taken[:3]
        peer.down()
        await peer.rest()
    sent += await peer.send_all()
    assert sent == list(range(40))


# No backlog


async def test_without_a_backlog_what_memory_cannot_take_is_dropped_and_counted(make):
    peer = await make(flow=FlowSettings(keeps_backlog=False), size=8)
    await peer.offer(20)
    await peer.rest()
    ledger = peer.feed.ledger
    assert peer.spilled() == []
    assert ledger.dropped == {"no-backlog": 20 - len(peer.feed.queue)}
    assert (ledger.imbalance, ledger.queued) == (0, len(peer.feed.queue))
    assert peer.log.count_owed(peer.number) == len(peer.feed.queue)
    assert ("dropped", "no-backlog") in [line[:2] for line in peer.outcomes.lines]
    sent = await peer.send_all()
    assert sent == list(range(20 - len(sent), 20)), "the newest are kept"
    assert len(sent) >= 4


async def test_without_a_backlog_a_lost_line_leaves_articles_in_memory(make):
    peer = await make(flow=FlowSettings(keeps_backlog=False))
    peer.up()
    await peer.offer(4)
    peer.take(2)
    peer.down()
    await peer.rest()
    assert peer.spilled() == []
    assert await peer.send_all() == [0, 1, 2, 3]


async def test_without_a_backlog_what_was_put_off_rests_on_redis_all_the_same(make):
    peer = await make(flow=FlowSettings(keeps_backlog=False))
    peer.up()
    await peer.offer(2)
    peer.take()
    peer.settle(Outcome.DEFERRED, reply="431")
    await peer.rest()
    assert peer.spilled(Kind.DEFERRED) == [0, 1]


async def test_without_a_backlog_a_restart_finds_what_was_in_memory(make):
    peer = await make(flow=FlowSettings(keeps_backlog=False))
    await peer.offer(4)
    await peer.flush()
    await peer.crash()
    await peer.start()
    await pass_second(peer)
    assert await peer.send_all() == [0, 1, 2, 3]


# Deferral


@pytest.mark.parametrize(
    ("tries", "seconds"), [(0, 30), (1, 30), (2, 60), (3, 120), (4, 200), (100, 200), (65_535, 200)]
)
def test_the_rest_grows_up_to_a_bound(tries, seconds):
    assert DeferralRest(30, 2, 200).after(tries) == seconds


def test_the_rest_is_never_shorter_than_the_first():
    assert DeferralRest(30, 2, 10).after(5) == 30


async def test_what_is_put_off_again_rests_longer(make):
    peer = await make(deferral=DeferralRest(MIN_DEFERRED_AGE, 2, 3600))
    peer.up()
    await peer.offer(2)
    for rest in (MIN_DEFERRED_AGE, 2 * MIN_DEFERRED_AGE, 4 * MIN_DEFERRED_AGE):
        assert peer.take() == [0, 1]
        peer.settle(Outcome.DEFERRED, reply="431")
        await pass_second(peer, 0)
        await pass_second(peer, rest - 1)
        assert peer.take() == []
        await pass_second(peer, 2)


async def test_an_article_that_is_put_off_when_it_is_old_is_given_up(make):
    peer = await make(limits=GivingUp(deferral_age=10))
    peer.up()
    await peer.offer(2)
    peer.take()
    peer.settle(Outcome.DEFERRED, [0], reply="431")
    peer.clock.advance(11)
    peer.settle(Outcome.DEFERRED, [1], reply="431")
    await peer.rest()
    assert (peer.spilled(Kind.DEFERRED), peer.spilled(Kind.DEAD)) == ([0], [1])


def test_age_and_tries_both_give_up():
    poison = PoisonTest(GivingUp(deferrals=2, deferral_age=10))
    fresh, tried, old = (token._replace(arrival=5000) for token in tokens(3))
    again, given_up = poison.deferred([fresh, tried._replace(tries=1), old._replace(arrival=0)], now=10_001)
    assert [token.seq for token in again] == [0]
    assert [token.seq for token in given_up] == [1, 2]


# A most a second


async def test_no_more_articles_go_than_a_second_allows(make):
    peer = await make(flow=FlowSettings(rate=3), size=100)
    peer.up()
    await peer.offer(10)
    assert peer.take() == []
    await pass_second(peer, 1)
    assert peer.take() == [0, 1, 2]
    assert peer.take() == []
    await pass_second(peer, 1)
    assert peer.take(2) == [3, 4]
    assert peer.take() == [5]


async def test_the_rate_may_be_changed(make):
    peer = await make(flow=FlowSettings(rate=3), size=100)
    peer.up()
    await peer.offer(10)
    peer.feed.flow = FlowSettings()
    assert len(peer.take()) == 10


# Headers alone


async def test_bodies_stay_here_where_only_headers_are_wished(make):
    wire = b"A: b\r\n\r\ntext\r\n.\r\n"

    class Bodies:
        def load(self, tokens, later):
            if tokens == ["cold"]:
                later([wire])
                return None
            return [wire, None]

    peer = await make(flow=FlowSettings(headers_only=True))
    peer.feed._shared = replace(peer.feed._shared, bodies=Bodies())
    loaded = []
    assert peer.feed.load(["cold"], loaded.append) is None
    assert loaded == [[b"A: b\r\nBytes: 17\r\n\r\n.\r\n"]]
    assert peer.feed.load([1, 2], print) == [b"A: b\r\nBytes: 17\r\n\r\n.\r\n", None]
