"""A peer as a whole: started, paused, changed, flushed, stopped and forgotten."""

import asyncio
from types import SimpleNamespace

import pytest

from fakeclock import FakeClock, settle
from feedlogs import SETTINGS, end, record
from forebay.outfeed.log.feedlog import FeedLog
from forebay.outfeed.masterfeed import Front
from forebay.outfeed.peering.flow import Shared
from forebay.outfeed.peering.peer import LINE_GRACE, PAUSED_BY_CALL, PAUSED_BY_SPEC, Peer
from forebay.outfeed.peering.poison import GivingUp
from forebay.outfeed.sending.feed import Outcome
from forebay.runtime.tasks import Supervisor
from forebay.spill import Kind, SpillFullError, SpillUnavailableError
from manifests import peer_options
from memoryspool import MemoryRedis, MemorySpill
from onepeer import IDLE, Outcomes
from powerloss import PowerLossDisk


@pytest.fixture
async def house(made):
    """What a peer lives in."""
    clock = FakeClock()
    log = FeedLog.open(PowerLossDisk(), SETTINGS)
    house = SimpleNamespace(
        clock=clock,
        log=log,
        number=await log.add_peer(peer_options().uid),
        front=Front(0),
        outcomes=Outcomes(),
        spill=MemorySpill(MemoryRedis(clock)),
        tasks=Supervisor(clock),
    )
    house.shared = Shared(log, house.front, None, house.outcomes, lambda: int(clock.wall() * 1000))
    yield house
    await house.tasks.close()
    await end(log)


def new_peer(house, **spec):
    return Peer(peer_options(**spec), house.number, house.shared, house.spill, house.clock)


@pytest.fixture
async def peer(house):
    peer = new_peer(house)
    peer.start(house.tasks)
    await settle(IDLE)
    peer.feed.poll()
    await settle(IDLE)
    return peer


async def offer(house, peer, count):
    first = await house.log.append([record(number, 1 << house.number) for number in range(count)])
    house.front.head = house.log.head
    peer.feed.offer(house.log.read(first, count, house.number)[0])
    await settle(IDLE)


def spilled(house, *kinds):
    (streams,) = house.spill.redis.owners.values()
    return sum(len(entries) for kind, entries in streams.seen() if not kinds or kind in kinds)


async def test_a_started_peer_is_dialled_and_takes_its_spool_over(peer, made):
    assert made.last.place == ("peer.example", 119)
    assert peer.custodian.audited
    assert peer.backlog.writable


async def test_articles_go_from_the_log_to_a_connection(house, peer, made):
    made.last.open()
    await offer(house, peer, 3)
    tokens = made.last.feed.take(10)
    assert [token.seq for token in tokens] == [0, 1, 2]
    made.last.feed.settle(Outcome.ACCEPTED, tokens, "239")
    assert peer.feed.checkpoint == 2


async def test_a_pause_by_a_call_ends_the_lines_and_resume_opens_them_again(house, peer, made):
    made.last.open()
    peer.pause()
    assert (made.last.ended, made.last.grace) == (PAUSED_BY_CALL, LINE_GRACE)
    await offer(house, peer, 1)
    peer.feed.poll()
    assert len(made.made) == 1
    assert spilled(house) == 1
    peer.resume()
    peer.feed.poll()
    assert len(made.made) == 2


async def test_a_peer_that_is_paused_by_its_spec_is_never_dialled(house, made):
    peer = new_peer(house, pause=True)
    peer.start(house.tasks)
    await settle(IDLE)
    assert peer.lines.held == PAUSED_BY_SPEC
    assert not made.made


async def test_resume_does_not_end_a_pause_of_the_spec(house, peer):
    peer.pause()
    peer.change(peer_options(pause=True))
    assert peer.lines.held == PAUSED_BY_SPEC
    peer.resume()
    assert peer.lines.held == PAUSED_BY_SPEC
    peer.change(peer_options())
    assert not peer.lines.held


async def test_a_change_of_the_spec_does_not_end_a_pause_by_a_call(peer):
    peer.pause()
    peer.change(peer_options(window=5))
    assert peer.lines.held == PAUSED_BY_CALL


async def test_a_change_reaches_every_part(peer, made):
    made.last.open()
    changed = peer_options(
        window=5,
        queue={"size": 30, "spillFraction": 0.2},
        deadLetter={"maxTries": 9},
        deferral={"maxTries": 8, "minAge": "50s"},
        backlog={"rotateBytes": "1MB"},
    )
    peer.change(changed)
    assert (peer.feed.queue.size, peer.feed.queue.spill_fraction) == (30, 0.2)
    assert peer.feed.poison.limits == GivingUp(9, 8)
    assert peer.backlog.rest.first == 50
    assert peer.spool.settings.rotate_bytes == 1_000_000
    assert peer.lines.settings.connection.window == 5
    assert made.last.ended


async def test_a_change_of_the_queue_alone_leaves_the_lines_open(peer, made):
    made.last.open()
    peer.change(peer_options(queue={"size": 30}))
    assert not made.last.ended


async def test_room_on_redis_ends_the_trouble_of_a_full_one(peer):
    peer.backlog.trouble = SpillFullError("full")
    peer.come_back()
    assert peer.backlog.trouble is None


async def test_a_redis_that_is_back_is_taken_over_before_it_is_used(peer):
    peer.backlog.trouble = SpillUnavailableError("away")
    peer.come_back()
    assert peer.backlog.trouble


async def test_a_flush_moves_what_is_in_memory_to_redis(house, peer, made):
    made.last.open(room=0)
    await offer(house, peer, 3)
    assert spilled(house) == 0
    assert await peer.flush() == 3
    assert spilled(house) == 3


async def test_a_flush_returns_when_it_is_on_the_disk_of_redis(house, peer, made):
    house.spill.redis.lazy = True
    made.last.open(room=0)
    await offer(house, peer, 3)
    flush = asyncio.ensure_future(peer.flush())
    await settle(IDLE)
    assert not flush.done()
    house.spill.redis.sync()
    peer.feed.poll()
    assert await flush == 3


async def test_a_stop_waits_for_what_is_in_flight_and_leaves_the_rest_on_redis(house, peer, made):
    made.last.open()
    await offer(house, peer, 5)
    tokens = made.last.feed.take(2)
    made.last.unanswered = 2
    stop = asyncio.ensure_future(peer.stop(5.0))
    await settle(IDLE)
    assert not stop.done()
    made.last.feed.settle(Outcome.ACCEPTED, tokens, "239")
    made.last.end("the service stops")
    await stop
    assert spilled(house) == 3
    assert peer.feed.checkpoint == 4
    (streams,) = house.spill.redis.owners.values()
    assert streams.lease is None


async def test_a_stop_leaves_what_was_put_off_on_redis(house, peer, made):
    made.last.open()
    await offer(house, peer, 3)
    made.last.feed.settle(Outcome.DEFERRED, made.last.feed.take(3), "431")
    await peer.stop(5.0)
    assert spilled(house, Kind.DEFERRED) == 3
    assert peer.feed.checkpoint == 2


async def test_a_stop_without_redis_leaves_the_rest_to_the_feed_log(house, peer):
    house.spill.redis.away = True
    await offer(house, peer, 3)
    await peer.stop(5.0)
    assert peer.feed.checkpoint == -1
    assert list(house.log.owed(house.number)) == [0, 1, 2]


async def test_a_stop_does_not_wait_for_a_full_redis_for_ever(house, peer, made):
    made.last.open(room=0)
    await offer(house, peer, 3)
    house.spill.redis.room = 0
    await peer.stop(0.01)
    assert peer.feed.checkpoint == -1


async def test_a_forgotten_peer_is_cut_off_and_its_streams_are_deleted(house, peer, made):
    await offer(house, peer, 3)
    made.last.open()
    made.last.unanswered = 1
    await peer.forget()
    assert (made.last.ended, made.last.grace) == ("the peer was deleted", 0)
    assert not house.spill.redis.owners


async def test_a_peer_can_be_forgotten_without_redis(house, peer):
    house.spill.redis.away = True
    await peer.forget()
    assert house.spill.redis.owners


async def test_a_peer_without_a_backlog_has_nothing_flushed(house):
    peer = new_peer(house, backlog={"enabled": False})
    peer.start(house.tasks)
    await settle(IDLE)
    await offer(house, peer, 3)
    assert await peer.flush() == 0
    assert len(peer.feed.queue) == 3


async def test_outside_its_hours_a_peer_is_held_and_its_articles_are_kept(house, made):
    # The clock begins on 14 November 2023, a Tuesday, at 22:13:20 UTC.
    peer = new_peer(house, hours={"windows": [{"days": ["Tue"], "start": "23:00", "end": "01:00"}]})
    peer.start(house.tasks)
    await settle(IDLE)
    assert peer.lines.held == "it is not the time of spec.hours"
    assert not made.made
    house.clock.advance(3600)
    peer.poll()
    await offer(house, peer, 1)
    await settle(IDLE)
    assert peer.lines.held == ""
    assert len(made.made) == 1
    made.last.open()
    house.clock.advance(2 * 3600)
    peer.poll()
    assert made.last.ended == "it is not the time of spec.hours"


async def test_a_pause_counts_more_than_the_hours(house, made):
    peer = new_peer(house, pause=True, hours={"windows": [{"start": "22:00", "end": "23:00"}]})
    peer.start(house.tasks)
    assert peer.lines.held == "spec.pause is set"
    peer.poll()
    assert peer.lines.held == "spec.pause is set"


async def test_a_peer_that_stops_stays_stopped_while_it_is_polled(house, made):
    peer = new_peer(house)
    peer.start(house.tasks)
    await settle(IDLE)
    made.last.open()
    made.last.unanswered = 1
    stopping = house.tasks.spawn("stop", lambda: peer.stop(5))
    await settle()
    peer.poll()
    assert peer.lines.held == "the service stops"
    made.last.unanswered = 0
    made.last.end("the service stops")
    await stopping
    assert len(made.made) == 1
