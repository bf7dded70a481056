"""Compactions, runs and what is made for them, that tests share."""

from datetime import UTC, datetime, timedelta

from forebay.api.v1alpha1 import Compaction, Outfeed
from forebay_operator.compactions import Run, State, Trigger
from forebay_operator.resources import SparkRun
from forebay_operator.settings import Settings
from operatorobjects import UID, managed_spill, outfeed, resource, settings

NOW = datetime(2026, 11, 28, 3, tzinfo=UTC)
SPARK = {"image": {"name": "forebay.example/spark:1.0"}}
SERVICES = ({"kind": "Outfeed", "name": "hub", "uid": "0f-1"},)
ON_SPILL = {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}}
ON_OUTFEED = {"targetRef": {"kind": "Outfeed", "name": "hub"}}


def compaction(name: str = "nightly", **spec) -> Compaction:
    """One of a Spill, unless its job is of an Outfeed."""
    place = ON_OUTFEED if spec.get("job", "compact-spill") != "compact-spill" else ON_SPILL
    return resource("Compaction", name, **{**place, **spec})


def spark_settings(**spark) -> Settings:
    return settings(spark={**SPARK, **spark})


def spark_run(made: Compaction | None = None, target=None, due: datetime = NOW) -> SparkRun:
    """A run of a Compaction by its schedule."""
    made = made or compaction()
    is_outfeed = made.spec.target_ref.kind == "Outfeed"
    target = target or (outfeed() if is_outfeed else managed_spill())
    return SparkRun(made, target, () if isinstance(target, Outfeed) else SERVICES, Trigger.SCHEDULE, due)


def run(state: State = State.RUNNING, ago: float = 0, name: str = "", **fields) -> Run:
    """A run that was made some seconds ago."""
    created = NOW - timedelta(seconds=ago)
    given = {"trigger": Trigger.SCHEDULE, "generation": 1, "due": created, "created": created, **fields}
    return Run(name=name or f"nightly-1-{created:%Y%m%d%H%M}", state=state, **given)


def pod(run_name: str, component: str = "driver", number: int = 0, **status):
    """A pod of a run."""
    labels = {"forebay.dev/uid": UID, "forebay.dev/run": run_name, "app.kubernetes.io/component": component}
    metadata = {"name": f"{run_name}-{component}-{number}", "namespace": "news", "labels": labels}
    metadata |= {"creationTimestamp": f"2026-11-28T03:00:0{number}Z"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": {"phase": "Running", **status}}


def ended(message: str, code: int = 0, **fields):
    """The status of a pod whose container has ended."""
    terminated = {"exitCode": code, "message": message, "reason": "Completed" if code == 0 else "Error", **fields}
    phase = "Failed" if code else "Succeeded"
    return {"phase": phase, "containerStatuses": [{"name": "spark", "state": {"terminated": terminated}}]}
