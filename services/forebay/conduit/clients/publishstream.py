"""One Publish stream: batches in, outcomes out, no faster than the window takes them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from forebay.conduit.clients.outcomes import Outcomes
from forebay.conduit.errors import stopping, told
from forebay.pb.conduit.v1 import conduit_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from forebay.conduit.clients.publisher import Publisher

MOST_UNTOLD = 4096
"""Outcomes that were not told, beyond which no more is read."""


class PublishStream:
    """Publishes one batch after the other, and writes the outcomes that have gathered meanwhile."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._outcomes = Outcomes()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False
        self._working: asyncio.Task[None] | None = None

    def end(self) -> None:
        """Take nothing more; what was published has its outcome."""
        self._ended = True
        if self._working:
            self._working.cancel()

    async def run(
        self, opening: pb.PublishRequest, requests: AsyncIterator[pb.PublishRequest]
    ) -> AsyncGenerator[pb.PublishResponse, None]:
        """Responses to requests, of which `opening` is the first.

        Raises `NotFoundError` when the publisher is gone, and `UnavailableError` after `end`.
        """
        self._working = working = asyncio.ensure_future(self._work(opening, requests))
        working.add_done_callback(lambda _: self._news.set())
        try:
            while not working.done() or self._outcomes:
                if results := self._outcomes.take():
                    self._room.set()
                    yield pb.PublishResponse(results=results)
                else:
                    await self._news.wait()
                    self._news.clear()
            if self._ended:
                raise stopping()
            with told("publisher"):
                await working
        finally:
            working.cancel()

    async def _work(self, opening: pb.PublishRequest, requests: AsyncIterator[pb.PublishRequest]) -> None:
        await self._publish(opening)
        async for request in requests:
            await self._publish(request)
            while len(self._outcomes) >= MOST_UNTOLD:
                self._room.clear()
                await self._room.wait()

    async def _publish(self, request: pb.PublishRequest) -> None:
        # The first one may have come to name the publisher alone.
        outcome = await self._publisher.publish(request.samples[:])
        self._outcomes.add(outcome)
        self._news.set()
