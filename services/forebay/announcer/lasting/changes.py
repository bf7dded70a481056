"""Which rows of the timetable are not as the jobs are: what has to be written next."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebay.announcer.forwarding.job import Job, PendingKey

Batch = dict["PendingKey", "Job | None"]
"""Jobs to put, and keys of those to strike."""


class Changes:
    """At most one change for each key: what came and went between two writes is never written."""

    def __init__(self) -> None:
        self._open: Batch = {}
        self._rows: set[PendingKey] = set()
        """Keys that have, or may have, a row."""

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, key: PendingKey) -> bool:
        return key in self._open

    def kept(self, job: Job) -> None:
        """A job is like this now."""
        self._open[job.pending_key] = job

    def gone(self, key: PendingKey) -> None:
        """There is no such job any more."""
        if key in self._rows:
            self._open[key] = None
        else:
            self._open.pop(key, None)

    def found(self, key: PendingKey) -> None:
        """There is a row with this key."""
        self._rows.add(key)

    def strike(self, key: PendingKey) -> None:
        """Its row, which is there, has to go."""
        self._open[key] = None

    def take(self, most: int) -> Batch:
        """The next changes to write, the oldest first."""
        batch = dict(islice(self._open.items(), most))
        for key, job in batch.items():
            del self._open[key]
            if job is not None:
                self._rows.add(key)
        return batch

    def written(self, batch: Batch) -> None:
        """These are as they were to be."""
        self._rows.difference_update(key for key, job in batch.items() if job is None)

    def failed(self, batch: Batch) -> None:
        """It is not known whether these were written: they are written again, unless they have changed since."""
        self._open = batch | self._open

    def begin_again(self, rows: set[PendingKey], jobs: Iterable[Job]) -> None:
        """These rows are all there are, and these are the jobs that there have to be."""
        for job in jobs:
            if job.pending_key not in rows:
                self._open[job.pending_key] = job
        self._open = {key: job for key, job in self._open.items() if job is not None or key in rows}
        self._rows = rows
