"""What forwarding costs the fronts: their rate while announces go to many upstream trackers, beside that without."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path

from announcerserver import AnnouncerServer
from bench import httpload
from bench.common import cost, in_turns, scratch_folder
from bench.crowds import Crowd
from eventually import eventually
from ports import free_port
from processes import Running

UPSTREAMS = 100
MILLISECONDS = 50
"""That an upstream takes for an answer."""
FEW = Crowd(swarms=100, peers=1)
"""One client of each torrent: so each upstream is told once of each."""
MANY = Crowd(swarms=1000, peers=50)
"""Of these there is more to tell than upstreams can take."""
JOBS = UPSTREAMS * FEW.swarms
SECONDS = 10.0
"""Of a run without forwarding, and of one with a queue that stays full."""
ANNOUNCES = ("forebay_announcer_announces_total", "http")


class Site:
    """An announcer under a load, to which upstream trackers come and go."""

    def __init__(self, server: AnnouncerServer, port: int) -> None:
        self.server = server
        self.port = port

    async def alone(self) -> float:
        """Announces a second that it answers without forwarders."""
        await self._set(0)
        return await self._rate(asyncio.sleep(SECONDS))

    async def full(self) -> float:
        """The same while upstreams are told as much as they take."""
        await self._set(0)
        await self._set(UPSTREAMS)
        return await self._rate(asyncio.sleep(SECONDS))

    async def forwarding(self) -> float:
        """The same until each upstream was told of each torrent."""
        await self._set(0)  # else it may have been told already
        return await self._rate(self._forward())

    async def _forward(self) -> None:
        began = time.perf_counter()
        await self._set(UPSTREAMS)
        async with self.server.client() as client:

            async def done() -> bool:
                return sum(each.answers for each in await client.forwarders()) >= JOBS

            await eventually(done, within=600, every=0.25)
        seconds = time.perf_counter() - began
        print(f"  {JOBS:,} announces went to {UPSTREAMS} upstreams within {seconds:.1f} s", flush=True)

    async def _set(self, upstreams: int) -> None:
        self.server.forwarders.clear()
        for number in range(upstreams):
            self.server.forwarder(f"up{number:03}", f"http://127.0.1.{number + 1}:{self.port}/announce")
        results = await self.server.apply()
        assert all(result.applied for result in results.values()), results

    async def _rate(self, work: Awaitable[None]) -> float:
        """Announces a second that are answered meanwhile."""
        assert self.server.running is not None
        pid = self.server.running.process.pid
        before, began, spent = await self._announces(), time.perf_counter(), cost(pid).cpu
        await work
        announces, seconds = await self._announces() - before, time.perf_counter() - began
        print(f"  {(cost(pid).cpu - spent) / announces * 1e6:.1f} microseconds of CPU an announce", flush=True)
        return announces / seconds

    async def _announces(self) -> float:
        return (await self.server.metrics())[ANNOUNCES]


@contextmanager
def upstreams(log: Path) -> Iterator[int]:
    """The port of trackers on all addresses of loopback."""
    port = free_port()
    running = Running([sys.executable, "-m", "bench.upstreamstandin", port, MILLISECONDS], log)
    try:
        yield port
    finally:
        running.kill()


async def rates(crowd: Crowd, rounds: int) -> tuple[float, float]:
    """Announces a second over HTTP, with forwarding and without."""
    with scratch_folder() as folder, upstreams(folder / "upstreams.log") as port:
        httpload.write_targets(crowd, folder / "targets")
        # With few torrents all are to go to all.
        server = AnnouncerServer(folder, forwarding={"throttleTop": 0} if crowd == FEW else {})
        await server.start()
        assert server.running is not None
        try:
            with httpload.pressure(server.port, folder / "targets", folder / "wrk.log"):
                site = Site(server, port)
                forwarding = site.forwarding if crowd == FEW else site.full
                found = await in_turns({"alone": site.alone, "forwarding": forwarding}, rounds)
        finally:
            server.running.kill()
    return found["forwarding"], found["alone"]
