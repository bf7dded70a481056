"""Small parts of a queue: numbers of publishers, capacity, timer, memory target, and the role at a start."""

from math import inf

import pytest

from fakeclock import FakeClock
from forebay.store.queueing import dedup, memory
from forebay.store.queueing.capacity import Capacity
from forebay.store.queueing.dedup import Numbers
from forebay.store.queueing.prequeue import Role, decide
from forebay.store.queueing.spec import QueueSpec
from forebay.store.queueing.timer import LONGEST, Timer


class TestNumbers:
    def test_what_was_taken_is_known(self):
        numbers = Numbers()
        assert numbers.known(b"p", 1, range(5)) == set()
        numbers.take(b"p", 1, range(3))
        assert [sorted(numbers.known(b"p", first, range(5))) for first in (0, 1, 3, 4)] == [
            [0, 1, 2, 3],
            [0, 1, 2],
            [0],
            [],
        ]
        assert numbers.known(b"p", 1, [1, 4]) == {1}
        assert numbers.known(b"other", 1, range(5)) == set()

    def test_the_highest_never_falls(self):
        numbers = Numbers()
        numbers.take(b"p", 9, [0])
        numbers.take(b"p", 3, [0])
        numbers.restore(b"p", 5)
        assert numbers.known(b"p", 9, [0]) == {0}

    def test_what_was_refused_is_not_known_until_it_is_taken(self):
        numbers = Numbers()
        numbers.take(b"p", 0, [0, 1])
        numbers.refuse(b"p", [2, 3])
        numbers.take(b"p", 4, [0])
        assert numbers.known(b"p", 0, range(6)) == {0, 1, 4}
        numbers.take(b"p", 0, [2])
        assert numbers.known(b"p", 0, range(6)) == {0, 1, 2, 4}

    def test_refused_ones_are_bounded(self, monkeypatch):
        monkeypatch.setattr(dedup, "REFUSED", 2)
        numbers = Numbers()
        numbers.refuse(b"p", [1, 2, 3])
        numbers.take(b"p", 4, [0])
        assert numbers.known(b"p", 0, range(5)) == {0, 1, 4}

    def test_nothing_taken_is_nothing_known(self):
        numbers = Numbers()
        numbers.refuse(b"p", [0])
        numbers.take(b"p", 0, [])
        assert numbers.known(b"p", 0, [0]) == set()
        assert numbers.news() == {}

    def test_news_are_told_once_and_what_the_disk_said_is_none(self):
        numbers = Numbers()
        numbers.restore(b"old", 5)
        numbers.take(b"p", 1, [0])
        numbers.take(b"p", 2, [0])
        assert numbers.news() == {b"p": 2}
        assert numbers.news() == {}
        assert numbers.known(b"old", 5, [0]) == {0}

    def test_the_one_not_heard_of_for_longest_is_forgotten(self, monkeypatch):
        monkeypatch.setattr(dedup, "NAMES", 2)
        numbers = Numbers()
        for name in (b"a", b"b", b"a", b"c"):
            numbers.take(name, 1, [0])
        assert [numbers.known(name, 1, [0]) for name in (b"a", b"b", b"c")] == [{0}, set(), {0}]


class TestCapacity:
    def test_it_is_the_part_of_the_last_seconds(self):
        clock = FakeClock()
        capacity = Capacity(clock)
        assert capacity.part() == 0
        capacity.note(True)
        clock.advance(5)
        assert capacity.part() == pytest.approx(0.5)
        capacity.note(False)
        clock.advance(5)
        assert capacity.part() == pytest.approx(0.25)
        capacity.note(True)
        clock.advance(500)
        assert capacity.part() == pytest.approx(1)


class TestTimer:
    async def test_it_rings_at_the_earliest_time_and_once(self):
        clock, rung = FakeClock(), []
        timer = Timer(clock, lambda: rung.append(clock.monotonic()))
        start = clock.monotonic()
        for seconds in (9, 3, 5):
            timer.set(seconds)
        await clock.run(20)
        assert rung == [start + 3]
        timer.set(1)
        await clock.run(2)
        assert len(rung) == 2

    async def test_it_rings_now_and_then_whatever_the_time_is(self):
        clock, rung = FakeClock(), []
        timer = Timer(clock, lambda: rung.append(1))
        timer.set(1e9)
        await clock.run(LONGEST + 1)
        assert rung == [1]
        timer.set(-5)
        await clock.run(0)
        assert rung == [1, 1]

    async def test_it_can_be_silenced(self):
        clock, rung = FakeClock(), []
        timer = Timer(clock, lambda: rung.append(1))
        timer.set(1)
        timer.cancel()
        await clock.run(5)
        assert rung == []


class TestMemoryTarget:
    def test_below_half_of_what_is_allowed_all_stays(self):
        assert memory.target(499, 1000, [5.0]) == inf

    def test_above_it_queues_keep_less_the_more_there_is(self):
        assert memory.target(1000, 1000, [4.0, 2.0, inf]) == pytest.approx(1.5)
        assert memory.target(2000, 1000, [4.0, 2.0]) == pytest.approx(0.75)

    def test_where_nothing_moves_nothing_stays(self):
        assert memory.target(600, 1000, [inf]) == 0.0
        assert memory.target(600, 1000, []) == 0.0


@pytest.mark.parametrize(
    ("durable", "found", "role"),
    [
        (True, True, Role.RECOVERING),
        (True, False, Role.FRESH),
        (False, True, Role.FRESH),
        (False, False, Role.FRESH),
    ],
)
def test_a_queue_decides_what_it_is(durable, found, role):
    assert decide(QueueSpec("q", "uid", durable=durable), found=found) is role
