"""The schedule: jobs that wait for their time, one for each torrent and forwarder."""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from forebay.announcer.forwarding.job import Job, PendingKey, ScheduleKey


class Schedule:
    """At most `capacity` jobs, all with a time."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._jobs: dict[ScheduleKey, Job] = {}
        # Entries whose job is gone or has another time by now are passed over when their time comes.
        self._times: list[tuple[float, int, ScheduleKey]] = []
        self._order = count()

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        """All jobs, in no order."""
        return iter(self._jobs.values())

    @property
    def full(self) -> bool:
        """Whether no more jobs fit."""
        return len(self._jobs) >= self.capacity

    def add(self, job: Job) -> bool:
        """Add a job; False when its torrent and forwarder have one already."""
        key = job.schedule_key
        if key in self._jobs:
            return False
        assert job.scheduled is not None  # noqa: S101 only jobs with a time come here
        self._jobs[key] = job
        heapq.heappush(self._times, (job.scheduled, next(self._order), key))
        return True

    def pop_due(self, now: float) -> list[Job]:
        """Take out all jobs whose time has come, the earliest first."""
        due: list[Job] = []
        while self._times and self._times[0][0] <= now:
            at, _, key = heapq.heappop(self._times)
            job = self._jobs.get(key)
            if job is not None and job.scheduled == at:
                due.append(self._jobs.pop(key))
        return due

    def get(self, key: PendingKey) -> Job | None:
        """The job of this client, torrent and forwarder."""
        job = self._jobs.get(key[:2])
        return job if job is not None and job.pending_key == key else None

    def replace(self, job: Job) -> None:
        """Put another job of the same key and time in the place of the one that waits."""
        self._jobs[job.schedule_key] = job

    def remove(self, key: PendingKey) -> None:
        """Take out the job of this client, torrent and forwarder."""
        del self._jobs[key[:2]]

    def remove_if(self, matches: Callable[[Job], bool]) -> list[Job]:
        """Take out all jobs that match."""
        removed = [job for job in self._jobs.values() if matches(job)]
        for job in removed:
            self.remove(job.pending_key)
        return removed

    def upcoming(self, number: int) -> list[Job]:
        """The next so many jobs, the earliest first. It looks at little more than those, however many wait."""
        found: dict[ScheduleKey, Job] = {}
        front = [(self._times[0], 0)] if self._times else []
        while front and len(found) < number:
            (time, _, key), at = heapq.heappop(front)
            job = self._jobs.get(key)
            if job is not None and job.scheduled == time:
                found[key] = job
            # Nobody is earlier than the one above in the heap: those below come into question now.
            for below in (2 * at + 1, 2 * at + 2):
                if below < len(self._times):
                    heapq.heappush(front, (self._times[below], below))
        return list(found.values())
