"""The Spill of a node: gives each publisher that spills its reserve, and carries out what these have to do."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import structlog

from forebay.conduit.spilling.owners import Owner, parse_owner
from forebay.conduit.spilling.reserve import Reserve
from forebay.spill import LeaseLostError, Spill, SpillError

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.spilling.outflow import Outflow
    from forebay.runtime.clock import Clock

PAUSE = 0.5
"""Seconds until Redis is tried again."""
LOOK_SECONDS = 0.1
"""How often is looked whether peers have acknowledged what was sent."""
PATIENCE = 5.0
"""Seconds that writing at the end may take."""

log = structlog.stdlib.get_logger(__name__)


class Reservoir:
    """What an earlier life of the node has left is sent first of all that comes later."""

    def __init__(self, spill: Spill, node: str, clock: Clock) -> None:
        """`node`: its name, over all its lives."""
        self.node = node
        self._spill = spill
        self._clock = clock
        self._reserves: dict[int, tuple[str, Reserve]] = {}
        """With their owners, by the numbers of their publishers."""
        self._work = asyncio.Event()
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why Redis cannot be used now; empty while it can."""
        return self._spill.problem or self._problem

    @property
    def waiting(self) -> int:
        """Samples that wait."""
        return sum(reserve.waiting for _, reserve in self._reserves.values())

    def authenticate(self, url: str) -> None:
        """Use the user and password of a URL from now on. Raises `SpillSettingsError` when it names another place."""
        self._spill.authenticate(url)

    def give(self, outflow: Outflow, owner: str, limit: int) -> Reserve:
        """The reserve of a publisher; `limit`: octets that it keeps in memory."""
        reserve = Reserve(outflow, self._spill.spool(owner), limit, self.wake)
        self._reserves[outflow.number] = (owner, reserve)
        return reserve

    def of(self, publisher: int) -> Reserve | None:
        """The reserve of the publisher of that number; None: it has none."""
        found = self._reserves.get(publisher)
        return found[1] if found else None

    def wake(self) -> None:
        """There may be something to do: samples, or somebody who wants them."""
        self._work.set()

    async def run(self) -> NoReturn:
        """Carry out what there is to do, until cancelled."""
        while True:
            await self._until_work()
            self._work.clear()
            if not self._spill.available and any(reserve.busy for _, reserve in self._reserves.values()):
                self._give_up(self._spill.problem)
                with suppress(SpillError):
                    await self._spill.ready()
            if await self._round():
                self._problem = ""
            else:
                self._work.set()
                await self._clock.sleep(PAUSE)

    async def _until_work(self) -> None:
        pending = any(reserve.pending for _, reserve in self._reserves.values())
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS if pending else None):
                await self._work.wait()

    async def _round(self) -> bool:
        """Each in turn; whether all succeeded."""
        succeeded = True
        for number, (owner, reserve) in list(self._reserves.items()):
            try:
                await reserve.round()
                if reserve.retiring and (reserve.settled or not reserve.outflow.here):
                    await reserve.purge()
                    reserve.outflow.forget()
                    del self._reserves[number]
            except SpillError as error:
                succeeded = False
                reserve.failed()
                self._give_up(str(error))
                if isinstance(error, LeaseLostError):
                    log.warning("the lease of a spool was lost, it is read again", owner=owner)
                    reserve.lost()
            else:
                reserve.succeeded()
        return succeeded

    def _give_up(self, problem: str) -> None:
        """For now nothing more is taken."""
        if not self._problem:
            log.warning("samples cannot be spilled now, publishers wait", problem=problem)
        self._problem = problem
        for _, reserve in self._reserves.values():
            reserve.failed()

    async def resume(self, publish: Callable[[Owner], Outflow], limit: int) -> None:
        """Send what earlier lives of this node have left; `publish` declares a publisher for it."""
        while True:
            try:
                await self._spill.ready()
                owners = await self._spill.owners()
            except SpillError:
                await self._clock.sleep(PAUSE)
            else:
                break
        known = {owner for owner, _ in self._reserves.values()}
        for name in owners:
            owner = parse_owner(name)
            if owner and owner.node == self.node and name not in known:
                reserve = self.give(publish(owner), name, limit)
                reserve.retiring = True
                reserve.resume()

    async def close(self) -> None:
        """Write what is left, and close the connections. `run` has been cancelled by now."""
        try:
            async with asyncio.timeout(PATIENCE if self._spill.available else 0):
                for _, reserve in self._reserves.values():
                    await reserve.close()
        except (SpillError, TimeoutError) as error:
            log.warning("samples could not be written to Redis", problem=str(error) or self.problem)
        await self._spill.close()
