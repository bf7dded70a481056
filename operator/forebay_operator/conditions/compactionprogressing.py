"""Progressing of a Compaction: a run is under way."""

from forebay_operator.compactions import Run, State
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict


def compaction_progressing(run: Run | None) -> Verdict:
    """`run` is the newest one; None where there was none."""
    if run is None or run.state.is_final:
        return Verdict(FALSE, "Idle", "no run is active")
    if run.state is State.RUNNING:
        return Verdict(TRUE, "Running", f"{run.name} runs")
    if run.state in (State.RETRYING, State.SUBMISSION_FAILED):
        return Verdict(TRUE, "Retrying", f"{run.name} is tried again")
    if run.state is State.SUSPENDED:
        return Verdict(FALSE, "RunSuspended", f"{run.name} was suspended by somebody; resume or delete it")
    if run.state is State.UNKNOWN:
        return Verdict(UNKNOWN, "RunUnknown", f"the Spark operator can't tell how far {run.name} is")
    return Verdict(TRUE, "RunStarting", f"{run.name} waits for its driver")
