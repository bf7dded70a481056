"""The status of a Compaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from forebay.api.v1alpha1 import CompactionSpec
from forebay_operator.body import Body
from forebay_operator.compactions import Run, Schedule, newest_first
from forebay_operator.compactions.moments import written
from forebay_operator.conditions.compactiondegraded import compaction_degraded
from forebay_operator.conditions.compactionprogressing import compaction_progressing
from forebay_operator.conditions.compactionready import compaction_ready
from forebay_operator.conditions.condition import settled
from forebay_operator.conditions.fault import Fault

EARLIER = 10
"""Runs that a status keeps beside the last."""


@dataclass(frozen=True)
class Progress:
    """What is known of a Compaction's runs."""

    runs: Sequence[Run] = ()
    schedule: Schedule | None = None
    """None also while suspended."""
    until: datetime | None = None
    """Up to when the times of the schedule are dealt with."""
    trouble: Fault | None = None
    """What keeps a pod of the active run from running."""


def compaction_status(
    compaction: Body, spec: CompactionSpec | None, progress: Progress, now: datetime, fault: Fault | None = None
) -> Body:
    """The whole new status of a Compaction (its Body with metadata, spec and old status)."""
    runs = newest_first(progress.runs)
    verdicts = {
        "Ready": compaction_ready(spec, fault),
        "Progressing": compaction_progressing(runs[0] if runs else None),
        "Degraded": compaction_degraded(runs, compaction["metadata"]["namespace"], progress.trouble, now),
    }
    status = settled(compaction, verdicts, now)
    if runs:
        status["lastRun"] = runs[0].status()
    if earlier := runs[1 : EARLIER + 1]:
        status["earlierRuns"] = [run.status() for run in earlier]
    if spec is None:
        # It may be mended, and then goes on from there.
        old = compaction.get("status", {})
        status |= {name: old[name] for name in ("schedule", "scheduledUntil") if name in old}
    if progress.schedule and progress.until:
        status["schedule"] = progress.schedule.text
        status["scheduledUntil"] = written(progress.until)
        status["nextRun"] = written(progress.schedule.next(now))
    return status
