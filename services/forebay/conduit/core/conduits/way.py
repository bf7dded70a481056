"""The way that a publisher's samples take, and those that wait while it changes: they stay in order, and come once."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from forebay.conduit.core.conduits.outlet import Outlet
    from forebay.conduit.core.conduits.publisher import Write

MOST_HELD = 1024
"""Writes that may wait for a way; more are errors."""


class Held(NamedTuple):
    """A write that waits for the way."""

    write: Write
    samples: Sequence[bytes]


class Way:
    """One publisher's.

    A peer that gets samples by another conduit than before gets them only once it has acknowledged the earlier ones:
    what two conduits carry has no order.
    """

    __slots__ = ("_last", "_mark", "held", "named", "outlet")

    def __init__(self) -> None:
        self.outlet: Outlet | None = None
        """Where samples went last."""
        self.named = True
        """Whether the id of the resource is settled: before that nothing is written."""
        self.held: deque[Held] = deque()
        self._last: Write | None = None
        self._mark: int | None = None

    def used(self, write: Write) -> None:
        """That was written to the outlet."""
        self._last = write
        self._mark = None

    def changes(self, outlet: Outlet, peers: Iterable[int], now: float) -> bool:
        """Go by another outlet, to these peers; whether that has to wait."""
        old = self.outlet
        if old is None or old is outlet:
            self.outlet = outlet
            return False
        if not self._acknowledged(old, peers, now):
            return True
        self.outlet, self._last, self._mark = outlet, None, None
        return False

    def _acknowledged(self, old: Outlet, peers: Iterable[int], now: float) -> bool:
        if self._last is not None and self._last.pending:
            return False
        if self._mark is None:
            old.conduit.flush(now)
            self._mark = old.conduit.window.next
        members = old.conduit.members
        return all(members.acked(peer) >= self._mark for peer in peers if peer in members)
