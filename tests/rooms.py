"""A configured outfeed without sockets and Redis: a real storeroom, spools in memory, connections that are played."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fakeclock import FakeClock, settle
from forebay.outfeed.masterfeed import Masterfeed
from forebay.outfeed.peers import Peers
from forebay.outfeed.service import Rooms
from forebay.runtime.tasks import Supervisor
from manifests import peer_options
from memoryspool import MemoryRedis, MemorySpill
from onepeer import IDLE
from storerooms import content, opened


class House:
    """All rooms. `apply` sets the peers, `second` lets one second pass."""

    def __init__(self, storeroom, clock: FakeClock) -> None:
        self.clock = clock
        self.redis = MemoryRedis(clock)
        self.spill = MemorySpill(self.redis)
        self.storeroom = storeroom
        self.masterfeed = Masterfeed(storeroom, clock)
        self.tasks = Supervisor(clock)
        self.peers = Peers(storeroom, self.masterfeed, self.spill, self.tasks, clock)
        self.rooms = Rooms(storeroom, self.masterfeed, self.spill, self.peers)

    async def apply(self, *options, faulty=frozenset()):
        """Make these the peers; returns the violations."""
        violations = await self.peers.apply(options, faulty)
        await self.second()
        return violations

    async def add(self, *names: str) -> None:
        await self.apply(*(peer_options(name) for name in names))

    async def second(self) -> None:
        await settle(IDLE)
        self.clock.advance(1)
        await self.peers.poll()
        await settle(IDLE)

    async def offer(self, *names: str):
        verdicts = await self.masterfeed.offer([content(name) for name in names], wire=False)
        await settle(IDLE)
        return verdicts


@asynccontextmanager
async def house(folder: Path) -> AsyncIterator[House]:
    clock = FakeClock()
    async with opened(folder, clock) as storeroom:
        house = House(storeroom, clock)
        try:
            yield house
        finally:
            await house.tasks.close()
