from random import Random

import pytest

from fakeclock import FakeClock
from forebay.runtime import BackoffSettings
from forebay_operator.queue import Depth, Key, QueueSettings, WorkQueue

HUB = Key("Outfeed", "news", "hub")
FAR = Key("Outfeed", "news", "far")
MAIN = Key("Spill", "news", "main")


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def queue(clock):
    backoff = BackoffSettings(first=1.0, longest=8.0, jitter=0.0)
    return WorkQueue(clock, Random(0), QueueSettings(gather=0.2, backoff=backoff))


def test_an_empty_one_has_nothing_to_wait_for(queue):
    assert queue.take() is None
    assert queue.wait() is None


def test_a_change_waits_for_others_of_the_same_resource(queue, clock):
    queue.put(HUB)
    assert queue.take() is None
    assert queue.wait() == pytest.approx(0.2)
    clock.advance(0.2)
    assert queue.take() == (HUB, Depth.RECONCILE)


def test_changes_that_never_end_do_not_put_it_off(queue, clock):
    queue.put(HUB)
    clock.advance(0.15)
    queue.put(HUB)
    clock.advance(0.06)
    assert queue.take() == (HUB, Depth.RECONCILE)
    assert queue.take() is None


def test_the_longest_due_comes_first(queue, clock):
    queue.put(FAR)
    clock.advance(0.1)
    queue.put(HUB)
    clock.advance(1)
    assert [queue.take()[0], queue.take()[0]] == [FAR, HUB]


def test_it_is_looked_at_as_closely_as_any_asked(queue, clock):
    queue.put(HUB, Depth.VERIFY)
    queue.put(HUB, Depth.OBSERVE)
    clock.advance(1)
    assert queue.take() == (HUB, Depth.VERIFY)


def test_one_is_never_taken_twice_at_a_time(queue, clock):
    queue.put(HUB)
    clock.advance(1)
    queue.take()
    queue.put(HUB)
    clock.advance(1)
    assert queue.take() is None
    queue.done(HUB)
    assert queue.take() == (HUB, Depth.RECONCILE)


def test_others_go_on_meanwhile(queue, clock):
    queue.put(HUB)
    clock.advance(1)
    queue.take()
    queue.put(MAIN)
    clock.advance(1)
    assert queue.take() == (MAIN, Depth.RECONCILE)


def test_what_is_done_is_forgotten(queue, clock):
    queue.put(HUB)
    clock.advance(1)
    queue.take()
    queue.done(HUB)
    assert len(queue) == 0
    assert queue.wait() is None


def fail(queue, clock, key=HUB):
    clock.advance(queue.wait())
    assert queue.take()[0] == key
    return queue.failed(key)


def test_failures_wait_longer_and_longer(queue, clock):
    queue.put(HUB)
    assert [fail(queue, clock) for _ in range(5)] == [1, 2, 4, 8, 8]


def test_a_success_begins_anew(queue, clock):
    queue.put(HUB)
    fail(queue, clock)
    clock.advance(queue.wait())
    queue.take()
    queue.done(HUB)
    queue.put(HUB)
    assert fail(queue, clock) == 1


def test_a_failed_one_is_looked_at_as_closely_again(queue, clock):
    queue.put(HUB, Depth.VERIFY)
    fail(queue, clock)
    clock.advance(1)
    assert queue.take() == (HUB, Depth.VERIFY)


def test_a_change_shortens_the_wait_of_a_failed_one(queue, clock):
    queue.put(HUB)
    fail(queue, clock)
    queue.put(HUB)
    assert queue.wait() == pytest.approx(0.2)


def test_a_mere_look_does_not_shorten_it(queue, clock):
    queue.put(HUB)
    fail(queue, clock)
    queue.put(HUB, Depth.OBSERVE, 0)
    assert queue.wait() == pytest.approx(1)


def test_a_change_during_a_pass_that_fails_is_not_lost(queue, clock):
    queue.put(HUB)
    clock.advance(1)
    queue.take()
    queue.put(HUB, Depth.VERIFY)
    queue.failed(HUB)
    clock.advance(0.2)
    assert queue.take() == (HUB, Depth.VERIFY)


def test_the_age_is_that_of_what_is_most_overdue(queue, clock):
    queue.put(HUB)
    queue.put(MAIN, delay=100)
    clock.advance(5.2)
    queue.put(FAR)
    assert dict(queue.ages()) == {"Outfeed": pytest.approx(5), "Spill": 0}
