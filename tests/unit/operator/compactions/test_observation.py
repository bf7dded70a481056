from datetime import timedelta

import pytest

from compactionobjects import NOW, ended, pod, run, spark_run, spark_settings
from forebay_operator.compactions import State, Trigger, has_to_go, observed, vanished
from forebay_operator.resources import spark_application, spark_job

FIGURES = '{"job": "compact-spill", "figures": {"entriesIn": 9}}'


def application(state=None, **status):
    """A SparkApplication whose operator has told a state."""
    body = spark_application(spark_run(), spark_settings())
    body["metadata"]["creationTimestamp"] = "2026-11-28T03:00:00Z"
    told = {} if state is None else {"status": {"applicationState": {"state": state}, **status}}
    return {**body, **told}


def job(*conditions, **status):
    body = spark_job(spark_run(), spark_settings())
    body["metadata"]["creationTimestamp"] = "2026-11-28T03:00:00Z"
    told = [
        {"type": kind, "status": "True", "lastTransitionTime": "2026-11-28T04:00:00Z", **more}
        for kind, more in conditions
    ]
    return {**body, "status": {"conditions": told, **status}}


def seen(body, *pods, known=None):
    return observed(body, pods, known, NOW + timedelta(hours=2))


@pytest.mark.parametrize(
    ("told", "state"),
    [
        (None, State.PENDING),
        ("", State.PENDING),
        ("SUBMITTED", State.STARTING),
        ("RUNNING", State.RUNNING),
        ("SUCCEEDING", State.RUNNING),
        ("COMPLETED", State.SUCCEEDED),
        ("FAILING", State.RETRYING),
        ("PENDING_RERUN", State.RETRYING),
        ("INVALIDATING", State.RETRYING),
        ("SUBMISSION_FAILED", State.SUBMISSION_FAILED),
        ("FAILED", State.FAILED),
        ("SUSPENDING", State.SUSPENDED),
        ("SUSPENDED", State.SUSPENDED),
        ("RESUMING", State.STARTING),
        ("UNKNOWN", State.UNKNOWN),
        ("OF_A_NEWER_OPERATOR", State.UNKNOWN),
    ],
)
def test_each_state_of_an_application_is_one_of_a_run(told, state):
    assert seen(application(told)).state is state


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (job(), State.PENDING),
        (job(active=1), State.STARTING),
        (job(active=1, ready=1), State.RUNNING),
        (job(active=1, failed=1), State.RETRYING),
        (job(("Complete", {}), succeeded=1), State.SUCCEEDED),
        (job(("Failed", {"reason": "BackoffLimitExceeded"})), State.FAILED),
        (job(("Failed", {"reason": "DeadlineExceeded"})), State.OVERDUE),
        (job(("Suspended", {})), State.SUSPENDED),
    ],
)
def test_each_state_of_a_job_is_one_of_a_run(body, state):
    assert seen(body).state is state


@pytest.mark.parametrize("body", [application(), job()])
def test_a_run_is_known_by_its_object(body):
    found = seen(body)
    assert (found.name, found.trigger, found.generation, found.due) == (
        *("nightly-1-202611280300", Trigger.SCHEDULE, 1),
        NOW,
    )


def test_an_application_tells_its_times_and_tries():
    times = {"lastSubmissionAttemptTime": "2026-11-28T03:00:05Z", "terminationTime": "2026-11-28T03:01:00Z"}
    found = seen(application("COMPLETED", executionAttempts=2, **times))
    assert (found.attempts, found.started, found.ended) == (
        2,
        NOW + timedelta(seconds=5),
        NOW + timedelta(seconds=60),
    )


def test_a_time_that_nobody_tells_is_when_it_was_seen_first():
    first = seen(application("FAILED"))
    assert first.ended == NOW + timedelta(hours=2)
    assert observed(application("FAILED"), (), first, NOW + timedelta(hours=9)) == first


def test_figures_are_what_the_driver_said():
    name = spark_run().name
    found = seen(application("COMPLETED"), pod(name, **ended(FIGURES)))
    assert (found.figures, found.message) == ({"entriesIn": 9}, "")


def test_figures_stay_when_the_pod_is_gone():
    known = run(State.SUCCEEDED, name=spark_run().name, figures={"entriesIn": 9})
    assert seen(application("COMPLETED"), known=known).figures == {"entriesIn": 9}


def test_failures_stand_beside_the_figures_and_stay_with_them():
    said = FIGURES[:-1] + ', "failures": ["east: promoted"], "failuresLeft": 2}'
    found = seen(application("FAILED"), pod(spark_run().name, **ended(said, 1)))
    assert (found.figures, found.failures, found.failures_left) == ({"entriesIn": 9}, ("east: promoted",), 2)
    assert seen(application("FAILED"), known=found) == found
    assert seen(application("RUNNING"), known=found).failures == ()


def test_the_driver_knows_better_than_the_operator_why_it_failed():
    body = application("FAILED")
    body["status"]["applicationState"]["errorMessage"] = "driver container failed with ExitCode: 1"
    assert seen(body).message == "driver container failed with ExitCode: 1"
    driver = pod(spark_run().name, **ended("Error: Redis is away", 1))
    assert seen(body, driver).message == "exit code 1: Error: Redis is away"
    known = seen(body, driver)
    assert seen(body, known=known).message == "exit code 1: Error: Redis is away"


def test_the_newest_driver_counts():
    name = spark_run().name
    failed, running = pod(name, **ended("Error: no", 1)), pod(name, number=1)
    assert seen(job(active=1, failed=1), failed).message == "exit code 1: Error: no"
    assert seen(job(active=1, ready=1, failed=1), failed, running).message == ""


def test_what_failed_before_is_forgotten_when_it_runs_again():
    known = run(State.RETRYING, name=spark_run().name, message="exit code 1", figures={"entriesIn": 9})
    found = seen(application("RUNNING"), known=known)
    assert (found.message, found.figures) == ("", {})


@pytest.mark.parametrize("state", [State.OVERDUE, State.CANCELLED])
def test_what_we_ended_stays_so_and_has_to_go(state):
    known = run(state, name=spark_run().name, message="why")
    assert seen(application("RUNNING"), known=known) == known
    assert has_to_go(application("RUNNING"), known)
    assert not has_to_go(application("FAILED"), known)
    assert not has_to_go(application("RUNNING"), None)


def test_a_run_whose_object_is_gone_was_cancelled():
    gone = vanished(run(), NOW)
    assert (gone.state, gone.ended) == (State.CANCELLED, NOW)


def test_a_run_that_has_told_its_figures_had_done_its_work():
    assert vanished(run(figures={"entriesIn": 9}), NOW).state is State.SUCCEEDED


def test_a_run_that_had_ended_may_go():
    succeeded = run(State.SUCCEEDED)
    assert vanished(succeeded, NOW) == succeeded


def test_a_long_message_of_an_operator_is_cut():
    body = application("SUBMISSION_FAILED")
    body["status"]["applicationState"]["errorMessage"] = "x" * 100_000
    assert len(seen(body).message) < 1000
