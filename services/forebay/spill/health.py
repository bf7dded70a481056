"""The health of Redis as a service sees it: listeners are told of each change, once."""

import asyncio
from functools import partial

from redis.exceptions import OutOfMemoryError, ResponseError

from forebay.runtime import Supervisor
from forebay.spill import scripts
from forebay.spill.errors import SpillCheckError, SpillError, SpillFullError, SpillUnavailableError
from forebay.spill.events import Change, Listener, StateEvent
from forebay.spill.server import Server
from forebay.spill.session import Channel
from forebay.spill.settings import RESTART
from forebay.spill.topology import Topology

PROBE_PAUSE = 1.0
"""Seconds between two looks whether a full Redis has room again."""


class Health:
    """Turns what connections and writers notice into events."""

    def __init__(self) -> None:
        self.unfit: SpillCheckError | None = None
        """Why Redis cannot be used, when that is for its settings."""
        self.is_full = False
        self._listeners: list[Listener] = []
        self._down: dict[str, str] = {}
        self._changed = asyncio.Event()
        self._supervisor = Supervisor()

    @property
    def problem(self) -> str:
        """The first of the reasons why a server cannot be used."""
        return next(iter(self._down.values()), "not connected to Redis yet")

    def listen(self, listener: Listener) -> None:
        """Tell this one of all changes from now on; it must return quickly and raise nothing."""
        self._listeners.append(listener)

    async def change(self) -> None:
        """Return at the next change."""
        self._changed.clear()
        await self._changed.wait()

    def up(self, server: Server) -> None:
        """A server was connected."""
        self.unfit = None
        self._down.pop(str(server), None)
        self._tell(StateEvent(Change.AVAILABLE, str(server)))

    def down(self, server: Server | None, error: SpillError) -> None:
        """A server was lost, or could not be reached, or is unfit."""
        if isinstance(error, SpillCheckError):
            self.unfit = error
        if self._down.get(str(server)) != str(error):
            self._down[str(server)] = str(error)
            self._tell(StateEvent(Change.UNAVAILABLE, str(server or ""), str(error)))

    def restarted(self, server: Server, *, empty: bool) -> None:
        """Another process serves spools that were loaded."""
        self._tell(StateEvent(Change.RESTARTED, str(server), empty=empty))

    def full(self, error: SpillFullError, topology: Topology) -> None:
        """An append was refused for want of room."""
        if self.is_full:
            return
        self.is_full = True
        self._tell(StateEvent(Change.FULL, "", str(error)))
        self._supervisor.spawn("spill room", partial(self._probe, topology), RESTART)

    async def close(self) -> None:
        """Stop looking."""
        await self._supervisor.close()

    async def _probe(self, topology: Topology) -> None:
        while self.is_full:
            await asyncio.sleep(PROBE_PAUSE)
            refusals = [await _refuses(server) for server in topology.servers()]
            self.is_full = any(refusals)
        self._tell(StateEvent(Change.AVAILABLE, "", "there is room again"))

    def _tell(self, event: StateEvent) -> None:
        self._changed.set()
        for listener in self._listeners:
            listener(event)


async def _refuses(server: Server) -> bool:
    """Whether a server refuses to write, or cannot be asked."""
    try:
        session = server.session()
        (reply,) = await session.run(Channel.WORK, [scripts.with_text(scripts.PROBE.call([]))])
    except (SpillUnavailableError, SpillCheckError):
        return True
    return isinstance(reply, OutOfMemoryError) or (
        isinstance(reply, ResponseError) and str(reply).startswith("MISCONF")
    )
