"""Jobs outlive the process: queued, scheduled and in flight; what is done does not come back."""

import pytest

from eventually import eventually
from forebay.announcer.announce import Event
from forebay.announcer.forwarding.outcome import Cause
from forwardings import ANSWER, failure, spec
from keptjobs import life, loaded, name


async def start(alive):
    await eventually(loaded(alive))
    return alive


@pytest.fixture(params=[True, False], ids=["stopped", "killed"])
def clean(request):
    return request.param


async def test_queued_jobs_are_there_after_a_restart_in_their_order(valkey, clock, clean):
    async with life(valkey.url, clock, clean=clean) as first:
        await start(first)
        for torrent in "abc":
            first.announced(torrent)
            clock.advance(0.001)
        await first.keeper.settle()
    async with life(valkey.url, clock) as second:
        await start(second)
        assert second.queued() == ["a", "b", "c"]
        assert second.core.jobs.pending.count == 3


async def test_scheduled_jobs_run_at_their_times(valkey, clock, clean):
    async with life(valkey.url, clock, clean=clean) as first:
        await start(first)
        for torrent, wait in {"later": 300.0, "soon": 60.0}.items():
            first.announced(torrent)
            first.core.done(first.take(), failure(wait=wait), first.now)
        await first.keeper.settle()
    clock.advance(20)
    async with life(valkey.url, clock) as second:
        await start(second)
        assert second.scheduled() == [("soon", 40.0), ("later", 280.0)]
        clock.advance(40)
        second.core.tick(second.now)
        assert second.queued() == ["soon"]


async def test_a_job_whose_time_came_while_nobody_was_there_runs_at_once(valkey, clock, clean):
    async with life(valkey.url, clock, clean=clean) as first:
        await start(first)
        first.announced("late")
        first.core.done(first.take(), failure(wait=60.0), first.now)
        await first.keeper.settle()
    clock.advance(3600)
    async with life(valkey.url, clock) as second:
        await start(second)
        second.core.tick(second.now)
        assert second.queued() == ["late"]


async def test_the_tracker_s_delay_holds_for_other_clients_too_after_a_restart(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced("torrent", "one")
        first.core.done(first.take(), failure(wait=300.0), first.now)
    async with life(valkey.url, clock) as second:
        await start(second)
        second.announced("torrent", "other")
        assert second.queued() == []


async def test_what_is_in_flight_runs_again_and_what_is_done_does_not(valkey, clock):
    async with life(valkey.url, clock, clean=False) as first:
        await start(first)
        for torrent in ("done", "flying", "queued"):
            first.announced(torrent)
            clock.advance(0.001)
        first.core.done(first.take(), ANSWER, first.now)
        assert name(first.take()) == "flying"
        await first.keeper.settle()
    async with life(valkey.url, clock) as second:
        await start(second)
        assert second.queued() == ["flying", "queued"]


async def test_the_try_is_counted_on(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced()
        first.core.done(first.take(), failure(), first.now)
    async with life(valkey.url, clock) as second:
        await start(second)
        (job,) = second.core.jobs.schedule
        assert job.attempt == 2


async def test_an_event_that_waits_for_a_request_in_flight_is_sent_in_its_place(valkey, clock):
    async with life(valkey.url, clock, clean=False) as first:
        await start(first)
        first.announced(event=Event.STARTED)
        assert first.take()
        first.announced(event=Event.COMPLETED)
        await first.keeper.settle()
    async with life(valkey.url, clock) as second:
        await start(second)
        assert second.take().announce.event is Event.COMPLETED


async def test_a_job_that_its_client_took_back_does_not_return(valkey, clock):
    async with life(valkey.url, clock, clean=False) as first:
        await start(first)
        first.announced(event=Event.STARTED)
        await first.keeper.settle()
        first.announced(event=Event.STOPPED)
        await first.keeper.settle()
    async with life(valkey.url, clock) as second:
        await start(second)
        assert second.queued() == []
        assert second.core.jobs.pending.count == 0


async def test_a_client_that_announces_while_its_job_is_kept_makes_no_second_one(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced()
    async with life(valkey.url, clock) as second:
        await start(second)
        second.announced()
        assert second.core.jobs.queue.depth == 1


async def test_jobs_that_were_made_before_redis_was_asked_stand_beside_the_old_ones(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced("old")
        first.announced("both")
    async with life(valkey.url, clock) as second:
        second.announced("new")
        second.announced("both")
        await start(second)
        assert sorted(second.queued()) == ["both", "new", "old"]
    async with life(valkey.url, clock) as third:
        await start(third)
        assert sorted(third.queued()) == ["both", "new", "old"]


@pytest.mark.parametrize("specs", [[], [spec("f0", "http://other.example/announce")]], ids=["gone", "changed"])
async def test_jobs_of_a_forwarder_that_is_gone_or_changed_are_dropped_for_good(valkey, clock, specs):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced("waiting")
        first.announced("retried")
        first.core.done(first.take(), failure(wait=60.0), first.now)
    async with life(valkey.url, clock, forwarders=0) as second:
        second.specs = specs
        second.configure()
        await start(second)
        assert second.core.jobs.pending.count == 0
        await second.keeper.settle()
    async with life(valkey.url, clock) as third:
        await start(third)
        assert third.core.jobs.pending.count == 0


async def test_jobs_of_a_forwarder_that_goes_are_struck(valkey, clock):
    async with life(valkey.url, clock, clean=False) as first:
        await start(first)
        first.announced()
        await first.keeper.settle()
        first.specs = []
        first.configure()
        await first.keeper.settle()
    assert await valkey.command("EXISTS", "forebay:{announcer/uid/jobs}:T", "forebay:{announcer/uid/jobs}:V") == 0


async def test_what_does_not_fit_into_a_smaller_queue_is_put_off_and_not_lost(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        for torrent in "abc":
            first.announced(torrent)
            clock.advance(0.001)
    async with life(valkey.url, clock, queue_size=2) as second:
        await start(second)
        assert second.queued() == ["a", "b"]
        assert second.scheduled() == [("c", 10.0)]


async def test_requests_of_long_ago_are_not_sent_again(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced()
    clock.advance(3 * 3600 + 1)
    async with life(valkey.url, clock) as second:
        await start(second)
        assert second.core.jobs.pending.count == 0


async def test_a_disabled_forwarder_gets_no_old_jobs(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced()
    async with life(valkey.url, clock) as second:
        second.core.forwarders.get("f0").disable(Cause.RETRY_NEVER, "never")
        await start(second)
        assert second.core.jobs.pending.count == 0


async def test_more_jobs_than_one_batch(valkey, clock):
    async with life(valkey.url, clock, clean=False) as first:
        await start(first)
        for number in range(2500):
            first.announced(f"t{number}")
        await first.keeper.settle()
    async with life(valkey.url, clock) as second:
        await start(second)
        assert len(second.queued()) == 2500
        while job := second.take():
            second.core.done(job, ANSWER, second.now)
        await second.keeper.settle()
    assert await valkey.command("EXISTS", "forebay:{announcer/uid/jobs}:T") == 0


async def test_workers_are_woken_by_what_was_restored(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced()
    async with life(valkey.url, clock) as second:
        woken = []
        second.core.wake = lambda: woken.append(second.queued())
        await start(second)
        assert ["torrent"] in woken


async def test_a_damaged_row_is_passed_over(valkey, clock):
    async with life(valkey.url, clock) as first:
        await start(first)
        first.announced("sound")
    await valkey.command("ZADD", "forebay:{announcer/uid/jobs}:T", 5, "damaged")
    await valkey.command("HSET", "forebay:{announcer/uid/jobs}:V", "damaged", "nonsense")
    async with life(valkey.url, clock) as second:
        await start(second)
        assert second.queued() == ["sound"]
