"""Publishers: what is written to which conduit, and what happens when its window is full."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.forms import DataForm
from forebay.conduit.core.conduits.way import Way
from forebay.conduit.core.errors import WindowFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.errors import ConduitError


class Congestion(Enum):
    """What becomes of samples that the window has no room for."""

    BLOCK = "block"
    """They wait for room, until their deadline."""
    DROP = "drop"
    """They are dropped, and counted."""
    SPILL = "spill"
    """They are laid aside, and sent in order once there is room."""
    ERROR = "error"
    """The caller gets an error at once."""


@dataclass(frozen=True)
class PublisherSettings:
    """One publisher."""

    rid: int
    """The resource, or the selection."""
    conduit: int = 0
    """Id of the conduit: 0 and more for all peers, -index - 1 for the peer of that index alone."""
    reliable: bool = True
    """False: samples may be lost, and nothing waits for acknowledgement."""
    congestion: Congestion = Congestion.BLOCK
    deadline: float = inf
    """BLOCK: seconds that samples wait for room."""
    switching: bool = False
    """While one peer alone subscribes, samples go by its own conduit."""
    history: int = 0
    """So many of the last samples are kept for peers that subscribe later and ask for them, if they are reliable."""


class Publisher:
    """A publisher and its accounts."""

    __slots__ = ("dropped", "expired", "form", "number", "settings", "spilled", "spilling", "way", "written")

    def __init__(self, number: int, settings: PublisherSettings) -> None:
        self.number = number
        self.settings = settings
        self.form = DataForm(settings.rid, reliable=settings.reliable)
        self.way = Way()
        self.spilling = False
        """Earlier samples are laid aside, so later ones follow them."""
        self.written = 0
        """Samples that were sent."""
        self.dropped = 0
        """Samples that found the window full, with DROP."""
        self.spilled = 0
        """Samples that were laid aside, with SPILL."""
        self.expired = 0
        """Samples whose deadline passed, with BLOCK."""

    def name(self, rid: int) -> None:
        """Its resource has another id."""
        self.settings = replace(self.settings, rid=rid)
        self.form = DataForm(rid, reliable=self.settings.reliable)

    def congested(
        self, write: Write, rest: Sequence[bytes], conduit: int, spill: Callable[[Sequence[bytes]], None]
    ) -> None:
        """There is no room for the rest of a write, and it is not to wait. Raises `WindowFullError`."""
        match self.settings.congestion:
            case Congestion.SPILL:
                write.spilled = len(rest)
                self.spilled += len(rest)
                self.spilling = True
                spill(rest)
            case Congestion.DROP:
                write.dropped = len(rest)
                self.dropped += len(rest)
            case _:
                raise WindowFullError(conduit, write.written, len(rest))


class Write:
    """What became of the items of one write. `done` is called once those that had to wait wait no more."""

    __slots__ = ("_items", "deadline", "done", "dropped", "error", "expired", "failed", "spilled", "written")

    def __init__(self, items: Sequence[object], deadline: float = inf) -> None:
        """`deadline`: the time at which it gives up."""
        self._items = items
        self.deadline = deadline
        self.done: Callable[[Write], None] = ignore
        self.written = 0
        """The first so many were sent."""
        self.dropped = 0
        self.spilled = 0
        self.expired = 0
        self.failed = 0
        """So many were not taken, since there was an error after the write had waited for its way."""
        self.error: ConduitError | None = None
        """Which error that was."""

    @property
    def pending(self) -> int:
        """Items that wait for room in the window."""
        return len(self._items) - self.written - self.dropped - self.spilled - self.expired - self.failed

    def follow(self, other: Write) -> None:
        """Its items are written by another write of the same items."""
        self.written, self.dropped = other.written, other.dropped
        self.spilled, self.expired = other.spilled, other.expired
        self.failed, self.error = other.failed, other.error
        if other.pending:
            other.done = self.follow
        else:
            self.done(self)

    def drop(self) -> None:
        """Its items are not written."""
        self.dropped += self.pending
        self.done(self)

    def expire(self) -> None:
        """Its time is up."""
        self.expired += self.pending
        self.done(self)

    def fail(self, error: ConduitError) -> None:
        """What is left of it cannot be written: who wrote it is told here, where nothing can be raised."""
        if isinstance(error, WindowFullError):
            self.written = error.accepted
        self.error = error
        self.failed = self.pending
        self.done(self)


def ignore(_write: Write) -> None:
    """Nobody waits for it."""
