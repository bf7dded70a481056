"""The figures of a run: the last line that a job prints, and what an operator reads of it."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LIMIT = 4096
"""Octets that Kubernetes keeps of a termination message."""

Figure = int | float | Mapping[str, int]


@dataclass(frozen=True)
class Figures:
    """What a job did."""

    values: Mapping[str, Figure]
    """By names in camelCase: entries, bytes (octets), seconds; a mapping holds counts by reason."""
    failures: Sequence[str] = field(default=())
    """What was not done and why, one line each; with any, the run has failed in part."""
    failures_left: int = 0
    """How many more of those there are."""


def line(job: str, figures: Figures) -> str:
    """The figures as a line of JSON, with as many failures as it has room for, and the number of those left out."""
    failures = list(figures.failures)
    while len(text := _told(job, figures, failures)) > LIMIT and failures:
        failures.pop()
    return text


def _told(job: str, figures: Figures, failures: Sequence[str]) -> str:
    said: dict[str, object] = {"job": job, "figures": figures.values}
    if figures.failures:
        said["failures"] = failures
    if left := figures.failures_left + len(figures.failures) - len(failures):
        said["failuresLeft"] = left
    return json.dumps(said)


def publish(text: str, file: Path | None) -> None:
    """Print a line of figures, and leave it in a file too, if one is given. Raises `OSError`."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    if file is not None:
        file.write_bytes(text.encode()[:LIMIT])
