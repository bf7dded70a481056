from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeclock import FakeClock
from forebay.runtime import Backoff, BackoffSettings


def backoff(clock, jitter=0.0, first=1.0, longest=60.0):
    return Backoff(BackoffSettings(first, longest, jitter), clock, Random(7))


def test_delays_double_up_to_the_longest():
    waits = backoff(FakeClock())
    assert [waits.fail() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_reset_begins_anew_and_leaves_nothing_to_wait_for():
    waits = backoff(FakeClock())
    waits.fail()
    waits.fail()
    waits.reset()
    assert waits.remaining() == 0
    assert waits.fail() == 1


def test_remaining_follows_the_clock():
    clock = FakeClock()
    waits = backoff(clock, first=10.0)
    waits.fail()
    clock.advance(4)
    assert waits.remaining() == pytest.approx(6)
    clock.advance(100)
    assert waits.remaining() == 0


def test_a_jump_of_the_wall_clock_changes_nothing():
    clock = FakeClock()
    waits = backoff(clock, first=10.0)
    waits.fail()
    clock.set_wall(0.0)
    assert waits.remaining() == pytest.approx(10)


def test_countless_failures_do_not_overflow():
    waits = backoff(FakeClock())
    waits.failures = 100_000
    assert waits.fail() == 60


@given(st.floats(0, 1), st.integers(0, 20))
def test_jitter_only_shortens_and_by_no_more_than_its_part(jitter, failures):
    waits = backoff(FakeClock(), jitter=jitter)
    waits.failures = failures
    full = min(60.0, 2.0**failures)
    assert full * (1 - jitter) - 1e-9 <= waits.fail() <= full
