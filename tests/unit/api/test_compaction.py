"""Compactions: what goes with what."""

import json

import pytest

from forebay.api.manifests import read_object, read_objects
from forebay.api.v1alpha1 import Concurrency, Engine

from .samples import COMPACTION, OUTFEED, SPILL, changed


def problems(path, value):
    return [str(violation) for violation in read_object(changed(COMPACTION, path, value)).violations]


def test_with_every_field_it_survives_json():
    spec = {
        "job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}, "schedule": "30 2 * * sun",
        "timeZone": "Europe/Berlin", "suspend": True, "concurrency": "Replace",
        "threshold": {"size": "100MB", "gap": "1h"}, "limits": {"maxAge": "10d", "maxSize": "1GB"},
        "output": "/mnt/out",
        "volumes": [{"claim": "out", "path": "/mnt", "readOnly": False}], "engine": "Job", "image": "a/b:c",
        "sparkVersion": "4.3.1", "driver": {"cores": 2, "coreRequest": "1.5", "memory": "2GiB"},
        "executor": {"instances": 3, "cores": 2, "coreRequest": "500m", "memory": "2GiB"},
        "sparkConf": {"spark.executor.memoryOverhead": "1g"}, "retries": 5, "deadline": "1h",
        "history": {"succeeded": 1, "failed": 0, "keep": "1d"},
    }  # fmt: skip
    resource = read_object({**COMPACTION, "spec": spec}).resource
    assert resource.manifest()["spec"] == spec
    assert read_object(json.loads(json.dumps(resource.manifest()))).resource == resource


def test_by_default_a_spark_operator_runs_one_at_a_time():
    spec = read_object(COMPACTION).resource.spec
    assert (spec.engine, spec.concurrency, spec.schedule) == (Engine.SPARK_APPLICATION, Concurrency.FORBID, None)


@pytest.mark.parametrize("job", ["compact-outcomes", "feed-report", "verify-messages"])
def test_other_jobs_are_for_outfeeds(job):
    assert problems("spec.job", job) == [
        f"spec.targetRef.kind: does not go with job {job}; give Outfeed, or another job"
    ]


@pytest.mark.parametrize(
    "schedule", ["0 24 * * *", "* * * *", "*/0 * * * *", "0 0 0 1 *", "@reboot", "0 0 * * 1#2", "0 0 L * *"]
)
def test_what_is_no_schedule_is_refused_with_what_one_is(schedule):
    [problem] = problems("spec.schedule", schedule)
    assert problem.startswith(f"spec.schedule: {schedule!r} does not fit; give minute, hour, day of the month")


@pytest.mark.parametrize("key", ["spark.master", "spark.kubernetes.authenticate.driver.oauthToken", "hadoop.a"])
def test_a_key_that_a_spark_operator_refuses_is_refused_here(key):
    [problem] = problems("spec.sparkConf", {key: "a"})
    assert problem.startswith(f"spec.sparkConf: {key!r} does not fit")


def test_its_target_has_to_be_among_the_files():
    readings = read_objects([SPILL, OUTFEED, changed(COMPACTION, "spec.targetRef.name", "spil")])
    assert [str(each) for each in readings[2].violations] == [
        "spec.targetRef.name: there is no Spill spil in namespace default; did you mean spill?"
    ]
    assert not read_objects([SPILL, COMPACTION])[1].violations
