"""The stand-in takes a SparkApplication through the states that the real one would."""

from datetime import datetime, timedelta

import pytest

from compactionobjects import NOW, compaction, spark_run, spark_settings
from forebay_operator.resources import spark_application
from sparkoperator import configuration, next_status, submission

DRIVER, SUBMITTER = "nightly-1-202611280300-driver", "nightly-1-202611280300-submit-1"


def application(state="", problem="", **status):
    body = spark_application(spark_run(compaction(retries=1)), spark_settings())
    body["metadata"]["uid"] = "a-1"
    told = {"applicationState": {"state": state, "errorMessage": problem}} if state else {}
    return {**body, "status": {"submissionAttempts": 1, "executionAttempts": 1, **told, **status} if state else {}}


def pod(name, phase, code=0):
    ended = {"terminated": {"exitCode": code, "reason": "Error"}}
    status = {"phase": phase, "containerStatuses": [{"state": ended}]}
    return {name: {"metadata": {"name": name}, "status": status}}


def following(app, pods=None, now: datetime = NOW):
    change = next_status(app, pods or {}, now)
    return change["applicationState"]["state"] if change else None


@pytest.mark.parametrize(
    ("state", "pods", "after"),
    [
        ("", {}, "SUBMITTED"),
        ("SUBMITTED", {}, None),
        ("SUBMITTED", pod(SUBMITTER, "Failed", 1), "SUBMISSION_FAILED"),
        ("SUBMITTED", pod(DRIVER, "Running"), "RUNNING"),
        ("SUBMITTED", pod(DRIVER, "Succeeded"), "SUCCEEDING"),
        ("RUNNING", pod(DRIVER, "Running"), None),
        ("RUNNING", pod(DRIVER, "Failed", 1), "FAILING"),
        ("SUCCEEDING", pod(DRIVER, "Succeeded"), "COMPLETED"),
        ("PENDING_RERUN", pod(DRIVER, "Failed", 1), None),
        ("PENDING_RERUN", {}, "SUBMITTED"),
        ("COMPLETED", {}, None),
        ("FAILED", {}, None),
    ],
)
def test_a_state_follows_from_the_pods(state, pods, after):
    assert following(application(state), pods) == after


def test_a_try_is_repeated_after_its_wait_until_there_are_no_more():
    last = {"lastSubmissionAttemptTime": "2026-11-28T03:00:00Z"}
    assert following(application("FAILING", **last)) is None
    assert following(application("FAILING", **last), now=NOW + timedelta(seconds=30)) == "PENDING_RERUN"
    assert following(application("FAILING", executionAttempts=2, **last)) == "FAILED"


def test_an_end_keeps_its_cause():
    change = next_status(application("FAILING", "ExitCode: 1", executionAttempts=2), {}, NOW)
    assert change is not None
    assert change["applicationState"]["errorMessage"] == "ExitCode: 1"


def test_pods_are_owned_by_the_application():
    for body in submission(application(), 1):
        assert body["metadata"]["ownerReferences"][0]["uid"] == "a-1"
        assert "a-1" in str(body.get("data", "a-1"))


def test_labels_of_the_application_are_given_to_the_driver():
    given = dict(configuration(application(), 1))
    assert given["spark.kubernetes.driver.label.app.kubernetes.io/name"] == "compaction"
    assert given["spark.kubernetes.driver.pod.name"] == DRIVER
