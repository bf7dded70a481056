"""One Publish stream: batches in, outcomes out, no faster than both sides can."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import UnavailableError
from forebay.store.queueing.messages import PublishBatch
from forebay.store.sessions import PublisherSession

RETRY_SECONDS = 1.0
MOST_UNCONFIRMED = 65_536
"""Messages whose outcome has not gone out, beyond which no more are read."""
MOST_OCTETS = 64 * 1024 * 1024
"""Octets of messages without an outcome, beyond which no more are read; a batch that crosses it is taken whole."""


class PublishStream:
    """Reads while there is room, and writes what has gathered meanwhile."""

    def __init__(self, session: PublisherSession, blocked: str) -> None:
        """`blocked` is why nothing may be taken at the moment; empty: it may."""
        self._session = session
        session.wake = self._wake
        self._blocked = blocked
        self._told = ""
        """What the client was told last of why it is blocked."""
        self._news = asyncio.Event()
        """Something to write, or the end of the reading."""
        self._room = asyncio.Event()
        self._handed = 0
        """Messages that the session was given."""
        self._written = 0
        """Messages whose outcome has gone out."""
        self._ended = False
        self._reading: asyncio.Task[None] | None = None

    def end(self) -> None:
        """Read no more; the stream ends once what was read has its outcomes."""
        self._ended = True
        if self._reading:
            self._reading.cancel()

    def block(self, reason: str) -> None:
        """Why nothing may be taken from now on; empty: it may."""
        self._blocked = reason
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._room.set()

    async def run(self, requests: AsyncIterator[PublishBatch]) -> AsyncGenerator[pb.PublishResponse, None]:
        """Responses to requests, of which the first has opened the session.

        Raises `InvalidArgumentError` for a batch that cannot be taken, when those before it have their outcomes, and
        `UnavailableError` after `end`.
        """
        self._reading = reading = asyncio.ensure_future(self._read(requests))
        reading.add_done_callback(lambda _: self._wake())
        try:
            yield self._due()
            while not reading.done() or self._written < self._handed:
                self._news.clear()
                response = self._due()
                if response.confirms or response.HasField("blocked"):
                    yield response
                    self._written += sum(confirm.count for confirm in response.confirms)
                    self._room.set()
                else:
                    await self._news.wait()
            if self._ended:
                raise UnavailableError("the store stops: publish again what has no outcome", retry_after=RETRY_SECONDS)
            await reading
        finally:
            reading.cancel()
            self._session.close()

    def _due(self) -> pb.PublishResponse:
        """What there is to tell."""
        response = pb.PublishResponse(confirms=self._session.take())
        if self._blocked != self._told:
            self._told = response.blocked = self._blocked
        return response

    async def _read(self, requests: AsyncIterator[PublishBatch]) -> None:
        async for request in requests:
            await self._until_room()
            if request.messages:
                self._session.publish(request.first, request.messages)
                self._handed += len(request.messages)

    async def _until_room(self) -> None:
        while self._blocked or self._handed - self._written >= MOST_UNCONFIRMED or self._session.octets >= MOST_OCTETS:
            self._room.clear()
            await self._room.wait()
