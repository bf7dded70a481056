"""What is to be done about a Compaction now: a run started, runs ended, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from forebay.api.v1alpha1 import CompactionSpec, Concurrency
from forebay_operator.compactions.run import Run, State, Trigger, newest_first
from forebay_operator.compactions.schedule import Schedule

PICKUP = timedelta(minutes=2)
"""After which a run that nobody has taken up will not be without help."""

GRACE = timedelta(minutes=1)
"""Time behind the deadline for Kubernetes to give up a Job itself, which then stays to be looked at."""


@dataclass(frozen=True)
class Situation:
    """All that a decision is made of."""

    spec: CompactionSpec
    generation: int
    runs: Sequence[Run]
    """All that are known."""
    lingering: bool
    """Whether a driver runs whose run has ended already, or was deleted."""
    schedule: Schedule | None
    """None also while suspended."""
    until: datetime
    """Up to when the times of the schedule are dealt with."""
    size: int
    """Octets that are spilled for the peer for which there is most."""

    @property
    def active(self) -> list[Run]:
        """The runs that have not ended, the newest first."""
        return newest_first(run for run in self.runs if not run.state.is_final)


@dataclass(frozen=True)
class Decision:
    """What is to be done."""

    until: datetime
    """Up to when the times of the schedule are dealt with then."""
    start: tuple[Trigger, datetime] | None = None
    """What starts a run, and for which time."""
    ends: tuple[tuple[Run, State, str], ...] = ()
    """Runs to be ended, what they are then, and why."""

    def acts(self, situation: Situation) -> bool:
        """Whether anything has to be done."""
        return bool(self.start or self.ends or self.until != situation.until)


def decide(situation: Situation, now: datetime) -> Decision:
    """What is to be done now."""
    late = [run for run in situation.active if is_overdue(situation.spec, run, now)]
    if late:
        message = f"had not ended after {situation.spec.deadline}; raise spec.deadline, or see what kept it"
        return Decision(situation.until, ends=tuple((run, State.OVERDUE, message) for run in late))
    called = _called(situation, now)
    if called is None:
        return Decision(situation.until)
    trigger, due = called
    until = due if trigger is Trigger.SCHEDULE else situation.until
    if not situation.active and not situation.lingering:
        return Decision(until, start=called)
    return _meeting(situation, trigger, until)


def _meeting(situation: Situation, trigger: Trigger, until: datetime) -> Decision:
    """What is to be done when a run is due while another is active."""
    if situation.spec.concurrency is Concurrency.REPLACE and trigger is not Trigger.THRESHOLD:
        # The next one starts when the pods of this one are gone: the time stays due until then.
        ends = tuple((run, State.CANCELLED, "the next run took its place") for run in situation.active)
        return Decision(situation.until, ends=ends)
    # Without an active one it is but a pod that ends: the time stays due for these seconds.
    return Decision(until if situation.active else situation.until)


def _called(situation: Situation, now: datetime) -> tuple[Trigger, datetime] | None:
    """What a run is due for, and since when."""
    spec = situation.spec
    if spec.suspend:
        return None
    if situation.schedule and (due := situation.schedule.last(now)) > situation.until:
        return Trigger.SCHEDULE, due
    if spec.threshold:
        return (Trigger.THRESHOLD, now) if _is_full(situation, now) else None
    if situation.schedule or any(run.generation == situation.generation for run in situation.runs):
        return None
    return Trigger.CHANGE, now


def _is_full(situation: Situation, now: datetime) -> bool:
    threshold = situation.spec.threshold
    if threshold is None or situation.size < threshold.size:
        return False
    return all(run.created + threshold.gap <= now for run in situation.runs)


def is_overdue(spec: CompactionSpec, run: Run, now: datetime) -> bool:
    """Whether a run has to be given up."""
    return now >= run.created + spec.deadline + GRACE


def is_not_picked_up(run: Run, now: datetime) -> bool:
    """Whether nobody will take up a run."""
    return run.state is State.PENDING and now >= run.created + PICKUP


def superfluous(spec: CompactionSpec, runs: Sequence[Run]) -> list[Run]:
    """The runs whose objects are not to stay: those that we ended, and the oldest of those beyond the limits."""
    final = [run for run in newest_first(runs) if run.state.is_final]
    succeeded = [run for run in final if run.state is State.SUCCEEDED]
    failed = [run for run in final if run.state.is_failure]
    cancelled = [run for run in final if run.state is State.CANCELLED]
    return [*succeeded[spec.history.succeeded :], *failed[spec.history.failed :], *cancelled]
