"""The failure policy."""

import math

import pytest

from forebay.announcer.forwarding.failurepolicy import NOTHING_OWN, Decision, OwnPolicy, Step, decide
from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.forwarding.settings import ForwardingSettings
from forwardings import failure

SETTINGS = ForwardingSettings()
TRANSIENT = [
    Cause.SERVER_ERROR,
    Cause.CONNECTION_LOST,
    Cause.TIMEOUT,
    Cause.BAD_ANSWER,
    Cause.FAILURE_REASON,
    Cause.INTERNAL,
]


@pytest.mark.parametrize(
    "cause",
    [Cause.NAME_UNKNOWN, Cause.CONNECTION_REFUSED, Cause.NO_ROUTE, Cause.REJECTED, Cause.RETRY_NEVER],
)
def test_what_time_does_not_mend_disables(cause):
    assert decide(failure(cause, math.inf), 1, SETTINGS) == Decision(Step.DISABLE)


@pytest.mark.parametrize(
    ("wait", "seconds"), [(None, 300), (9.0, 10), (10.0, 10), (77.0, 77), (3600.0, 3600), (3601.0, 3600), (0.0, 10)]
)
def test_too_many_requests_suspends(wait, seconds):
    assert decide(failure(Cause.TOO_MANY_REQUESTS, wait), 1, SETTINGS) == Decision(Step.SUSPEND, seconds)


def test_the_suspension_is_a_setting():
    settings = ForwardingSettings(suspension=7)
    assert decide(failure(Cause.TOO_MANY_REQUESTS), 1, settings) == Decision(Step.SUSPEND, 7)


@pytest.mark.parametrize("cause", TRANSIENT)
@pytest.mark.parametrize(("attempt", "seconds"), [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0)])
def test_the_next_attempts_wait_twice_as_long_each(cause, attempt, seconds):
    assert decide(failure(cause), attempt, SETTINGS) == Decision(Step.RETRY, seconds)


@pytest.mark.parametrize("cause", TRANSIENT)
def test_the_fifth_attempt_is_the_last(cause):
    assert decide(failure(cause), 5, SETTINGS) == Decision(Step.GIVE_UP, 60)


@pytest.mark.parametrize(
    ("minutes", "step"), [(1, Step.RETRY), (9, Step.RETRY), (10, Step.COMPLETE), (600, Step.COMPLETE)]
)
def test_what_the_tracker_asks_for_is_scheduled_below_ten_minutes(minutes, step):
    told = failure(Cause.FAILURE_REASON, minutes * 60.0)
    assert decide(told, 1, SETTINGS) == Decision(step, minutes * 60.0)


def test_a_wait_that_the_tracker_asks_for_is_no_failed_attempt():
    assert decide(failure(Cause.FAILURE_REASON, 60.0), 5, SETTINGS).step is Step.RETRY


def test_a_policy_with_nothing_of_its_own_is_that_of_the_announcer():
    assert NOTHING_OWN.over(SETTINGS) is SETTINGS


def test_what_is_its_own_stands_in_the_place_of_the_announcer_s():
    own = OwnPolicy(suspension=7.0, attempts=2, retry_base=0.1, fail_threshold=3).over(SETTINGS)
    assert (own.suspension, own.attempts, own.retry_base, own.fail_threshold) == (7.0, 2, 0.1, 3)
    assert own.queue_size == SETTINGS.queue_size


def test_zero_is_told_and_none_is_not():
    own = OwnPolicy(fail_threshold=0).over(SETTINGS)
    assert (own.fail_threshold, own.attempts) == (0, SETTINGS.attempts)


def test_decisions_follow_the_forwarder_s_own_policy():
    own = OwnPolicy(suspension=7.0, attempts=2, retry_base=0.1).over(SETTINGS)
    assert decide(failure(Cause.TOO_MANY_REQUESTS), 1, own) == Decision(Step.SUSPEND, 7.0)
    assert decide(failure(Cause.TIMEOUT), 1, own) == Decision(Step.RETRY, 0.2)
    assert decide(failure(Cause.TIMEOUT), 2, own).step is Step.GIVE_UP
