"""Who waits for whom: xoff, xon and ntf-xon.

Whoever pushes into a full queue tells the sender xoff, and the owner of the queue ntf-xon. The owner tells xon to all
who wait once its queue is low; one xon ends all xoffs of that owner. A sender that waits repeats ntf-xon, so that a
signal that was lost delays it, and no more.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class FlowSettings:
    """How long to wait, in seconds."""

    repeat: float = 0.05
    """Before the first repeat of ntf-xon; each next one waits twice as long."""
    longest_repeat: float = 1.0
    """Between two repeats, at most."""
    block_limit: float = 30.0
    """After which a thread that waits goes on whatever its recipient says, and an alarm is raised: two threads that are
    full of each other's messages would wait for ever."""


@dataclass(slots=True)
class _Block:
    since: float
    due: float
    pause: float


class Throttle:
    """The sender's side: recipients that have told it to wait. Times are of a monotonic clock, in seconds."""

    __slots__ = ("_blocks", "_settings")

    def __init__(self, settings: FlowSettings) -> None:
        self._settings = settings
        self._blocks: dict[str, _Block] = {}

    @property
    def blocked(self) -> bool:
        """There is a recipient that said xoff, and not yet xon."""
        return bool(self._blocks)

    @property
    def blockers(self) -> list[str]:
        """Who they are."""
        return list(self._blocks)

    def xoff(self, blocker: str, now: float) -> None:
        """A recipient is full. Further xoffs of the same one change nothing."""
        if blocker not in self._blocks:
            self._blocks[blocker] = _Block(now, now + self._settings.repeat, self._settings.repeat)

    def xon(self, blocker: str) -> bool:
        """A recipient is not full any more, or has gone; whether it had been waited for."""
        return self._blocks.pop(blocker, None) is not None

    def next_due(self) -> float | None:
        """When `repeats` or `overdue` has something to tell; None while nobody is waited for."""
        limit = self._settings.block_limit
        return min((min(block.due, block.since + limit) for block in self._blocks.values()), default=None)

    def repeats(self, now: float) -> list[str]:
        """Blockers to which ntf-xon has to be sent again now."""
        found = []
        for blocker, block in self._blocks.items():
            if block.due <= now:
                block.pause = min(block.pause * 2, self._settings.longest_repeat)
                block.due = now + block.pause
                found.append(blocker)
        return found

    def overdue(self, now: float) -> list[str]:
        """Blockers that have been waited for too long; they are not waited for any more."""
        limit = self._settings.block_limit
        found = [blocker for blocker, block in self._blocks.items() if block.since + limit <= now]
        for blocker in found:
            del self._blocks[blocker]
        return found


class Waiters:
    """The recipient's side: senders that wait for its xon."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, sender: str) -> None:
        """A sender wants to be told: ntf-xon."""
        self._waiting[sender] = None

    def discard(self, sender: str) -> None:
        """A sender has gone."""
        self._waiting.pop(sender, None)

    def release(self) -> list[str]:
        """All of them, who get an xon now."""
        waiting = list(self._waiting)
        self._waiting.clear()
        return waiting
