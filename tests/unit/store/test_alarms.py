"""Alarms of memory and disk: when they begin, when they end, and what they tell."""

import pytest

from fakeclock import FakeClock
from forebay.store.alarms import PressureAlarms


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def alarms(clock):
    """Limits: 1000 octets of memory, 500 of disk; `changes` gathers what publishers are told."""
    alarms = PressureAlarms(clock)
    alarms.changes = []
    alarms.on_change = lambda: alarms.changes.append(alarms.blocked)
    alarms.set_limits(1000, 500)
    return alarms


def kinds(alarms):
    return [alarm.kind for alarm in alarms.raised()]


def test_nothing_is_judged_before_it_was_seen(alarms):
    alarms.set_limits(10, 1 << 60)
    assert (alarms.blocked, alarms.changes, kinds(alarms)) == ("", [], [])


def test_at_the_limits_all_is_well(alarms):
    alarms.check(1000, 500)
    assert (alarms.blocked, alarms.changes) == ("", [])


def test_memory_above_its_limit_raises_an_alarm_until_it_is_well_below(alarms):
    alarms.check(1001, 5000)
    assert kinds(alarms) == ["MEMORY"]
    alarms.check(901, 5000)
    assert kinds(alarms) == ["MEMORY"]
    alarms.check(900, 5000)
    assert kinds(alarms) == []
    alarms.check(1000, 5000)
    assert kinds(alarms) == []


def test_a_disk_below_its_limit_raises_an_alarm_until_it_is_well_above(alarms):
    alarms.check(0, 499)
    assert kinds(alarms) == ["DISK"]
    alarms.check(0, 549)
    assert kinds(alarms) == ["DISK"]
    alarms.check(0, 550)
    assert kinds(alarms) == []
    alarms.check(0, 500)
    assert kinds(alarms) == []


def test_each_change_is_told_once_with_figures_and_remedy(alarms):
    alarms.check(1200, 5000)
    alarms.check(1300, 5000)
    alarms.check(1300, 100)
    alarms.check(1300, 5000)
    alarms.check(0, 5000)
    memory, both, again, calm = alarms.changes
    assert memory.startswith("MEMORY: messages take 1200 octets")
    assert "spec.memory.limit" in memory
    assert both.startswith(memory)
    assert "DISK: the disk has 100 octets left" in both
    assert "spec.storage.freeLimit" in both
    assert (again, calm) == (memory, "")


def test_a_change_of_limits_is_judged_at_once(alarms):
    alarms.check(800, 5000)
    alarms.set_limits(700, 500)
    assert kinds(alarms) == ["MEMORY"]
    alarms.set_limits(2000, 500)
    assert kinds(alarms) == []


def test_an_alarm_tells_since_when(alarms, clock):
    alarms.check(2000, 5000)
    clock.advance(7)
    alarms.check(3000, 5000)
    (alarm,) = alarms.raised()
    assert alarm.since.ToMilliseconds() == int((clock.wall() - 7) * 1000)
    assert alarm.age.ToMilliseconds() == 7000
