"""What is remembered of the jobs that wait in Redis: few enough to be held, and only to spare useless ones."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from forebay.announcer.announce import Event

if TYPE_CHECKING:
    from forebay.announcer.forwarding.job import Job, PendingKey


class WaitingList:
    """The newest `most` jobs and stops; one that is forgotten costs a repeat that is found out when it comes back."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._jobs: OrderedDict[PendingKey, Job] = OrderedDict()
        self._stops: OrderedDict[tuple[bytes, bytes], float] = OrderedDict()

    def add(self, job: Job) -> bool:
        """Whether a job is worth keeping: not when the same request of this client waits already."""
        before = self._jobs.get(job.pending_key)
        if before is not None and before.announce.event is job.announce.event:
            return False
        self._jobs[job.pending_key] = job
        if len(self._jobs) > self.most:
            self._jobs.popitem(last=False)
        return True

    def stop(self, info_hash: bytes, peer_id: bytes, now: float) -> None:
        """A client has stopped."""
        self._stops[info_hash, peer_id] = now
        if len(self._stops) > self.most:
            self._stops.popitem(last=False)

    def remove(self, job: Job) -> bool:
        """A job has come back; whether it is still to be sent: its client has not stopped since."""
        self._jobs.pop(job.pending_key, None)
        announce = job.announce
        stopped = self._stops.get((announce.info_hash, announce.peer_id))
        return stopped is None or announce.event is Event.STOPPED or job.made > stopped

    def clear(self) -> None:
        """None waits any more."""
        self._jobs.clear()
        self._stops.clear()
