"""Waiting until something happens, by one future for as long as one waits."""

from __future__ import annotations

import asyncio


class Wakening:
    """One waits, others wake it; between two waits nothing is made."""

    def __init__(self) -> None:
        self._future: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """Whoever waits goes on."""
        if self._future and not self._future.done():
            self._future.set_result(None)

    async def wait(self) -> None:
        """Wait for the next `wake`; several may wait at once."""
        if self._future is None or self._future.done():
            self._future = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._future)
