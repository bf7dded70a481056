"""A job: one client's announce for one forwarder."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from forebay.announcer.announce import Announce

PendingKey = tuple[bytes, str, bytes]
"""Info hash, forwarder and peer id: a client has one job for a forwarder."""
ScheduleKey = tuple[bytes, str]
"""Info hash and forwarder: of a torrent, whoever announced it, one retry is enough."""


class Job(NamedTuple):
    """What a worker carries out. Times are monotonic seconds."""

    announce: Announce
    """The request. A retry sends the same again, peer id and all."""
    forwarder: str
    """The name of the forwarder."""
    made: float
    """When it was made."""
    scheduled: float | None = None
    """When it may run; none: at once."""
    attempt: int = 1
    """The how-manieth try it is, repetitions that the tracker asked for left out."""

    @property
    def pending_key(self) -> PendingKey:
        """What it is known by while it is queued, scheduled or carried out."""
        return self.announce.info_hash, self.forwarder, self.announce.peer_id

    @property
    def schedule_key(self) -> ScheduleKey:
        """What it is known by in the schedule."""
        return self.announce.info_hash, self.forwarder
