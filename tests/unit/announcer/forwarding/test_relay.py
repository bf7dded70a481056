"""The relay: workers and timers over the dispatcher, on a clock of the test's own."""

import asyncio
from contextlib import asynccontextmanager
from random import Random

import pytest

from eventually import eventually
from fakeclock import FakeClock, settle
from forebay.announcer.forwarding.dispatcher import Dispatcher
from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.forwarding.overview import forwarder_statuses
from forebay.announcer.forwarding.relay import Relay
from forebay.announcer.forwarding.settings import ForwardingSettings
from forebay.announcer.forwarding.watcher import Nobody
from forwardings import ANSWER, announce, failure, octets, spec


class Upstream:
    """Holds requests until the test answers them."""

    def __init__(self):
        self.waiting = []
        self.requests = []
        self.most = 0
        self.answers_at_once = None

    async def announce(self, spec, announce):
        self.requests.append((spec.name, announce))
        if self.answers_at_once is not None:
            return self.answers_at_once
        answer = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        self.most = max(self.most, len(self.waiting))
        try:
            return await answer
        finally:
            self.waiting.remove(answer)

    async def answer(self, outcome=ANSWER, number=1):
        for answer in self.waiting[:number]:
            if isinstance(outcome, Exception):
                answer.set_exception(outcome)
            else:
                answer.set_result(outcome)
        await settle()


class Site:
    def __init__(self, specs, **settings):
        self.clock = FakeClock()
        self.upstream = Upstream()
        self.heard = []
        settings = ForwardingSettings(**settings)
        self.dispatcher = Dispatcher(settings, Random(0), self.clock.monotonic())
        self.dispatcher.configure(settings, specs, self.clock.monotonic())
        self.relay = Relay(self.dispatcher, self.upstream.announce, lambda *told: self.heard.append(told), self.clock)

    async def announced(self, torrent="torrent", **fields):
        refusal = self.dispatcher.announced(announce(torrent, **fields), lambda _: True, self.clock.monotonic())
        await settle()
        return refusal

    @property
    def state(self):
        return forwarder_statuses(self.dispatcher, self.clock.monotonic())[0]


@asynccontextmanager
async def running(*specs, **settings):
    site = Site(specs or (spec(),), **settings)
    before = asyncio.all_tasks()
    task = asyncio.create_task(site.relay.run())
    await settle()
    try:
        yield site
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == before
        assert site.relay.workers == 0
        assert site.upstream.waiting == []


async def test_an_announce_goes_out_at_once_and_its_answer_is_heard():
    async with running() as site:
        await site.announced()
        assert site.upstream.requests == [("one", announce())]
        await site.upstream.answer()
        assert site.heard == [(announce(), "one", ANSWER)]
        assert site.relay.status().pending == 0


async def test_a_failure_is_not_heard():
    async with running() as site:
        await site.announced()
        await site.upstream.answer(failure(Cause.REJECTED))
        assert site.heard == []
        assert site.state.cause is Cause.REJECTED


async def test_all_forwarders_of_an_announce_are_asked_at_once():
    async with running(spec("a"), spec("b"), spec("c")) as site:
        await site.announced()
        assert sorted(name for name, _ in site.upstream.requests) == ["a", "b", "c"]


async def test_no_more_requests_at_once_than_workers():
    async with running(workers=3) as site:
        for number in range(10):
            await site.announced(f"t{number}")
        assert len(site.upstream.waiting) == 3
        while site.upstream.waiting:
            await site.upstream.answer()
        assert len(site.heard) == 10
        assert site.upstream.most == 3


async def test_a_retry_goes_out_at_the_first_tick_after_its_time():
    async with running() as site:
        await site.announced()
        await site.upstream.answer(failure(wait=7.0))
        await site.clock.run(9.9)
        assert len(site.upstream.requests) == 1
        await site.clock.run(0.1)
        assert len(site.upstream.requests) == 2


async def test_workers_come_one_a_second_while_the_queue_is_rather_full_up_to_the_maximum():
    async with running(workers=2, queue_size=100) as site:
        for number in range(92):
            await site.announced(f"t{number}")
        counts = []
        for _ in range(4):
            await site.clock.run(1)
            counts.append(site.relay.workers)
        assert counts == [3, 4, 4, 4]
        assert len(site.upstream.waiting) == 4


async def test_workers_leave_one_a_second_while_the_queue_is_rather_empty_down_to_the_base():
    async with running(workers=2, queue_size=10) as site:
        for number in range(12):
            await site.announced(f"t{number}")
        await site.clock.run(2)
        assert site.relay.workers == 4
        while site.upstream.waiting:
            await site.upstream.answer()
        counts = []
        for _ in range(4):
            await site.clock.run(1)
            counts.append(site.relay.workers)
        assert counts == [3, 2, 2, 2]


async def test_a_worker_that_is_busy_leaves_when_its_request_has_ended():
    async with running(workers=1, queue_size=10) as site:
        for number in range(11):
            await site.announced(f"t{number}")
        await site.clock.run(1)
        assert site.relay.workers == 2
        for _ in range(8):
            await site.upstream.answer()
        await site.clock.run(1)
        assert site.relay.workers == 2
        await site.upstream.answer()
        assert site.relay.workers == 1
        assert len(site.upstream.waiting) == 1


async def test_a_worker_that_was_told_to_leave_stays_when_the_queue_fills_up_meanwhile():
    async with running(workers=1, queue_size=10) as site:
        for number in range(11):
            await site.announced(f"t{number}")
        await site.clock.run(1)
        for _ in range(8):
            await site.upstream.answer()
        await site.clock.run(1)
        for number in range(9):
            await site.announced(f"u{number}")
        await site.clock.run(1)
        await site.upstream.answer()
        assert site.relay.workers == 2


async def test_after_workers_left_all_jobs_are_still_carried_out():
    async with running(workers=1, queue_size=10) as site:
        for number in range(11):
            await site.announced(f"t{number}")
        await site.clock.run(1)
        while site.upstream.waiting:
            await site.upstream.answer()
        await site.clock.run(3)
        await site.announced("late")
        assert site.upstream.requests[-1][1].info_hash == octets("late")


async def test_an_upstream_that_never_answers_is_a_timeout():
    async with running(spec(timeout=0.01), attempts=1) as site:
        await site.announced()
        await eventually(lambda: site.relay.status().pending == 0)
        assert site.state.failures == 1


async def test_a_crash_of_the_client_is_a_failure_and_its_worker_goes_on():
    async with running(workers=1, attempts=1) as site:
        await site.announced("one")
        await site.upstream.answer(RuntimeError("bug"))
        assert site.state.failures == 1
        await site.announced("two")
        assert len(site.upstream.waiting) == 1


async def test_ten_thousand_failures_need_no_more_workers_and_leave_nothing():
    async with running(fail_threshold=0, attempts=1) as site:
        site.upstream.answers_at_once = failure(Cause.TIMEOUT)
        tasks = asyncio.all_tasks()
        for number in range(10_000):
            site.dispatcher.announced(announce(f"t{number}"), lambda _: True, site.clock.monotonic())
        while site.relay.status().depth:
            await settle()
        assert len(site.upstream.requests) == 10_000
        assert asyncio.all_tasks() == tasks
        assert site.relay.status().pending == 0


async def test_a_worker_takes_its_next_job_once_the_end_of_the_last_is_kept():
    class Slow(Nobody):
        def __init__(self):
            self.kept_by_now = asyncio.Event()

        async def settle(self):
            await self.kept_by_now.wait()

    async with running(workers=1) as site:
        site.upstream.answers_at_once = ANSWER
        site.dispatcher.jobs.watcher = slow = Slow()
        await site.announced("one")
        await site.announced("two")
        assert len(site.upstream.requests) == 1
        slow.kept_by_now.set()
        await settle()
        assert len(site.upstream.requests) == 2


async def test_workers_look_when_jobs_came_by_themselves():
    async with running() as site:
        site.dispatcher.restore(Job(announce(), "one", site.clock.monotonic()), site.clock.monotonic())
        site.dispatcher.wake()
        await settle()
        assert len(site.upstream.requests) == 1


async def test_at_the_end_requests_in_flight_end_and_no_others_begin():
    async with running(workers=2) as site:
        for number in range(5):
            await site.announced(f"t{number}")
        ending = asyncio.create_task(site.relay.finish(60))
        await settle()
        await site.upstream.answer()
        assert not ending.done()
        await site.upstream.answer()
        await ending
        assert len(site.upstream.requests) == 2
        assert (site.relay.status().depth, len(site.heard)) == (3, 2)


async def test_at_the_end_nobody_waits_where_nothing_is_in_flight():
    async with running() as site:
        await site.relay.finish(60)
        await site.announced()
        assert site.upstream.requests == []


async def test_at_the_end_a_request_that_does_not_end_is_waited_for_no_longer_than_the_grace():
    async with running() as site:
        await site.announced()
        await site.relay.finish(0.01)
        assert len(site.upstream.waiting) == 1
