"""Time as everything here sees it, so that tests can bring their own."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Where time comes from. All of it is in seconds."""

    def monotonic(self) -> float:
        """Time that never jumps; only differences mean something."""
        ...

    def wall(self) -> float:
        """Time since the epoch; it jumps when the machine's clock is set."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for so much of the monotonic time."""
        ...


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:  # noqa: D102
        return time.monotonic()

    def wall(self) -> float:  # noqa: D102
        return time.time()

    async def sleep(self, seconds: float) -> None:  # noqa: D102
        await asyncio.sleep(seconds)
