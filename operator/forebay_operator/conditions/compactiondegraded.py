"""Degraded of a Compaction: the last run failed, or the one that is active does not get on."""

from collections.abc import Sequence
from datetime import datetime

from forebay_operator.compactions import Run, State
from forebay_operator.compactions.planning import PICKUP, is_not_picked_up
from forebay_operator.conditions.condition import FALSE, TRUE, Verdict
from forebay_operator.conditions.fault import Fault

MINUTES = int(PICKUP.total_seconds()) // 60


def compaction_degraded(runs: Sequence[Run], namespace: str, trouble: Fault | None, now: datetime) -> Verdict:
    """`runs` are all that are known, the newest first; `trouble` is what keeps a pod of the active one from running."""
    active = next((run for run in runs if not run.state.is_final), None)
    if active and (problem := _stuck(active, namespace, trouble, now)):
        return Verdict(TRUE, problem.reason, problem.message)
    # Whoever deletes a run knows about it.
    ended = next((run for run in runs if run.state.is_failure or run.state is State.SUCCEEDED), None)
    if ended is None or ended.state is State.SUCCEEDED:
        return Verdict(FALSE, "AsExpected", "no run has failed since the last that went well")
    if ended.state is State.OVERDUE:
        return Verdict(TRUE, "DeadlineExceeded", f"{ended.name} {ended.message}")
    return Verdict(TRUE, "RunFailed", f"{ended.name} failed after all its tries: {ended.message or 'no cause given'}")


def _stuck(run: Run, namespace: str, trouble: Fault | None, now: datetime) -> Fault | None:
    if is_not_picked_up(run, now):
        remedy = f"have it watch the namespace {namespace} (its value spark.jobNamespaces), or set spec.engine to Job"
        return Fault("NotPickedUp", f"no Spark operator has taken up {run.name} for {MINUTES} minutes; {remedy}")
    if run.state is State.SUBMISSION_FAILED:
        return Fault("SubmissionFailed", f"the Spark operator can't make the driver of {run.name}: {run.message}")
    return trouble
