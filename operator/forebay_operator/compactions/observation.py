"""How far a run is, by its SparkApplication or Job and by the pods of its driver."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from forebay_operator.body import Body
from forebay_operator.compactions.moments import read
from forebay_operator.compactions.report import LONGEST, Report, report_of
from forebay_operator.compactions.run import DUE, GENERATION, TRIGGER, Run, State, Trigger, moment

_STATES = {
    "": State.PENDING,
    "SUBMITTED": State.STARTING,
    "RUNNING": State.RUNNING,
    "SUCCEEDING": State.RUNNING,
    "COMPLETED": State.SUCCEEDED,
    "FAILING": State.RETRYING,
    "PENDING_RERUN": State.RETRYING,
    "INVALIDATING": State.RETRYING,
    "SUBMISSION_FAILED": State.SUBMISSION_FAILED,
    "FAILED": State.FAILED,
    "SUSPENDING": State.SUSPENDED,
    "SUSPENDED": State.SUSPENDED,
    "RESUMING": State.STARTING,
    "UNKNOWN": State.UNKNOWN,
}
"""By the `applicationState` of a SparkApplication."""
_KEPT = (State.OVERDUE, State.CANCELLED)
"""What we have decided ourselves, whatever the object says until it is gone."""


def observed(body: Body, drivers: Sequence[Body], known: Run | None, now: datetime) -> Run:
    """The run of an object.

    `drivers` are the pods of its drivers, in the order in which they were made; `known` is what status had of it.
    """
    if known is not None and known.state in _KEPT:
        return known
    run = _READERS[body["kind"]](body)
    run = _with_report(run, report_of(drivers[-1]) if drivers else None, known)
    started = run.started or (known.started if known else None)
    ended = (run.ended or (known.ended if known else None) or now) if run.state.is_final else None
    return replace(run, started=started, ended=ended)


def has_to_go(body: Body, known: Run | None) -> bool:
    """Whether we have ended the run of an object that does not know it."""
    return known is not None and known.state in _KEPT and not _READERS[body["kind"]](body).state.is_final


def vanished(known: Run, now: datetime) -> Run:
    """A run of status whose object is gone."""
    if known.state.is_final:
        return known
    if known.figures and not known.message:
        return replace(known, state=State.SUCCEEDED, ended=now)
    return replace(known, state=State.CANCELLED, ended=now, message="its object was deleted before it had ended")


def _with_report(run: Run, report: Report | None, known: Run | None) -> Run:
    """With what the driver said, or with what it said before its pod was gone."""
    if report:
        message = report.cause or run.message
        return replace(run, **_told(report), message=message)
    if known is None:
        return run
    said = known.message if run.state in (State.FAILED, State.RETRYING) else ""
    return replace(run, **(_told(known) if run.state.is_final else {}), message=said or run.message)


def _told(source: Report | Run) -> dict[str, Any]:
    """What a job tells of itself."""
    return {name: getattr(source, name) for name in ("figures", "failures", "failures_left")}


def _base(body: Body, state: State, message: str, attempts: int) -> Run:
    metadata = body["metadata"]
    notes = metadata.get("annotations") or {}
    created = moment(metadata["creationTimestamp"])
    return Run(
        name=metadata["name"],
        trigger=Trigger(notes.get(TRIGGER, Trigger.CHANGE)),
        generation=int(notes.get(GENERATION, 0)),
        due=read(notes.get(DUE)) or created,
        state=state,
        created=created,
        attempts=attempts,
        message=message[:LONGEST],
    )


def _of_application(body: Body) -> Run:
    status = body.get("status") or {}
    told = status.get("applicationState") or {}
    state = _STATES.get(told.get("state", ""), State.UNKNOWN)
    run = _base(body, state, str(told.get("errorMessage") or ""), int(status.get("executionAttempts") or 0))
    return replace(
        run, started=read(status.get("lastSubmissionAttemptTime")), ended=read(status.get("terminationTime"))
    )


def _of_job(body: Body) -> Run:
    status = body.get("status") or {}
    conditions = {each["type"]: each for each in status.get("conditions", ()) if each["status"] == "True"}
    end = conditions.get("Complete") or conditions.get("Failed") or {}
    attempts = sum(int(status.get(field) or 0) for field in ("active", "succeeded", "failed"))
    run = _base(body, _job_state(status, conditions), str(end.get("message") or ""), attempts)
    return replace(run, started=read(status.get("startTime")), ended=read(end.get("lastTransitionTime")))


def _job_state(status: Body, conditions: Mapping[str, Body]) -> State:
    if "Complete" in conditions:
        return State.SUCCEEDED
    if failed := conditions.get("Failed"):
        return State.OVERDUE if failed.get("reason") == "DeadlineExceeded" else State.FAILED
    if "Suspended" in conditions:
        return State.SUSPENDED
    if status.get("ready"):
        return State.RUNNING
    if status.get("failed"):
        return State.RETRYING
    return State.STARTING if status.get("active") else State.PENDING


_READERS: dict[str, Callable[[Body], Run]] = {"SparkApplication": _of_application, "Job": _of_job}
