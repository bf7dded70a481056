"""A clock that moves only when a test says so."""

import asyncio
import heapq
from itertools import count


class FakeClock:
    """A `forebay.runtime.Clock`: sleepers wake when `advance` or `run` has taken the time past their end."""

    def __init__(self, monotonic: float = 1000.0, wall: float = 1_700_000_000.0) -> None:
        self.now = monotonic
        self.offset = wall - monotonic
        self.sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self.order = count()

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self.now + self.offset

    def set_wall(self, wall: float) -> None:
        """Set the machine's clock; the monotonic time stays."""
        self.offset = wall - self.now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self.sleepers, (self.now + seconds, next(self.order), future))
        await future

    def advance(self, seconds: float) -> None:
        """Take the time forward at once and wake whoever is due; tasks run when the test awaits something."""
        self.now += seconds
        while self.sleepers and self.sleepers[0][0] <= self.now:
            _, _, future = heapq.heappop(self.sleepers)
            if not future.done():
                future.set_result(None)

    async def run(self, seconds: float) -> None:
        """Take the time forward from one sleeper's end to the next, letting tasks run in between."""
        end = self.now + seconds
        await settle()
        while self.sleepers and self.sleepers[0][0] <= end:
            self.advance(max(0.0, self.sleepers[0][0] - self.now))
            await settle()
        self.advance(end - self.now)
        await settle()


async def settle(turns: int = 20) -> None:
    """Let every task that is ready run, and those that it wakes."""
    for _ in range(turns):
        await asyncio.sleep(0)
