"""Writing samples of one resource, with back-pressure."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Protocol

from forebay.client.conduit.errors import ExpiredError, SpillFullError
from forebay.conduit.core.conduits.publisher import Congestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.publisher import Write

WRITES_A_TURN = 64
"""Writes after which the loop has its turn, though the window has room: else nothing would be received."""
UNSPILL_AT_ONCE = 256
"""Samples that go back to the window in one go."""


class Writer(Protocol):
    """The node, for its publishers."""

    def write(self, number: int, samples: Sequence[bytes]) -> Write:
        """Write samples, and send what is full."""

    def unspill(self, number: int, samples: Sequence[bytes]) -> int:
        """Write samples that were laid aside; how many were taken."""

    def spill_ended(self, number: int) -> None:
        """Nothing is laid aside any more."""

    async def written(self, write: Write) -> None:
        """Wait until nothing of a write waits for room."""

    def forget_publisher(self, number: int) -> None:
        """Forget it."""


class Publisher:
    """Writes samples; see `Node.publisher`."""

    def __init__(self, number: int, writer: Writer, congestion: Congestion, spill_octets: int) -> None:
        self.number = number
        self.dropped = 0
        """Samples that found the window full, with `DROP`."""
        self._writer = writer
        self._spills = congestion is Congestion.SPILL
        self._limit = spill_octets
        self._aside: deque[bytes] = deque()
        self._aside_octets = 0
        self._writes = 0

    @property
    def aside(self) -> int:
        """Samples that are laid aside."""
        return len(self._aside)

    async def write(self, samples: Sequence[bytes]) -> int:
        """Write samples, in order; returns how many were sent, or laid aside. What nobody subscribes to goes nowhere.

        Raises `ExpiredError`, `WindowFullError`, `SpillFullError`, `SampleTooLargeError`, `UnknownPublisherError`.
        """
        if self._spills and self._aside_octets >= self._limit:
            raise SpillFullError(self._aside_octets, self._limit)
        write = self._writer.write(self.number, samples)
        self._writes += 1
        if write.pending:
            await self._writer.written(write)
        elif write.dropped or write.spilled or self._writes % WRITES_A_TURN == 0:
            await asyncio.sleep(0)
        if write.expired:
            raise ExpiredError(write.written, write.expired)
        if write.error:
            raise write.error
        self.dropped += write.dropped
        return write.written + write.spilled

    def close(self) -> None:
        """Forget it; what is laid aside is dropped."""
        self._aside.clear()
        self._writer.forget_publisher(self.number)

    def spill(self, samples: Sequence[bytes]) -> None:
        """The node lays samples aside."""
        self._aside += samples
        self._aside_octets += sum(map(len, samples))

    def room(self) -> None:
        """There is room for samples that were laid aside."""
        aside = self._aside
        while aside:
            batch = [aside[place] for place in range(min(len(aside), UNSPILL_AT_ONCE))]
            written = self._writer.unspill(self.number, batch)
            for _ in range(written):
                self._aside_octets -= len(aside.popleft())
            if written < len(batch):
                return
        self._writer.spill_ended(self.number)
