"""The reserve of a publisher, with a spool and a window that are played."""

import asyncio
from types import SimpleNamespace

import pytest

from forebay.conduit.spilling.reserve import Reserve
from forebay.spill.errors import SpillUnavailableError


class Entry:
    def __init__(self, number, data):
        self.id = str(number).encode()
        self.data = data


class PlayedSpool:
    """Keeps entries in order; another life of the owner reads behind the checkpoint.

    What is read is R alone, which the backlog becomes where there is none.
    """

    def __init__(self):
        self.resend, self.backlog = [], []
        self.place = 0
        self.settled = set()
        self.calls = []
        self.away = False
        self.number = 0

    @property
    def kept(self):
        return self.resend + self.backlog

    @property
    def unread(self):
        return len(self.kept) - self.place

    async def load(self):
        self._check("load")
        self.place = 0
        self.settled.clear()

    async def append(self, kind, batch):
        self._check("append")
        for data in batch:
            self.number += 1
            self.backlog.append(Entry(self.number, data))

    async def read(self, count):
        self._check("read")
        found = self.resend[self.place : self.place + count]
        self.place += len(found)
        return found

    async def promote(self, age):
        done = not self.resend and bool(self.backlog)
        if done:
            self.resend, self.backlog = self.backlog, []
        return SimpleNamespace(done=done)

    def ack(self, ids):
        self.settled.update(ids)

    async def checkpoint(self):
        self._check("checkpoint")
        while self.resend and self.resend[0].id in self.settled:
            self.resend.pop(0)
            self.place -= 1

    async def purge(self):
        self._check("purge")
        self.resend, self.backlog = [], []

    async def release(self):
        self._check("release")

    def _check(self, call):
        if self.away:
            raise SpillUnavailableError("Redis is away")
        self.calls.append(call)


class Mark:
    def __init__(self, window, number):
        self.window = window
        self.number = number

    @property
    def passed(self):
        return self.window.acknowledged >= self.number


class PlayedWindow:
    """Takes so many samples; what it took is acknowledged when the test says so."""

    def __init__(self):
        self.room = 0
        self.sent = []
        self.acknowledged = 0
        self.wanted = True
        self.endings = 0

    def send(self, samples):
        taken = samples[: self.room]
        self.sent += taken
        self.room -= len(taken)
        return len(taken)

    def mark(self):
        return Mark(self, len(self.sent))

    def ended(self):
        self.endings += 1


def numbered(count, first=0):
    return [str(number).encode() for number in range(first, first + count)]


async def round_with_room(reserve, window, room):
    """A round once the window has told that it has so much room."""
    window.room = room
    reserve.room()
    await reserve.round()


@pytest.fixture
def spool():
    return PlayedSpool()


@pytest.fixture
def window():
    return PlayedWindow()


@pytest.fixture
def reserve(spool, window):
    return Reserve(window, spool, 1000, lambda: None)


async def test_what_finds_no_room_goes_to_redis_and_comes_back_in_order(reserve, spool, window):
    reserve.put(numbered(10))
    await reserve.round()
    assert [entry.data for entry in spool.kept] == numbered(10)
    reserve.put(numbered(5, 10))
    await round_with_room(reserve, window, 100)
    assert window.sent == numbered(15)
    assert len(spool.kept) == 10
    assert not reserve.busy
    assert window.endings


async def test_what_finds_room_at_once_does_not_go_to_redis(reserve, spool, window):
    window.room = 100
    reserve.put(numbered(10))
    reserve.room()
    await reserve.round()
    assert window.sent == numbered(10)
    assert spool.kept == []


async def test_entries_leave_redis_once_they_are_acknowledged(reserve, spool, window):
    reserve.put(numbered(10))
    await reserve.round()
    await round_with_room(reserve, window, 4)
    assert window.sent == numbered(4)
    assert len(spool.kept) == 10
    assert reserve.pending
    window.acknowledged = 4
    await reserve.round()
    assert [entry.data for entry in spool.kept] == numbered(6, 4)
    assert not reserve.pending


async def test_what_was_written_later_waits_for_the_earlier_to_be_acknowledged(reserve, spool, window):
    """Until then Redis gives nothing of it, though the window has room; what is published next stays behind it."""
    reserve.put(numbered(3))
    await reserve.round()
    await round_with_room(reserve, window, 2)
    reserve.put(numbered(3, 3))
    await reserve.round()
    await round_with_room(reserve, window, 100)
    assert window.sent == numbered(3)
    assert reserve.busy
    assert not window.endings
    reserve.put(numbered(3, 6))
    await reserve.round()
    assert window.sent == numbered(3)
    window.acknowledged = 3
    await reserve.round()
    assert window.sent == numbered(9)


async def test_what_redis_has_lost_is_waited_for_no_more(reserve, spool, window):
    reserve.put(numbered(3))
    await reserve.round()
    spool.read = lambda count: asyncio.sleep(0, [])
    await round_with_room(reserve, window, 100)
    assert not reserve.busy
    assert window.endings


async def test_another_life_sends_again_what_was_not_acknowledged(reserve, spool, window):
    reserve.put(numbered(10))
    await reserve.round()
    await round_with_room(reserve, window, 4)
    another = Reserve(window, spool, 1000, lambda: None)
    window.room, window.sent = 100, []
    another.resume()
    assert another.busy
    await another.round()
    assert window.sent == numbered(10)


async def test_after_another_run_of_redis_nothing_is_sent_twice(reserve, spool, window):
    reserve.put(numbered(10))
    await reserve.round()
    await round_with_room(reserve, window, 4)
    reserve.lost()
    await round_with_room(reserve, window, 100)
    await reserve.round()
    assert window.sent == numbered(10)


async def test_nothing_is_sent_while_nobody_wants_it(reserve, spool, window):
    reserve.put(numbered(3))
    window.room, window.wanted = 100, False
    reserve.room()
    await reserve.round()
    assert window.sent == []
    window.wanted = True
    await reserve.round()
    assert window.sent == numbered(3)


async def test_whoever_put_waits_until_it_is_stored_and_for_room_while_redis_is_away(reserve, spool):
    spool.away = True
    reserve.put(numbered(3))
    with pytest.raises(SpillUnavailableError):
        await reserve.round()
    reserve.failed()
    stored, room = asyncio.ensure_future(reserve.until_stored()), asyncio.ensure_future(reserve.until_room())
    await asyncio.sleep(0)
    assert not stored.done()
    assert not room.done()
    spool.away = False
    await reserve.round()
    reserve.succeeded()
    await asyncio.gather(stored, room)
    assert reserve.waiting == 3


async def test_memory_is_bounded(reserve):
    assert reserve.has_room
    reserve.put([bytes(1000)])
    assert not reserve.has_room
    await reserve.round()
    assert reserve.has_room


async def test_at_the_end_what_is_left_is_written_and_released(reserve, spool, window):
    reserve.put(numbered(3))
    await reserve.close()
    assert [entry.data for entry in spool.kept] == numbered(3)
    assert spool.calls[-1] == "release"


async def test_an_empty_one_is_deleted_at_the_end(reserve, spool, window):
    reserve.put(numbered(3))
    await reserve.round()
    await round_with_room(reserve, window, 100)
    window.acknowledged = 3
    await reserve.close()
    assert spool.calls[-1] == "purge"
