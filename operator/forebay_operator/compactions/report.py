"""What the pod of a driver said when it ended."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LONGEST = 600
"""Characters of a cause."""
CAUSE_LINES = 3
"""Last lines of a log, or first failures, that are its cause."""
FAILURES = 100
"""Failures that are kept one by one."""
_CHATTER = re.compile(r"^\d\d/\d\d/\d\d \d\d:\d\d:\d\d (INFO|WARN) |^WARNING: ")
"""How lines of Spark's log begin that are no cause."""


@dataclass(frozen=True)
class Report:
    """What became of one driver."""

    figures: Mapping[str, Any] = field(default_factory=dict)
    """What it says that it did; empty where it could not say."""
    failures: tuple[str, ...] = ()
    """What it did not do and why, of a job that failed in part."""
    failures_left: int = 0
    """How many more of those there are."""
    cause: str = ""
    """Why it failed; empty where it did not."""


def report_of(pod: Mapping[str, Any]) -> Report | None:
    """What became of the driver in a pod; None while it runs.

    A job leaves a line of JSON as the termination message of its container. One that could not leaves none, and
    Kubernetes puts the end of the log there instead.
    """
    for container in pod.get("status", {}).get("containerStatuses", ()):
        if ended := container.get("state", {}).get("terminated"):
            return _read(ended)
    return None


def _read(ended: Mapping[str, Any]) -> Report:
    message = str(ended.get("message") or "")
    said = _said(message)
    figures = said.get("figures", {})
    if not ended.get("exitCode"):
        return Report(figures)
    told = tuple(str(each) for each in said.get("failures", ()))
    failures = told[:FAILURES]
    left = int(said.get("failuresLeft", 0)) + len(told) - len(failures)
    lines = _shortly(failures, left) if said else _last_lines(message)
    return Report(figures, failures, left, _cause(ended, lines))


def _said(message: str) -> dict[str, Any]:
    """What a job said of itself: its last line, if it is what a job writes."""
    lines = message.strip().splitlines()
    try:
        said = json.loads(lines[-1]) if lines else None
    except ValueError:
        return {}
    return said if isinstance(said, dict) and isinstance(said.get("figures"), dict) else {}


def _shortly(failures: Sequence[str], left: int) -> list[str]:
    shown = failures[:CAUSE_LINES]
    others = len(failures) - len(shown) + left
    return [*shown, *([f"and {others} more"] if others else [])]


def _last_lines(message: str) -> list[str]:
    lines = (line.strip() for line in message.splitlines())
    return [line for line in lines if line and not _CHATTER.match(line)][-CAUSE_LINES:]


def _cause(ended: Mapping[str, Any], lines: Sequence[str]) -> str:
    if ended.get("reason") == "OOMKilled":
        return "out of memory: raise spec.driver.memory"
    text = "; ".join(lines)
    return f"exit code {ended['exitCode']}{': ' if text else ''}{text[-LONGEST:]}"
