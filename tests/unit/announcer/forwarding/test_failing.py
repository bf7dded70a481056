"""Forwarders that fail: attempts, suspension, disabling, and the ways back."""

from itertools import pairwise

import pytest

from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.outcome import Cause
from forwardings import Driven, failure, octets, spec


def failed_for_good(driven, torrent, outcome=None):
    """Announce a torrent and let all attempts fail; the times of the attempts."""
    times = []
    driven.announced(torrent)
    while (job := driven.take()) is not None:
        times.append(driven.now)
        driven.done(job, outcome or failure())
        if driven.scheduled:
            driven.tick(driven.scheduled[0].scheduled - driven.now)
    return times


def test_five_attempts_that_wait_1_2_4_and_8_seconds():
    driven = Driven()
    times = failed_for_good(driven, "torrent")
    assert [later - earlier for earlier, later in pairwise(times)] == [1, 2, 4, 8]
    assert driven.state().failures == 1
    assert driven.pending == 0


def test_then_the_torrent_rests_for_a_minute():
    driven = Driven()
    failed_for_good(driven, "torrent")
    driven.now += 59.9
    driven.announced()
    assert driven.take() is None
    driven.now += 0.1
    driven.announced()
    assert driven.take() is not None


def test_an_attempt_that_works_ends_it():
    driven = Driven()
    driven.announced()
    driven.work(failure())
    driven.tick(1)
    driven.work()
    assert (driven.state().failures, driven.pending, driven.scheduled) == (0, 0, [])


@pytest.mark.parametrize(("failures", "disabled"), [(9, False), (10, True)])
def test_ten_failed_requests_in_a_row_disable(failures, disabled):
    driven = Driven()
    for number in range(failures):
        failed_for_good(driven, f"t{number}")
    assert driven.core.forwarders.get("f0").disabled is disabled


def test_a_name_server_that_is_away_never_disables():
    driven = Driven()
    for number in range(20):
        failed_for_good(driven, f"t{number}", failure(Cause.NAME_SERVER_AWAY))
    assert (driven.state().condition, driven.state().failures) == (Condition.ENABLED, 0)


def test_the_reason_of_too_many_failures_names_the_last():
    driven = Driven(fail_threshold=2)
    failed_for_good(driven, "one", failure(Cause.TIMEOUT, reason="no answer"))
    failed_for_good(driven, "two", failure(Cause.SERVER_ERROR, reason="HTTP 503"))
    assert driven.state().cause is Cause.TOO_MANY_FAILURES
    assert driven.state().reason == "2 requests in a row failed; the last: HTTP 503"


def test_an_answer_between_them_starts_the_count_anew():
    driven = Driven()
    for number in range(9):
        failed_for_good(driven, f"t{number}")
    driven.announced("works")
    driven.work()
    for number in range(9):
        failed_for_good(driven, f"u{number}")
    assert not driven.core.forwarders.get("f0").disabled


def test_a_threshold_of_zero_never_disables():
    driven = Driven(fail_threshold=0)
    for number in range(30):
        failed_for_good(driven, f"t{number}")
    assert driven.state().failures == 30
    assert not driven.core.forwarders.get("f0").disabled


@pytest.mark.parametrize(
    "cause", [Cause.NAME_UNKNOWN, Cause.CONNECTION_REFUSED, Cause.NO_ROUTE, Cause.REJECTED, Cause.RETRY_NEVER]
)
def test_what_disables_at_once_holds_for_all_torrents_whatever_the_time(cause):
    driven = Driven()
    driven.announced()
    driven.work(failure(cause, reason="because"))
    driven.tick(10_000_000)
    driven.announced("other")
    assert driven.queue.depth == 0
    status = driven.state()
    assert (status.condition, status.cause, status.reason) == (Condition.DISABLED, cause, "because")


def test_a_call_enables_it():
    driven = Driven()
    driven.announced()
    driven.work(failure(Cause.REJECTED))
    assert driven.core.enable("f0")
    driven.announced()
    assert driven.take() is not None


def test_a_call_enables_it_for_torrents_that_were_found_to_be_due_for_nobody():
    driven = Driven()
    driven.announced("known")
    driven.work()
    driven.now += 1800
    driven.core.forwarders.get("f0").disable(Cause.REJECTED, "HTTP 404")
    driven.announced("known")
    assert driven.take() is None
    driven.core.enable("f0")
    driven.announced("known")
    assert driven.take() is not None


def test_a_forwarder_that_is_added_gets_torrents_that_were_due_for_nobody():
    driven = Driven()
    driven.announced()
    driven.work()
    driven.announced()
    driven.specs = [*driven.specs, spec("new")]
    driven.configure()
    driven.announced()
    assert [job.forwarder for job in driven.take_all()] == ["new"]


def test_a_call_about_an_unknown_forwarder():
    assert not Driven().core.enable("unknown")


def test_a_change_of_its_spec_enables_it():
    driven = Driven()
    driven.announced()
    driven.work(failure(Cause.REJECTED))
    driven.configure()
    assert driven.core.forwarders.get("f0").disabled
    driven.specs = [spec("f0", "http://elsewhere.example/announce")]
    driven.configure()
    driven.announced()
    assert driven.take() is not None


def test_too_many_requests_suspend_for_300_seconds_and_no_longer():
    driven = Driven()
    driven.announced()
    driven.work(failure(Cause.TOO_MANY_REQUESTS, reason="HTTP 429"))
    assert driven.state().condition is Condition.SUSPENDED
    assert driven.state().suspended_for == 300
    driven.now += 299.9
    driven.announced()
    assert driven.take() is None
    driven.now += 0.1
    assert driven.state().condition is Condition.ENABLED
    driven.announced()
    assert driven.take() is not None


def test_the_tracker_may_say_how_long():
    driven = Driven()
    driven.announced()
    driven.work(failure(Cause.TOO_MANY_REQUESTS, wait=42.0))
    assert driven.state().suspended_for == 42


def test_a_suspension_is_no_failure():
    driven = Driven(fail_threshold=1)
    driven.announced()
    driven.work(failure(Cause.TOO_MANY_REQUESTS))
    assert driven.state().failures == 0


def test_an_answer_that_comes_late_does_not_enable_a_disabled_forwarder():
    driven = Driven()
    driven.announced("one")
    driven.announced("two")
    first, second = driven.take_all()
    driven.done(first, failure(Cause.REJECTED))
    driven.done(second)
    assert driven.core.forwarders.get("f0").disabled


def test_what_became_of_a_job_under_an_older_spec_is_ignored():
    driven = Driven()
    driven.announced()
    job = driven.take()
    driven.specs = [spec("f0", "http://elsewhere.example/announce")]
    driven.configure()
    driven.done(job, failure(Cause.REJECTED))
    assert not driven.core.forwarders.get("f0").disabled
    assert driven.pending == 0


def test_an_answer_to_a_job_under_an_older_spec_does_not_put_the_torrent_off():
    driven = Driven()
    driven.announced()
    job = driven.take()
    driven.specs = [spec("f0", "http://elsewhere.example/announce")]
    driven.configure()
    driven.done(job)
    driven.announced()
    assert driven.take() is not None


def test_jobs_of_a_forwarder_that_is_gone_are_dropped():
    driven = Driven(forwarders=2)
    driven.announced("queued")
    driven.announced("scheduled")
    jobs = driven.take_all()
    for job in jobs:
        driven.done(job, failure(wait=60.0))
    driven.announced("more")
    driven.specs = driven.specs[1:]
    driven.configure()
    assert {job.forwarder for job in driven.scheduled} == {"f1"}
    assert driven.pending == 3
    assert [job.forwarder for job in driven.take_all()] == ["f1"]


def test_a_forwarder_that_comes_back_under_another_spec_has_never_heard_of_a_torrent():
    driven = Driven()
    driven.announced()
    driven.work()
    driven.specs = [spec("f0", "http://elsewhere.example/announce")]
    driven.configure()
    assert driven.core.eligibility.next_announce(octets("torrent"), driven.core.forwarders.get("f0")) == 0


def test_ten_thousand_failures_leave_nothing_behind():
    driven = Driven(forwarders=1, fail_threshold=0, attempts=1)
    for number in range(10_000):
        driven.announced(f"t{number}")
    while (job := driven.take()) is not None:
        driven.done(job, failure(Cause.TIMEOUT))
    assert (driven.pending, driven.queue.depth, driven.scheduled) == (0, 0, [])
