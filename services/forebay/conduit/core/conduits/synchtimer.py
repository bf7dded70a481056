"""When to tell the receivers how far the numbers go: soon, then ever more rarely while nobody moves on."""

from __future__ import annotations

from math import inf


class SynchTimer:
    """The interval doubles with each SYNCH up to the longest; it is the first again once something was acknowledged."""

    __slots__ = ("_first", "_interval", "_longest", "due")

    def __init__(self, first: float, longest: float) -> None:
        """In seconds."""
        self.due = inf
        """When the next SYNCH goes out; infinity while everything is acknowledged."""
        self._first = first
        self._longest = max(first, longest)
        self._interval = first

    def start(self, now: float) -> None:
        """Samples went out; nothing changes while others still wait."""
        if self.due == inf:
            self.due = now + self._interval

    def progressed(self, now: float) -> None:
        """Something was acknowledged, though not everything."""
        self._interval = self._first
        self.due = now + self._first

    def sent(self, now: float) -> None:
        """A SYNCH went out."""
        self._interval = min(self._longest, self._interval * 2)
        self.due = now + self._interval

    def stop(self) -> None:
        """Everything is acknowledged."""
        self._interval = self._first
        self.due = inf
