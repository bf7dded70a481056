"""One alarm clock for many times: it rings at the earliest that was asked for."""

import asyncio
from collections.abc import Callable
from math import inf

from forebay.runtime.clock import Clock

SLACK = 0.001
"""Seconds by which it may ring late: a new time that is hardly earlier is no reason to set it anew."""
LONGEST = 60.0
"""Seconds after which it rings in any case, as the machine's clock may have been set."""


class Timer:
    """Calls `ring` at the earliest time asked for, or somewhat before; then it has to be asked again."""

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._at = inf
        self._task: asyncio.Task[None] | None = None

    def set(self, seconds: float) -> None:
        """Ring in so many seconds, if it does not ring before."""
        at = self._clock.monotonic() + min(max(seconds, 0.0), LONGEST)
        if at < self._at - SLACK:
            self.cancel()
            self._at = at
            self._task = asyncio.ensure_future(self._sleep(at))

    def cancel(self) -> None:
        """Ring no more."""
        if self._task:
            self._task.cancel()
        self._task, self._at = None, inf

    async def _sleep(self, at: float) -> None:
        await self._clock.sleep(at - self._clock.monotonic())
        self._task, self._at = None, inf
        self._ring()
