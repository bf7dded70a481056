"""Announcers' jobs that are kept in Redis: lives of one process, one after another or side by side, for tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any

from fakeclock import FakeClock
from forebay.announcer.announce import Event
from forebay.announcer.forwarding.dispatcher import Dispatcher
from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.settings import ForwardingSettings
from forebay.announcer.lasting.jobkeeper import JobKeeper
from forebay.runtime import Clock
from forebay.spill import Spill, SpillSettings
from forwardings import announce, spec

WALL = 1_700_000_000.0


class RealSleep(FakeClock):
    """Its time moves by hand; sleepers sleep for real, and only a moment."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))


class Life:
    """A dispatcher with its keeper, from one start to the next."""

    def __init__(self, spill: Spill, clock: Clock, *, overflow: bool, forwarders: int, **settings: Any) -> None:
        self.clock = clock
        self.settings = ForwardingSettings(**settings)
        self.core = Dispatcher(self.settings, Random(0), clock.monotonic())
        self.specs = [spec(f"f{number}") for number in range(forwarders)]
        self.configure()
        self.keeper = JobKeeper(self.core, spill, clock, overflow=overflow)

    @property
    def now(self) -> float:
        return self.clock.monotonic()

    def configure(self) -> None:
        self.core.configure(self.settings, self.specs, self.now)

    def announced(self, torrent: str = "torrent", peer: str = "peer", event: Event = Event.NONE, **fields: Any) -> Any:
        initial = fields.pop("initial", False)
        return self.core.announced(announce(torrent, peer, event, **fields), lambda _: not initial, self.now)

    def take(self) -> Job | None:
        errand = self.core.take(self.now)
        return errand and errand.job

    def queued(self) -> list[str]:
        """The torrents of the queue, the oldest first."""
        return [name(job) for job in self.core.jobs.queue]

    def scheduled(self) -> list[tuple[str, float]]:
        """The torrents of the schedule with the seconds that they have to wait."""
        jobs = self.core.jobs.schedule.upcoming(1000)
        return [(name(job), round((job.scheduled or 0) - self.now, 3)) for job in jobs]


def name(job: Job) -> str:
    """The torrent of a job."""
    return job.announce.info_hash.rstrip(b".").decode()


@asynccontextmanager
async def connected(url: str, **settings: Any) -> AsyncIterator[Spill]:
    spill = Spill(SpillSettings(url, reconnect_max=0.2, **settings), "announcer", "uid")
    try:
        yield spill
    finally:
        await spill.close()


@asynccontextmanager
async def life(
    url: str, clock: Clock, *, overflow: bool = False, forwarders: int = 1, clean: bool = True, holder: str = "ab",
    lease_ttl: float = 15.0, **settings: Any,
) -> AsyncIterator[Life]:  # fmt: skip
    """One life; when it is not clean, it ends as by kill -9: nothing is written any more, and the lease is not given
    back. Lives of one holder follow each other at once."""
    async with connected(url, holder=holder, lease_ttl=lease_ttl) as spill:
        alive = Life(spill, clock, overflow=overflow, forwarders=forwarders, **settings)
        running = asyncio.create_task(alive.keeper.run())
        try:
            yield alive
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            if clean:
                await alive.keeper.close()


def loaded(alive: Life) -> Callable[[], bool]:
    """Whether what was kept has been loaded, and Redis can be used."""
    return lambda: alive.keeper.problem == ""
