import asyncio
from random import Random

import pytest
from structlog.testing import capture_logs

from fakeclock import FakeClock, settle
from forebay.runtime import BackoffSettings, Supervisor, TaskCrashedError


async def boom():
    raise ValueError("boom")


async def test_a_crash_without_restart_fails_the_service():
    tasks = Supervisor()
    tasks.spawn("poller", boom)
    crash = await tasks.crashed()
    assert isinstance(crash, TaskCrashedError)
    assert "poller crashed by ValueError" in str(crash)
    assert isinstance(crash.__cause__, ValueError)
    await tasks.close()


async def test_the_first_crash_is_the_one_told():
    tasks = Supervisor()
    tasks.spawn("one", boom)
    await settle()
    tasks.spawn("two", boom)
    await settle()
    assert "task one" in str(await tasks.crashed())
    await tasks.close()


async def test_a_task_with_restart_runs_again_after_its_back_off():
    clock, runs = FakeClock(), []

    async def work():
        runs.append(clock.monotonic())
        if len(runs) < 4:
            raise ValueError("again")

    tasks = Supervisor(clock, Random(1))
    task = tasks.spawn("worker", work, BackoffSettings(first=1, longest=60, jitter=0))
    await clock.run(100)
    assert runs == [1000, 1001, 1003, 1007]
    assert task.done()
    await tasks.close()


async def test_a_long_good_run_forgets_earlier_crashes():
    clock, runs = FakeClock(), []

    async def work():
        runs.append(clock.monotonic())
        if len(runs) == 3:
            await clock.sleep(100)
        if len(runs) == 5:
            return
        raise ValueError("again")

    tasks = Supervisor(clock, Random(1))
    tasks.spawn("worker", work, BackoffSettings(first=1, longest=60, jitter=0))
    await clock.run(200)
    assert runs == [1000, 1001, 1003, 1104, 1106]
    await tasks.close()


async def test_close_cancels_and_awaits_all():
    ended = []

    async def work(name):
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(name)

    tasks = Supervisor()
    for name in ("a", "b"):
        tasks.spawn(name, lambda name=name: work(name))
    await settle()
    await tasks.close()
    assert sorted(ended) == ["a", "b"]


async def test_an_exception_while_closing_is_not_lost():
    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("flush failed")

    tasks = Supervisor()
    tasks.spawn("flusher", work)
    await settle()
    await tasks.close()
    with pytest.raises(ValueError, match="flush failed"):
        raise (await tasks.crashed()).__cause__


async def test_what_crashes_while_it_is_ended_is_not_run_again():
    clock, runs = FakeClock(), []

    async def work():
        runs.append(clock.monotonic())
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ValueError("in place of the cancellation") from None

    tasks = Supervisor(clock)
    tasks.spawn("linking", work, BackoffSettings(1, 8))
    await settle()
    with capture_logs() as logs:
        await asyncio.wait_for(tasks.close(), 5)
    assert len(runs) == 1
    assert [line["task"] for line in logs] == ["linking"]


async def test_a_task_that_ends_by_itself_fails_nothing():
    async def work():
        return

    tasks = Supervisor()
    await tasks.spawn("once", work)
    crashed = asyncio.create_task(tasks.crashed())
    await settle()
    assert not crashed.done()
    crashed.cancel()
    await tasks.close()
