"""A bound on the octets that are in work at once."""

from asyncio import Future, get_running_loop
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from forebay.runtime.errors import ResourceExhaustedError


class ByteBudget:
    """Octets that may be held at once; whoever wants more waits its turn, first come, first served."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self._waiting: deque[tuple[int, Future[None]]] = deque()

    @asynccontextmanager
    async def hold(self, size: int) -> AsyncIterator[None]:
        """Hold so many octets meanwhile.

        Raises `ResourceExhaustedError` when they would not fit even alone.
        """
        await self.acquire(size)
        try:
            yield
        finally:
            self.release(size)

    async def acquire(self, size: int) -> None:
        """Wait until so many octets fit, and take them."""
        if size > self.limit:
            raise ResourceExhaustedError(
                f"{size} octets at once are more than the limit of {self.limit}: send smaller batches",
                reason="BATCH_TOO_LARGE",
                facts={"limit": str(self.limit)},
            )
        if not self._waiting and self.used + size <= self.limit:
            self.used += size
            return
        await self._turn(size)

    async def _turn(self, size: int) -> None:
        turn: Future[None] = get_running_loop().create_future()
        self._waiting.append((size, turn))
        try:
            await turn
        except BaseException:
            # Cancelled: either its turn had come already, or those behind it may fit now.
            self.release(0 if turn.cancelled() else size)
            raise

    def release(self, size: int) -> None:
        """Give octets back."""
        self.used -= size
        self._admit()

    def _admit(self) -> None:
        while self._waiting:
            size, turn = self._waiting[0]
            if not turn.cancelled():
                if self.used + size > self.limit:
                    return
                self.used += size
                turn.set_result(None)
            self._waiting.popleft()
