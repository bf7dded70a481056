"""What a dispatcher tells of its jobs to whoever keeps them over a restart, and where jobs go that find no room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from forebay.announcer.forwarding.job import Job, PendingKey


class Watcher(Protocol):
    """Is told of each change; it must be quick and raise nothing."""

    def kept(self, job: Job) -> None:
        """A job is queued, scheduled or in flight like this now."""
        ...

    def gone(self, key: PendingKey) -> None:
        """There is no more to do about the job with this key."""
        ...

    async def settle(self) -> None:
        """Return once all that was told is safe, or cannot be made safe now."""
        ...


class Overflow(Protocol):
    """Jobs that wait outside for room in the queue, first in, first out."""

    @property
    def is_open(self) -> bool:
        """Whether it takes jobs now."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether none waits."""
        ...

    def put(self, job: Job) -> None:
        """Let a job wait, unless the same is known to wait there already."""
        ...

    def stopped(self, info_hash: bytes, peer_id: bytes, now: float) -> None:
        """A client has stopped: what it has waiting there is not to be sent."""
        ...


class Nobody:
    """A watcher that keeps nothing."""

    def kept(self, job: Job) -> None:
        """Forget it."""

    def gone(self, key: PendingKey) -> None:
        """Forget it."""

    async def settle(self) -> None:
        """Nothing is ever to be made safe."""


class NoOverflow:
    """Takes no jobs."""

    is_open = False
    is_empty = True

    def put(self, job: Job) -> None:
        """Never called, since it is not open."""

    def stopped(self, info_hash: bytes, peer_id: bytes, now: float) -> None:
        """Nothing waits here."""
