"""Fences: one WAITAOF about once a second tells all who wait for it that what they wrote is on disk."""

import asyncio
from typing import TYPE_CHECKING

from redis.exceptions import ResponseError

from forebay.runtime import Supervisor
from forebay.spill import scripts
from forebay.spill.errors import SpillUnavailableError
from forebay.spill.settings import RESTART

if TYPE_CHECKING:
    from forebay.spill.server import Server
    from forebay.spill.session import Session

INTERVAL = 1.0
"""Seconds between two fences of one server."""


class Round:
    """The appends that one fence covers."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        """The run of Redis that took them: no later one can vouch for them."""
        self.markers: set[str] = set()
        self.failed: dict[str, SpillUnavailableError] = {}
        self.over = asyncio.Event()

    def fail(self, error: SpillUnavailableError) -> None:
        """None of them can be told to be on disk."""
        self.failed = dict.fromkeys(self.markers, error)
        self.over.set()


class Durable:
    """Tells when appended entries are on Redis' disk. Many appends share one round, none has a task of its own."""

    __slots__ = ("_marker", "_round")

    def __init__(self, covering: Round | None = None, marker: str = "") -> None:
        self._round = covering
        self._marker = marker

    @property
    def done(self) -> bool:
        """Whether `wait` would return at once."""
        return self._round is None or self._round.over.is_set()

    async def wait(self) -> None:
        """Return once the entries are on disk; while Redis is away it waits for the same process to come back.

        Raises `SpillUnavailableError` when that cannot happen any more, since Redis was restarted: append them again.
        """
        if self._round is None:
            return
        await self._round.over.wait()
        if error := self._round.failed.get(self._marker):
            raise SpillUnavailableError(str(error))


class Fences:
    """The fences of one server."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._next: Round | None = None
        self._current: Round | None = None
        self._wanted = asyncio.Event()
        self._supervisor = Supervisor()
        self._supervisor.spawn(f"spill fences of {server}", self._work, RESTART)

    def cover(self, run_id: str, marker: str) -> Durable:
        """A handle on what was just appended, in this run of Redis, by the owner whose marker this is."""
        if self._next is None or self._next.run_id != run_id:
            self._drop_next()
            self._next = Round(run_id)
            self._wanted.set()
        self._next.markers.add(marker)
        return Durable(self._next, marker)

    async def close(self) -> None:
        """Stop; who still waits is told that it is not known."""
        await self._supervisor.close()
        self._drop_next()
        if self._current:
            self._current.fail(SpillUnavailableError("the spill client was closed before the entries were on disk"))

    def _drop_next(self) -> None:
        if self._next:
            self._next.fail(SpillUnavailableError("Redis was restarted before the entries were known to be on disk"))
            self._next = None

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            began = loop.time()
            self._current, self._next = self._next, None
            if self._current:
                await self._finish(self._current)
                self._current = None
            await asyncio.sleep(max(0.0, began + INTERVAL - loop.time()))

    async def _finish(self, current: Round) -> None:
        while not current.over.is_set():
            session = await self._server.connected()
            if session.run_id != current.run_id:
                current.fail(SpillUnavailableError("Redis was restarted before the entries were known to be on disk"))
                return
            try:
                await self._fence(session, current)
            except SpillUnavailableError:
                # The session is ending, or the disk is slow: ask again once it is known which.
                await asyncio.sleep(INTERVAL / 10)

    async def _fence(self, session: "Session", current: Round) -> None:
        markers = sorted(current.markers)
        replies = await session.run_fence([scripts.with_text(scripts.FENCE.call([marker])) for marker in markers])
        refused = [number for number, reply in enumerate(replies) if isinstance(reply, ResponseError)]
        for number in refused:
            current.failed[markers[number]] = SpillUnavailableError(f"not known to be on disk: {replies[number]}")
        current.over.set()
