"""The job queue: jobs that are ready for a worker, first in, first out, and bounded."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from forebay.announcer.forwarding.job import Job, PendingKey


class JobQueue:
    """At most `capacity` jobs, each with a key of its own. Any of them can be taken out or changed in its place.

    Where the capacity shrinks, jobs beyond it stay, and no more come in until they are gone.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._jobs: OrderedDict[PendingKey, Job] = OrderedDict()

    def __iter__(self) -> Iterator[Job]:
        """All jobs, the oldest first."""
        return iter(self._jobs.values())

    @property
    def depth(self) -> int:
        """How many jobs wait."""
        return len(self._jobs)

    @property
    def room(self) -> int:
        """How many more jobs fit."""
        return max(0, self.capacity - self.depth)

    @property
    def fill(self) -> float:
        """The part of the capacity in use, in per cent."""
        return self.depth * 100 / self.capacity

    def reaches(self, threshold: int) -> bool:
        """Whether it is filled to `threshold` per cent or more; whole numbers, so that the boundary is exact."""
        return self.depth * 100 >= threshold * self.capacity

    def put(self, job: Job) -> bool:
        """Add a job at the end; False when there is no room."""
        if not self.room:
            return False
        self._jobs[job.pending_key] = job
        return True

    def take(self) -> Job | None:
        """The oldest job, taken out; none when it is empty."""
        return self._jobs.popitem(last=False)[1] if self._jobs else None

    def get(self, key: PendingKey) -> Job | None:
        """The job with this key."""
        return self._jobs.get(key)

    def replace(self, job: Job) -> None:
        """Put another job of the same key in the place of the one that waits."""
        self._jobs[job.pending_key] = job

    def remove(self, key: PendingKey) -> None:
        """Take out the job with this key."""
        del self._jobs[key]

    def remove_if(self, matches: Callable[[Job], bool]) -> list[Job]:
        """Take out all jobs that match."""
        removed = [job for job in self._jobs.values() if matches(job)]
        for job in removed:
            self.remove(job.pending_key)
        return removed
