"""One run of a Compaction, as it is kept in status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from forebay_operator.compactions.moments import read, written

DUE, TRIGGER, GENERATION = "forebay.dev/due", "forebay.dev/trigger", "forebay.dev/generation"
"""Annotations of the object of a run, by which it is known again."""


class Trigger(StrEnum):
    """What started a run."""

    SCHEDULE = "Schedule"
    THRESHOLD = "Threshold"
    CHANGE = "Change"
    """The spec, where it names neither a schedule nor a threshold."""


class State(StrEnum):
    """How far a run is."""

    PENDING = "Pending"
    """Nobody has taken it up."""
    STARTING = "Starting"
    """Its driver is to come."""
    RUNNING = "Running"
    RETRYING = "Retrying"
    """A try has failed, and another follows."""
    SUBMISSION_FAILED = "SubmissionFailed"
    """The Spark operator could not make its driver, and tries again."""
    SUSPENDED = "Suspended"
    """Somebody has suspended its object."""
    UNKNOWN = "Unknown"
    """The Spark operator can't tell, or in a way that is not known here."""
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    OVERDUE = "DeadlineExceeded"
    CANCELLED = "Cancelled"
    """Its object was deleted before its end."""

    @classmethod
    def _missing_(cls, value: object) -> "State":
        # A newer operator may have written it.
        return cls.UNKNOWN

    @property
    def is_final(self) -> bool:
        """Whether it has ended."""
        return self in _FINAL

    @property
    def is_failure(self) -> bool:
        """Whether it has ended badly."""
        return self in (State.FAILED, State.OVERDUE)


_FINAL = frozenset({State.SUCCEEDED, State.FAILED, State.OVERDUE, State.CANCELLED})


@dataclass(frozen=True)
class Run:
    """A run."""

    name: str
    """Name of its SparkApplication or Job."""
    trigger: Trigger
    generation: int
    due: datetime
    """The time of the schedule that it is for; without one, when it was started."""
    state: State
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    attempts: int = 0
    message: str = ""
    """Why it failed, or what keeps it."""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """What the job said that it did."""
    failures: tuple[str, ...] = ()
    """What it said that it did not do, and why."""
    failures_left: int = 0
    """How many more of those there are."""

    @classmethod
    def from_status(cls, body: Mapping[str, Any]) -> "Run":
        """A run as it was written to status."""
        return cls(
            body["name"],
            Trigger(body["trigger"]),
            body["generation"],
            moment(body["due"]),
            State(body["state"]),
            moment(body["created"]),
            read(body.get("started")),
            read(body.get("ended")),
            body.get("attempts", 0),
            body.get("message", ""),
            body.get("figures", {}),
            tuple(body.get("failures", ())),
            body.get("failuresLeft", 0),
        )

    def status(self) -> dict[str, Any]:
        """The run as it is written to status."""
        optional = {
            "started": self.started and written(self.started),
            "ended": self.ended and written(self.ended),
            "message": self.message,
            "figures": dict(self.figures),
            "failures": list(self.failures),
            "failuresLeft": self.failures_left,
        }
        return {
            "name": self.name,
            "trigger": self.trigger.value,
            "generation": self.generation,
            "due": written(self.due),
            "state": self.state.value,
            "attempts": self.attempts,
            "created": written(self.created),
            **{name: value for name, value in optional.items() if value},
        }


def moment(text: str) -> datetime:
    """A time that has to be there."""
    return datetime.fromisoformat(text)


def newest_first(runs: Iterable[Run]) -> list[Run]:
    """Runs in the order in which they are shown."""
    return sorted(runs, key=lambda run: (run.created, run.name), reverse=True)
