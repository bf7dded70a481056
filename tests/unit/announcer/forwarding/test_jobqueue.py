"""The job queue."""

import pytest

from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.jobqueue import JobQueue
from forwardings import announce


def job(torrent, forwarder="one", **fields):
    return Job(announce(torrent), forwarder, 0.0, **fields)


def filled(jobs, capacity=100):
    queue = JobQueue(capacity)
    for number in range(jobs):
        assert queue.put(job(str(number)))
    return queue


def test_first_in_first_out():
    queue = filled(3)
    assert [queue.take() for _ in range(4)] == [job("0"), job("1"), job("2"), None]


def test_the_10_000th_fits_and_the_10_001st_does_not():
    queue = filled(9_999, capacity=10_000)
    assert queue.put(job("last"))
    assert not queue.put(job("too many"))
    assert queue.depth == 10_000


@pytest.mark.parametrize("threshold", [40, 60, 80])
def test_a_threshold_is_reached_at_itself(threshold):
    assert not filled(threshold - 1).reaches(threshold)
    assert filled(threshold).reaches(threshold)


def test_one_job_less_in_ten_thousand_is_below_the_threshold():
    assert not filled(7_999, capacity=10_000).reaches(80)
    assert filled(8_000, capacity=10_000).reaches(80)


def test_fill_in_per_cent():
    assert filled(1, capacity=8).fill == 12.5


def test_a_job_is_replaced_in_its_place():
    queue = filled(2)
    queue.replace(job("0", attempt=3))
    assert queue.take() == job("0", attempt=3)


def test_a_job_is_taken_out():
    queue = filled(3)
    queue.remove(job("1").pending_key)
    assert [queue.take(), queue.take(), queue.take()] == [job("0"), job("2"), None]


def test_jobs_beyond_a_smaller_capacity_stay():
    queue = filled(3)
    queue.capacity = 1
    assert queue.room == 0
    assert not queue.put(job("more"))
    assert queue.depth == 3
