"""Jobs for which the queue has no room wait in Redis, and come back in their order."""

import pytest

from eventually import eventually
from forebay.announcer.announce import Event
from forebay.announcer.forwarding.refusal import Refusal, Why
from forwardings import ANSWER, failure, spec
from keptjobs import life, loaded, name

STREAM = "forebay:{announcer/uid/overflow}:"


async def full(alive, extra=5):
    """Fill the queue, and let some more jobs wait; all torrents in their order."""
    await eventually(loaded(alive))
    torrents = [f"t{number:05}" for number in range(alive.settings.queue_size + extra)]
    for torrent in torrents:
        assert alive.announced(torrent, initial=True) is None
        alive.clock.advance(0.001)
    await stored(alive, extra)
    return torrents


async def stored(alive, jobs):
    """Until so many wait, and all is written."""
    await eventually(lambda: alive.keeper.spilled == jobs)
    await alive.keeper.settle()


async def work(alive, jobs, outcome=ANSWER):
    """Carry out so many jobs, as they come; their torrents."""
    done = []
    while len(done) < jobs:
        job = await eventually(alive.take)
        alive.core.done(job, outcome, alive.now)
        done.append(name(job))
    return done


async def test_only_what_redis_has_confirmed_is_counted(valkey, clock):
    """Whoever sees a job counted may kill the process: it comes back."""
    async with life(valkey.url, clock, overflow=True, clean=False, queue_size=1, **QUICK) as first:
        await eventually(loaded(first))
        for number in range(50):
            first.announced(f"t{number:05}", initial=True)
        assert first.keeper.spilled == 0
        counted = await eventually(lambda: first.keeper.spilled)
        streams = await valkey.command("KEYS", f"{STREAM}B:*")
        assert counted <= sum([await valkey.command("XLEN", stream) for stream in streams])


QUICK = {"rate_limit_burst": 100_000, "throttle_threshold": 100}


async def test_jobs_beyond_the_queue_wait_and_come_back_in_order(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive, extra=1500)
        assert alive.core.jobs.queue.depth == 20
        assert await work(alive, len(torrents)) == torrents
        assert alive.keeper.spilled == 0
        counters = alive.core.jobs.counters
        assert (counters.refused_full, counters.dropped_full) == (0, 0)
        assert await eventually(lambda: nothing_left(valkey))


async def nothing_left(valkey):
    streams = [key for key in await valkey.command("KEYS", f"{STREAM}*") if not key.endswith((b":meta", b":fence"))]
    return not streams and not await valkey.command("EXISTS", "forebay:{announcer/uid/jobs}:T")


async def test_later_jobs_wait_behind_those_that_wait(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive, extra=2)
        # There is room, but too little to read on.
        alive.core.done(alive.take(), ANSWER, alive.now)
        alive.announced("last")
        assert alive.core.jobs.queue.depth == 19
        assert await work(alive, 22) == [*torrents[1:], "last"]


@pytest.mark.parametrize("clean", [True, False], ids=["stopped", "killed"])
async def test_what_waits_is_there_after_a_restart_behind_what_was_queued(valkey, clock, clean):
    async with life(valkey.url, clock, overflow=True, clean=clean, queue_size=20, **QUICK) as first:
        torrents = await full(first, extra=30)
        assert await work(first, 7) == torrents[:7]
        await first.keeper.settle()
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as second:
        assert await work(second, 43) == torrents[7:]
        assert second.take() is None


async def test_at_most_what_is_in_flight_comes_back_twice(valkey, clock):
    async with life(valkey.url, clock, overflow=True, clean=False, queue_size=20, **QUICK) as first:
        torrents = await full(first, extra=60)
        assert await work(first, 45) == torrents[:45]
        await first.keeper.settle()
        assert name(await eventually(first.take)) == torrents[45]
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as second:
        assert await work(second, 35) == torrents[45:]
        assert second.take() is None


async def test_it_drains_when_it_is_switched_off(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive)
        alive.keeper.overflow = False
        assert alive.announced("new", initial=True) == Refusal(Why.QUEUE_FULL, 300)
        assert await work(alive, 25) == torrents


async def test_it_drains_when_it_was_switched_off_before_the_start(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as first:
        torrents = await full(first)
    async with life(valkey.url, clock, queue_size=20, **QUICK) as second:
        assert await work(second, 25) == torrents


async def test_without_overflow_the_drop_rules_hold(valkey, clock):
    async with life(valkey.url, clock, queue_size=20, **QUICK) as alive:
        await eventually(loaded(alive))
        for number in range(20):
            alive.announced(f"t{number}")
        assert alive.announced("first", initial=True) == Refusal(Why.QUEUE_FULL, 300)
        assert alive.announced("again") is None
        assert alive.core.jobs.counters.dropped_full == 1
        assert alive.keeper.spilled == 0


async def test_a_client_that_stops_meanwhile_is_not_announced(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive, extra=3)
        alive.announced(torrents[21], event=Event.STOPPED)
        assert await work(alive, 22) == torrents[:21] + torrents[22:]
        assert alive.core.jobs.counters.cancelled == 1


async def test_a_client_that_comes_again_after_it_stopped_is_announced(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive, extra=1)
        alive.announced(torrents[20], event=Event.STOPPED)
        clock.advance(1)
        alive.announced(torrents[20], event=Event.STARTED)
        alive.announced(torrents[20])
        assert await work(alive, 21) == torrents
        assert alive.take() is None


async def test_the_same_announce_waits_once(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive, extra=1)
        alive.announced(torrents[20])
        await alive.keeper.settle()
        assert alive.keeper.spilled == 1


async def test_what_was_told_by_another_client_meanwhile_is_not_told_again(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive, extra=1)
        forwarder = alive.core.forwarders.get("f0")
        alive.core.eligibility.told(b"t00020".ljust(20, b"."), b"other", forwarder, alive.now + 1800, alive.now)
        assert await work(alive, 20) == torrents[:20]
        await eventually(lambda: alive.keeper.spilled == 0)
        assert alive.take() is None


async def test_jobs_of_a_forwarder_that_has_changed_are_dropped_as_they_come(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        await full(alive)
        alive.specs = [spec("f0", "http://other.example/announce")]
        alive.configure()
        await eventually(lambda: alive.keeper.spilled == 0)
        assert alive.core.jobs.pending.count == 0


async def test_retries_are_put_off_by_ten_seconds_as_ever(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        await eventually(loaded(alive))
        alive.announced("retried")
        alive.core.done(alive.take(), failure(wait=60.0), alive.now)
        await full(alive, extra=1)
        clock.advance(60)
        alive.core.tick(alive.now)
        assert ("retried", 10.0) in alive.scheduled()


async def test_redis_away_means_the_drop_rules_and_what_waits_stays(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive)
        await valkey.stop()
        await eventually(lambda: not alive.core.overflow.is_open)
        assert alive.announced("first", initial=True) == Refusal(Why.QUEUE_FULL, 300)
        await valkey.start()
        await eventually(loaded(alive))
        assert await work(alive, 25) == torrents


async def test_redis_full_means_the_drop_rules(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive)
        await valkey.command("CONFIG", "SET", "maxmemory", "1")
        alive.announced("none")
        await eventually(lambda: not alive.core.overflow.is_open)
        assert alive.announced("first", initial=True) == Refusal(Why.QUEUE_FULL, 300)
        await valkey.command("CONFIG", "SET", "maxmemory", "0")
        await eventually(loaded(alive))
        assert await work(alive, 26) == [*torrents, "none"]


async def test_a_damaged_entry_is_passed_over(valkey, clock):
    async with life(valkey.url, clock, overflow=True, queue_size=20, **QUICK) as alive:
        torrents = await full(alive, extra=1)
        await valkey.command("XADD", f"{STREAM}B:1", "*", "e", "nonsense")
        assert await work(alive, 21) == torrents
        await eventually(lambda: alive.keeper.spilled == 0)
