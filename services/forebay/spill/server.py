"""A server: one place of Redis to which a session is kept up, with back-off, for as long as it is wanted."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Protocol

from forebay.runtime import Backoff, BackoffSettings, Supervisor, SystemClock
from forebay.spill.address import Address, Endpoint
from forebay.spill.errors import SpillCheckError, SpillError, SpillUnavailableError
from forebay.spill.fence import Fences
from forebay.spill.session import Session
from forebay.spill.settings import RESTART, SpillSettings

Locate = Callable[[], Awaitable[Endpoint | None]]
"""Finds where to connect; None for a Unix socket. Raises `SpillUnavailableError`."""

FIRST_PAUSE = 0.1
"""Seconds between the first two attempts to connect; each further pause is twice the last."""


class Watcher(Protocol):
    """Who is told of sessions."""

    async def joined(self, server: "Server", session: Session) -> None:
        """A session was made; nobody uses it before this returns. Raises `SpillUnavailableError` to refuse it."""

    def left(self, server: "Server | None", error: SpillError) -> None:
        """The session ended, or could not be made; without a server when not even those are known."""


class Server:
    """One server, or whichever the Sentinels call master."""

    def __init__(self, address: Address, locate: Locate, settings: SpillSettings, watcher: Watcher) -> None:
        self.endpoint: Endpoint | None = None
        """Where the last attempt to connect went."""
        self._address = address
        self._locate = locate
        self._settings = settings
        self._watcher = watcher
        self._session: Session | None = None
        self._error: SpillError = SpillUnavailableError("not connected to Redis yet")
        self._up = asyncio.Event()
        self.fences = Fences(self)
        self._backoff = Backoff(BackoffSettings(FIRST_PAUSE, settings.reconnect_max), SystemClock(), Random())  # noqa: S311
        self._supervisor = Supervisor()
        self._supervisor.spawn(f"spill connection to {address}", self._keep, RESTART)

    def __str__(self) -> str:
        return str(self.endpoint or self._address)

    @property
    def available(self) -> bool:
        """Whether there is a session."""
        return self._session is not None

    def session(self) -> Session:
        """The session. Raises `SpillUnavailableError` or `SpillCheckError`, at once, when there is none."""
        if self._session is None:
            if isinstance(self._error, SpillCheckError):
                raise self._error
            raise SpillUnavailableError(f"{self}: {self._error}")
        return self._session

    def authenticate(self, address: Address) -> None:
        """Use the user and password of an address when connecting next."""
        self._address = address

    async def connected(self) -> Session:
        """The session, as soon as there is one."""
        while self._session is None:
            await self._up.wait()
        return self._session

    async def close(self) -> None:
        """End the session for good."""
        await self._supervisor.close()
        await self.fences.close()

    async def _keep(self) -> None:
        while True:
            session = await self._connect()
            try:
                self._session = session
                self._up.set()
                self._error = await asyncio.shield(session.lost)
            finally:
                self._ended()
                await session.close()
            self._watcher.left(self, self._error)

    def _ended(self) -> None:
        self._session = None
        self._up.clear()

    async def _connect(self) -> Session:
        while True:
            try:
                session = await self._attempt()
            except (SpillCheckError, SpillUnavailableError) as error:
                self._error = error
                self._watcher.left(self, error)
                await asyncio.sleep(self._backoff.fail())
            else:
                self._backoff.reset()
                return session

    async def _attempt(self) -> Session:
        self.endpoint = await self._locate()
        session = Session(self._address, self.endpoint, self._settings, self._ended)
        await session.open()
        try:
            await self._watcher.joined(self, session)
        except BaseException:
            await session.close()
            raise
        return session
