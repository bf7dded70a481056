"""When a round begins, and what it covers."""

import asyncio

import pytest

from fakeclock import FakeClock
from forebay.msgstore import Taken
from forebay.store.backing.protocol import Batch
from forebay.store.queueing.rounds import Rounds, Safety


class Member:
    """A queue whose writes wait until the test lets them go on."""

    checkpoint_due = False
    unsynced = False

    def __init__(self):
        self.happened = 0
        self.settled = []
        self.news = asyncio.Event()

    def take(self):
        return Batch((Taken(self.happened),), (self.happened,), (0,))

    def write(self, batch, *, sync):
        assert sync

    def settle(self, batch):
        self.settled.append(batch.arrivals[0])
        self.news.set()

    def crash(self, error):
        raise error

    async def until_settled(self):
        async with asyncio.timeout(20):
            self.news.clear()
            await self.news.wait()


@pytest.fixture
async def rounds():
    rounds = Rounds(None, None, FakeClock(), Safety())
    running = asyncio.ensure_future(rounds.run())
    yield rounds
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await rounds.close()


async def test_what_may_wait_is_safe_soon_though_nothing_else_happens(rounds):
    member = Member()
    member.happened = 1
    rounds.add_soon(member)
    await member.until_settled()
    assert member.settled == [1]


async def test_what_may_wait_goes_with_what_may_not(rounds):
    patient, hurried = Member(), Member()
    patient.happened = hurried.happened = 1
    rounds.add_soon(patient)
    rounds.add(hurried)
    await hurried.until_settled()
    assert (patient.settled, hurried.settled) == ([1], [1])
    assert rounds.writes == 2
    patient.happened = 2
    rounds.add_soon(patient)
    await patient.until_settled()
    assert (patient.settled, hurried.settled) == ([1, 2], [1])


async def test_many_queues_are_safe_together(rounds):
    members = [Member() for _ in range(9)]
    for member in members:
        rounds.add(member)
    await members[-1].until_settled()
    assert [member.settled for member in members] == [[0]] * 9
