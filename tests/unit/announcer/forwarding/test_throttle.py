"""The throttle."""

import pytest

from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.jobqueue import JobQueue
from forebay.announcer.forwarding.settings import ForwardingSettings
from forebay.announcer.forwarding.throttle import quota
from forwardings import announce


def share(eligible, fill=0, **settings):
    queue = JobQueue(100)
    for number in range(fill):
        queue.put(Job(announce(str(number)), "one", 0.0))
    return quota(eligible, queue, ForwardingSettings(**settings))


@pytest.mark.parametrize(("fill", "expected"), [(59, (50, 0)), (60, (20, 30))])
def test_the_top_twenty_from_60_per_cent_on(fill, expected):
    assert share(50, fill) == expected


def test_fewer_than_the_top_are_not_throttled():
    assert share(20, fill=60) == (20, 0)


def test_zero_turns_it_off():
    assert share(50, fill=99, throttle_top=0) == (50, 0)


@pytest.mark.parametrize(("eligible", "expected"), [(100, 100), (101, 100)])
def test_a_maximum_at_any_time(eligible, expected):
    assert share(eligible) == (expected, 0)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"max_forwarders": 5, "throttle_top": 20}, (5, 0)),
        ({"max_forwarders": 20, "throttle_top": 5}, (5, 15)),
    ],
    ids=["the maximum is smaller", "the throttle is smaller"],
)
def test_the_smaller_limit_wins(settings, expected):
    assert share(50, fill=60, **settings) == expected


def test_those_beyond_the_maximum_are_not_counted_as_throttled():
    assert share(150, fill=60) == (20, 80)


def test_another_threshold():
    assert share(50, fill=29, throttle_threshold=30) == (50, 0)
    assert share(50, fill=30, throttle_threshold=30) == (20, 30)
