import asyncio
from random import Random

import pytest

from fakeclock import FakeClock, settle
from forebay.runtime import BackoffSettings, Lease, LeaseError, LeaseSettings

SETTINGS = LeaseSettings(seconds=15, retry=BackoffSettings(1, 5, 0))


class Record:
    """A lease record in memory that can fail or hang."""

    name = "test"

    def __init__(self):
        self.owner, self.epoch, self.renewals = "", 0, 0
        self.failing = False
        self.hang = None

    async def answer(self):
        if self.hang is not None:
            await self.hang.wait()
        if self.failing:
            raise LeaseError("API away")

    async def take(self, holder, seconds, patience=0.0):
        await self.answer()
        self.patience = patience
        if self.owner not in ("", holder):
            return None
        self.owner, self.epoch = holder, self.epoch + 1
        return self.epoch

    async def renew(self, holder, seconds):
        await self.answer()
        self.renewals += 1
        return self.owner == holder

    async def release(self, holder):
        await self.answer()
        if self.owner == holder:
            self.owner = ""

    async def holder(self):
        return self.owner


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def record():
    return Record()


def lease(record, clock, holder="a"):
    return Lease(record, holder, clock, Random(1), SETTINGS)


async def test_a_free_lease_is_acquired_and_kept(record, clock):
    mine = lease(record, clock)
    assert await mine.acquire() == 1
    await clock.run(600)
    assert mine.held
    assert not mine.lost.is_set()
    assert record.renewals > 300
    await mine.release()
    assert record.owner == ""
    assert not mine.held


async def test_another_waits_until_it_is_released(record, clock):
    first, second = lease(record, clock, "a"), lease(record, clock, "b")
    await first.acquire()
    waiting = asyncio.create_task(second.acquire())
    await clock.run(60)
    assert not waiting.done()
    await first.release()
    await clock.run(5)
    assert waiting.result() == 2
    await second.release()


async def test_the_holder_stops_before_the_lease_ends_when_it_cannot_renew(record, clock):
    mine = lease(record, clock)
    await mine.acquire()
    record.failing = True
    await clock.run(9)
    assert mine.held
    await clock.run(1.1)
    assert not mine.held
    assert mine.lost.is_set()


async def test_a_short_failure_loses_nothing(record, clock):
    mine = lease(record, clock)
    await mine.acquire()
    record.failing = True
    await clock.run(8)
    record.failing = False
    await clock.run(60)
    assert mine.held
    await mine.release()


async def test_it_is_lost_at_once_when_another_has_it(record, clock):
    mine = lease(record, clock)
    await mine.acquire()
    record.owner = "b"
    await clock.run(2)
    assert mine.lost.is_set()
    assert not mine.held
    await mine.release()
    assert record.owner == "b"


async def test_only_the_time_since_the_request_counts(record, clock):
    mine = lease(record, clock)
    record.hang = asyncio.Event()
    acquiring = asyncio.create_task(mine.acquire())
    await clock.run(9)
    record.hang.set()
    await acquiring
    assert mine.held
    clock.advance(1.1)
    assert not mine.held


async def test_a_stalled_loop_does_not_believe_to_hold_it(record, clock):
    mine = lease(record, clock)
    await mine.acquire()
    clock.advance(20)
    assert not mine.held
    await settle()
    await mine.release()


async def test_a_jump_of_the_wall_clock_changes_nothing(record, clock):
    mine = lease(record, clock)
    await mine.acquire()
    clock.set_wall(0)
    assert mine.held
    await mine.release()


async def test_the_record_being_away_is_waited_out(record, clock):
    mine = lease(record, clock)
    record.failing = True
    acquiring = asyncio.create_task(mine.acquire())
    await clock.run(30)
    assert not acquiring.done()
    record.failing = False
    await clock.run(5)
    assert acquiring.done()
    await mine.release()


async def test_a_lost_lease_can_be_acquired_again_under_a_higher_epoch(record, clock):
    mine = lease(record, clock)
    await mine.acquire()
    record.owner = "b"
    await clock.run(2)
    record.owner, record.epoch = "", 7
    assert await mine.acquire() == 8
    assert not mine.lost.is_set()
    assert mine.held
    await mine.release()


async def test_release_without_holding_does_nothing(record, clock):
    await lease(record, clock).release()
    assert record.owner == ""


async def test_an_unexpected_error_loses_it_at_once(record, clock):
    async def broken(holder, seconds):
        raise KeyError("spec")

    mine = lease(record, clock)
    await mine.acquire()
    record.renew = broken
    await clock.run(2)
    assert mine.lost.is_set()
    assert not mine.held
    await mine.release()


async def test_a_failed_release_leaves_it_to_run_out(record, clock):
    mine = lease(record, clock)
    await mine.acquire()
    record.failing = True
    await mine.release()
    assert not mine.held
    assert record.owner == "a"


async def test_patience_is_asked_of_the_record(record, clock):
    mine = lease(record, clock)
    mine.patience = 3.0
    await mine.acquire()
    assert record.patience == 3.0
    await mine.release()
