from datetime import timedelta

import pytest

from compactionobjects import NOW, compaction, run
from forebay_operator.compactions import State, schedule_of
from forebay_operator.conditions import Fault, Progress, compaction_status, transitions
from unit.operator.conditions.known import after, brief, said

SCHEDULE = schedule_of("0 3 * * *", "UTC")
NIGHTLY = {"schedule": "0 3 * * *"}


def body(made):
    return {"apiVersion": "forebay.dev/v1alpha1", "kind": "Compaction", "metadata": made.manifest()["metadata"]}


def status(*runs, fault=None, trouble=None, old=None, **spec):
    made = compaction(**spec)
    progress = Progress(runs, SCHEDULE if made.spec.schedule else None, NOW, trouble)
    return compaction_status(after(body(made), old or {}), made.spec, progress, NOW, fault)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({}, "RunsOnce"),
        (NIGHTLY, "Scheduled"),
        ({"threshold": {"size": "1GB"}}, "Watching"),
        ({**NIGHTLY, "threshold": {"size": "1GB"}}, "Scheduled"),
        ({**NIGHTLY, "suspend": True}, "Suspended"),
    ],
)
def test_ready_tells_what_starts_runs(spec, reason):
    assert brief(status(**spec)) == ("True", reason)


def test_ready_tells_what_is_in_the_way():
    found = status(fault=Fault("SparkOperatorMissing", "install it"), **NIGHTLY)
    assert said(found, "Ready") == ("False", "SparkOperatorMissing", "install it")


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (State.PENDING, ("True", "RunStarting")),
        (State.STARTING, ("True", "RunStarting")),
        (State.RUNNING, ("True", "Running")),
        (State.RETRYING, ("True", "Retrying")),
        (State.SUBMISSION_FAILED, ("True", "Retrying")),
        (State.SUSPENDED, ("False", "RunSuspended")),
        (State.UNKNOWN, ("Unknown", "RunUnknown")),
        (State.SUCCEEDED, ("False", "Idle")),
        (State.FAILED, ("False", "Idle")),
        (State.CANCELLED, ("False", "Idle")),
    ],
)
def test_progressing_tells_how_far_the_newest_run_is(state, told):
    assert brief(status(run(state), run(State.RUNNING, ago=60)), "Progressing") == told


def test_without_a_run_nothing_is_under_way_and_nothing_wrong():
    assert brief(status(), "Progressing") == ("False", "Idle")
    assert brief(status(), "Degraded") == ("False", "AsExpected")


def test_degraded_names_the_cause_until_a_run_goes_well():
    failed = run(State.FAILED, ago=60, message="exit code 1: Error: Redis is away")
    assert said(status(failed), "Degraded").message.endswith("exit code 1: Error: Redis is away")
    assert brief(status(run(), failed), "Degraded") == ("True", "RunFailed")
    assert brief(status(run(State.CANCELLED), failed), "Degraded") == ("True", "RunFailed")
    assert brief(status(run(State.SUCCEEDED), failed), "Degraded") == ("False", "AsExpected")


def test_degraded_tells_of_a_run_that_took_too_long():
    assert brief(status(run(State.OVERDUE)), "Degraded") == ("True", "DeadlineExceeded")


def test_degraded_tells_of_a_run_that_nobody_takes_up_and_what_to_do():
    waiting = run(State.PENDING, ago=120)
    found = said(status(waiting), "Degraded")
    assert found[:2] == ("True", "NotPickedUp")
    assert "spark.jobNamespaces" in found.message
    assert "news" in found.message
    assert brief(status(run(State.PENDING, ago=119)), "Degraded") == ("False", "AsExpected")


def test_degraded_tells_of_a_submission_that_failed():
    found = said(status(run(State.SUBMISSION_FAILED, message="forbidden: no pods")), "Degraded")
    assert found[:2] == ("True", "SubmissionFailed")
    assert found.message.endswith("forbidden: no pods")


def test_degraded_tells_of_a_pod_that_can_not_start():
    trouble = Fault("ImagePullFailed", "no such image")
    assert said(status(run(State.STARTING), trouble=trouble), "Degraded") == (
        "True",
        "ImagePullFailed",
        "no such image",
    )


def test_the_newest_runs_are_kept():
    runs = [run(State.SUCCEEDED, ago=60 * number) for number in range(20)]
    found = status(*reversed(runs))
    assert found["lastRun"]["name"] == runs[0].name
    assert [each["name"] for each in found["earlierRuns"]] == [each.name for each in runs[1:11]]


def test_the_next_run_is_that_of_the_schedule():
    found = status(**NIGHTLY)
    assert (found["schedule"], found["scheduledUntil"]) == ("0 3 * * * UTC", "2026-11-28T03:00:00Z")
    assert found["nextRun"] == "2026-11-29T03:00:00Z"
    assert status().keys() == {"observedGeneration", "conditions"}


def test_what_a_spec_that_can_not_be_read_had_scheduled_is_not_forgotten():
    old = status(**NIGHTLY)
    resource = after(body(compaction(**NIGHTLY)), old)
    found = compaction_status(resource, None, Progress(), NOW, Fault("Invalid", "spec.schedule: ..."))
    assert (found["schedule"], found["scheduledUntil"]) == (old["schedule"], old["scheduledUntil"])
    assert "nextRun" not in found


def events(old, new):
    return [(event.type, event.reason) for event in transitions(old, new)]


def test_a_run_that_goes_well_has_two_events():
    idle, running = status(), status(run())
    done = status(run(State.SUCCEEDED, figures={"entriesIn": 9, "dropped": {"duplicate": 3}}))
    assert events(idle, running) == [("Normal", "RunStarted")]
    assert events(running, status(run(attempts=1))) == []
    assert events(running, done) == [("Normal", "RunSucceeded")]
    assert events(done, done) == []
    assert transitions(running, done)[0].message == f"{run().name} went well: entriesIn 9"


def test_a_run_that_failed_has_one_event_and_so_has_the_recovery():
    running, failed = status(run()), status(run(State.FAILED))
    later = run(State.SUCCEEDED, ago=-60)
    assert events(running, failed) == [("Warning", "RunFailed")]
    assert events(failed, status(later, run(State.FAILED))) == [
        ("Normal", "AsExpected"),
        ("Normal", "RunStarted"),
        ("Normal", "RunSucceeded"),
    ]


def test_times_of_conditions_move_with_their_status_alone():
    old = status(run())
    resource = after(body(compaction()), old)
    found = compaction_status(resource, compaction().spec, Progress([run(attempts=2)]), NOW + timedelta(hours=1))
    assert [each["lastTransitionTime"] for each in found["conditions"]] == ["2026-11-28T03:00:00Z"] * 3
