"""A connection to an HTTP tracker, on which one request is out at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from forebay.announcer.errors import HttpError
from forebay.announcer.upstream.httpreply import HttpReply, ReplyReader
from forebay.announcer.upstream.unpacking import TooLongError

if TYPE_CHECKING:
    from collections.abc import Callable


class HttpConnection(asyncio.Protocol):
    """Whoever gives a request up, gives the connection up: the answer to it could still come."""

    def __init__(self, lost: Callable[[HttpConnection], None]) -> None:
        """`lost` is called with it once it is closed."""
        self._lost = lost
        self._reader = ReplyReader()
        self._answer: asyncio.Future[HttpReply] | None = None
        self._transport: asyncio.Transport
        self._is_closed = False
        self.since = 0.0
        """When it was used last, by the clock of the loop."""

    @property
    def usable(self) -> bool:
        """Another request may go out on it."""
        return self._reader.keeps and not self._is_closed

    @property
    def silent(self) -> bool:
        """Nothing has come of the answer to the last request."""
        return not self._reader.octets

    async def ask(self, request: bytes) -> HttpReply:
        """Send a request, and wait for the answer.

        Raises `HttpError` (no HTTP, or cut short), `TooLongError`, and `OSError` when the connection broke.
        """
        loop = asyncio.get_running_loop()
        self._reader.begin()
        self._answer = loop.create_future()
        try:
            self._transport.write(request)
            return await self._answer
        finally:
            self._answer = None
            self.since = loop.time()
            if not self._reader.keeps:
                self.abort()

    def abort(self) -> None:
        """Close it at once."""
        self._is_closed = True
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """A part of the answer. What nobody has asked for ends the connection."""
        if self._answer is None or self._answer.done():
            self.abort()
            return
        try:
            reply = self._reader.feed(data)
        except (HttpError, TooLongError) as error:
            self._answer.set_exception(error)
        else:
            if reply is not None:
                self._answer.set_result(reply)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed, by whomever."""
        self._is_closed = True
        if self._answer is not None and not self._answer.done():
            self._end(self._answer, exc)
        self._lost(self)

    def _end(self, answer: asyncio.Future[HttpReply], exc: Exception | None) -> None:
        try:
            if exc is not None:
                raise exc
            answer.set_result(self._reader.end())
        except (HttpError, OSError) as error:
            answer.set_exception(error)
