"""The Spill of a router: gives each outlet that is overfull its overflow, and carries out what these have to do."""

import asyncio
import secrets
from contextlib import suppress
from typing import NoReturn

import structlog

from forebay.router.outlet import Outlet
from forebay.router.overflow.overflow import Overflow
from forebay.runtime.clock import Clock
from forebay.spill import LeaseLostError, Spill, SpillError

PAUSE = 0.5
"""Seconds until Redis is tried again."""
PATIENCE = 5.0
"""Seconds that deleting at the end may take."""

log = structlog.stdlib.get_logger(__name__)


class Reservoir:
    """Streams carry the name of the router and of its life: what an earlier life has left is deleted.

    Nothing is lost by that: what waited has no receipt, so that its sender has it too, and sends it again.
    """

    def __init__(self, spill: Spill, router: str, clock: Clock) -> None:
        self._spill = spill
        self._prefix = f"{router}/"
        self._life = f"{router}/{secrets.token_hex(4)}/"
        self._clock = clock
        self._overflows: list[Overflow] = []
        self._number = 0
        self._work = asyncio.Event()
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why Redis cannot be used now; empty while it can."""
        return self._spill.problem or self._problem

    @property
    def octets(self) -> int:
        """Octets that wait."""
        return sum(overflow.octets for overflow in self._overflows)

    def give(self, outlet: Outlet) -> Overflow | None:
        """The overflow of an outlet, which has none yet; None while Redis cannot be used."""
        if not self._spill.available or self._spill.full or self._problem:
            return None
        self._number += 1
        spool = self._spill.spool(f"{self._life}{self._number}/{outlet.name}")
        overflow = outlet.overflow = Overflow(outlet, spool, self._work.set)
        self._overflows.append(overflow)
        return overflow

    async def run(self) -> NoReturn:
        """Carry out what there is to do, until cancelled."""
        while True:
            await self._work.wait()
            self._work.clear()
            if not self._spill.available:
                self._give_up(self._spill.problem)
                with suppress(SpillError):
                    await self._spill.ready()
            if await self._round():
                self._problem = ""
            else:
                self._work.set()
                await self._clock.sleep(PAUSE)

    async def _round(self) -> bool:
        """Each in turn; whether all succeeded."""
        succeeded = True
        for overflow in list(self._overflows):
            try:
                await self._carry_out(overflow)
                overflow.usable = True
            except SpillError as error:
                succeeded = overflow.usable = False
                self._give_up(str(error))
                if isinstance(error, LeaseLostError):
                    overflow.lost()
        return succeeded

    async def _carry_out(self, overflow: Overflow) -> None:
        if overflow.closed:
            await overflow.purge()
            self._overflows.remove(overflow)
        else:
            await overflow.round()

    def _give_up(self, problem: str) -> None:
        """For now nothing more is taken."""
        if not self._problem:
            log.warning("messages cannot be spilled now, senders keep them", problem=problem)
        self._problem = problem
        for overflow in self._overflows:
            overflow.usable = False

    async def tidy(self) -> None:
        """Delete what earlier lives of this router have left."""
        while True:
            try:
                await self._spill.ready()
                for owner in await self._spill.owners():
                    if owner.startswith(self._prefix) and not owner.startswith(self._life):
                        spool = self._spill.spool(owner)
                        await spool.load()
                        await spool.purge()
            except SpillError:
                await self._clock.sleep(PAUSE)
            else:
                return

    async def close(self) -> None:
        """Delete what is left, and close the connections. `run` has been cancelled by now."""
        try:
            async with asyncio.timeout(PATIENCE if self._spill.available else 0):
                for overflow in self._overflows:
                    await overflow.purge()
        except (SpillError, TimeoutError) as error:
            log.warning("messages are left in Redis; the next start deletes them", problem=str(error) or self.problem)
        await self._spill.close()
