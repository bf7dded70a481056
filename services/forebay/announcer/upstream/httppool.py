"""Connections to all HTTP trackers, kept for a while and used again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from aiohappyeyeballs import start_connection

from forebay.announcer.errors import HttpError
from forebay.announcer.upstream.httpconnection import HttpConnection
from forebay.announcer.upstream.names import Names

if TYPE_CHECKING:
    import ssl

    from forebay.announcer.upstream.httpreply import HttpReply

KEPT_ALIVE = 60.0
"""Seconds that an unused connection is kept."""
MOST_KEPT = 512
"""Unused connections that are kept."""
NEXT_ADDRESS = 0.25
"""Seconds after which the next address of a host is tried beside the one before (RFC 8305)."""


class Origin(NamedTuple):
    """Where a connection goes."""

    secure: bool
    host: str
    port: int


class HttpPool:
    """As many connections as there are requests: whoever asks bounds these, and how long each takes."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        self._names = Names()
        self._open: set[HttpConnection] = set()
        self._unused: dict[Origin, list[HttpConnection]] = {}
        self._kept = 0
        self._sweeper: asyncio.TimerHandle | None = None
        self._emptied = asyncio.Event()

    async def ask(self, origin: Origin, request: bytes) -> HttpReply:
        """The answer to a request.

        Raises `HttpError` (no HTTP, or cut short), `TooLongError`, and `OSError` when there is no connection.
        """
        while (kept := self._take(origin)) is not None:
            try:
                return await self._exchange(kept, origin, request)
            except (HttpError, OSError):
                # The tracker has closed it while the request was on its way, which says nothing about the tracker.
                if not kept.silent:
                    raise
        return await self._exchange(await self._connect(origin), origin, request)

    async def close(self) -> None:
        """Close all connections; by now nobody asks any more."""
        if self._sweeper:
            self._sweeper.cancel()
        await self._names.close()
        for connection in list(self._open):
            connection.abort()
        while self._open:
            self._emptied.clear()
            await self._emptied.wait()

    async def _exchange(self, connection: HttpConnection, origin: Origin, request: bytes) -> HttpReply:
        reply = await connection.ask(request)
        if connection.usable:
            self._keep(origin, connection)
        return reply

    async def _connect(self, origin: Origin) -> HttpConnection:
        addresses = await self._names.addresses(origin.host, origin.port)
        sock = await start_connection(addresses, happy_eyeballs_delay=NEXT_ADDRESS, interleave=1)
        connection = HttpConnection(self._lost)
        self._open.add(connection)
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: connection,
                sock=sock,
                ssl=self._tls if origin.secure else None,
                server_hostname=origin.host if origin.secure else None,
            )
        except BaseException:
            sock.close()
            self._lost(connection)
            raise
        return connection

    def _lost(self, connection: HttpConnection) -> None:
        self._open.discard(connection)
        self._emptied.set()

    def _take(self, origin: Origin) -> HttpConnection | None:
        """The connection that was used last: it is the likeliest to be open still."""
        unused = self._unused.get(origin, [])
        while unused:
            self._kept -= 1
            connection = unused.pop()
            if connection.usable:
                return connection
        self._unused.pop(origin, None)
        return None

    def _keep(self, origin: Origin, connection: HttpConnection) -> None:
        if self._kept >= MOST_KEPT:
            connection.abort()
            return
        self._unused.setdefault(origin, []).append(connection)
        self._kept += 1
        if self._sweeper is None:
            self._sweeper = asyncio.get_running_loop().call_later(KEPT_ALIVE, self._sweep)

    def _sweep(self) -> None:
        """Close what nobody has used for long."""
        loop = asyncio.get_running_loop()
        late = loop.time() - KEPT_ALIVE
        for origin, unused in list(self._unused.items()):
            fresh = [connection for connection in unused if connection.usable and connection.since > late]
            for connection in set(unused).difference(fresh):
                connection.abort()
            self._kept -= len(unused) - len(fresh)
            if fresh:
                self._unused[origin] = fresh
            else:
                del self._unused[origin]
        self._sweeper = loop.call_later(KEPT_ALIVE, self._sweep) if self._unused else None
