"""Scaling of workers."""

import pytest

from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.jobqueue import JobQueue
from forebay.announcer.forwarding.scaling import Scaling
from forebay.announcer.forwarding.settings import ForwardingSettings
from forwardings import announce


def filled(jobs):
    queue = JobQueue(100)
    for number in range(jobs):
        queue.put(Job(announce(str(number)), "one", 0.0))
    return queue


def step(fill, workers, now=0.0, **settings):
    return Scaling(ForwardingSettings(**settings)).step(filled(fill), workers, now)


@pytest.mark.parametrize(
    ("fill", "change"), [(39, -1), (40, 0), (59, 0), (60, 1), (100, 1)], ids=lambda value: str(value)
)
def test_the_boundaries_of_the_fill(fill, change):
    assert step(fill, workers=15) == change


@pytest.mark.parametrize(("workers", "change"), [(19, 1), (20, 0)])
def test_twice_the_base_is_most_where_nothing_is_told(workers, change):
    assert step(60, workers) == change


@pytest.mark.parametrize(("workers", "change"), [(11, 1), (12, 0)])
def test_a_maximum_that_is_told(workers, change):
    assert step(60, workers, max_workers=12) == change


@pytest.mark.parametrize(("workers", "change"), [(11, -1), (10, 0)])
def test_never_below_the_base(workers, change):
    assert step(0, workers) == change


@pytest.mark.parametrize("fill", [0, 39, 50, 60])
def test_fewer_than_the_base_grow_to_it_whatever_the_fill(fill):
    assert step(fill, workers=9) == 1


def test_a_base_that_was_raised_is_reached_one_a_second():
    scaling = Scaling(ForwardingSettings(workers=2))
    scaling.settings = ForwardingSettings(workers=4)
    assert [scaling.step(filled(0), workers, now) for workers, now in ((2, 0.0), (3, 0.5), (3, 1.0), (4, 2.0))] == [
        1, 0, 1, 0,
    ]  # fmt: skip


def test_a_maximum_below_the_base_is_the_base():
    assert ForwardingSettings(workers=10, max_workers=3).most_workers == 10


def test_at_most_one_a_second():
    scaling = Scaling(ForwardingSettings())
    queue = filled(60)
    assert [scaling.step(queue, 10, now) for now in (0.0, 0.5, 0.99, 1.0, 1.5, 2.0)] == [1, 0, 0, 1, 0, 1]


def test_a_second_in_which_nothing_changed_is_not_waited_for():
    scaling = Scaling(ForwardingSettings())
    assert scaling.step(filled(50), 10, 0.0) == 0
    assert scaling.step(filled(60), 10, 0.5) == 1


def test_another_threshold():
    assert step(29, workers=10, scale_threshold=30) == 0
    assert step(30, workers=10, scale_threshold=30) == 1
