"""One Link stream, of whichever side: what comes goes to the neighbour, and what that has to tell goes out."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.neighbour import Neighbour
from forebay.router.links.neighbours import Neighbours
from forebay.runtime.clock import Clock


class LinkStream:
    """Requests and responses are alike on the wire, and are both taken for requests here."""

    def __init__(self, neighbours: Neighbours, neighbour: Neighbour, clock: Clock) -> None:
        """The neighbour has been opened for this stream."""
        self._neighbours = neighbours
        self._neighbour = neighbour
        self._link = neighbour.link
        self._clock = clock
        self._news = asyncio.Event()
        self._ended = False
        neighbour.outlet.wake = self._news.set
        neighbour.end = self.end

    def end(self) -> None:
        """Another stream takes its place, or nothing comes any more."""
        self._ended = True
        self._news.set()

    async def run(self, incoming: AsyncIterator[pb.LinkRequest]) -> AsyncGenerator[pb.LinkRequest, None]:
        """What has to go out, until either side ends the stream. Raises what reading raises."""
        neighbour, clock = self._neighbour, self._clock
        reading = asyncio.ensure_future(self._read(incoming))
        reading.add_done_callback(lambda _: self._news.set())
        try:
            while not (self._ended or reading.done()):
                self._news.clear()
                while not self._ended and (told := neighbour.take(clock.monotonic())) is not None:
                    yield told
                if not (self._ended or reading.done()):
                    await self._news.wait()
            if reading.done():
                await reading
        finally:
            reading.cancel()
            self._neighbours.lost(neighbour, self._link)

    async def _read(self, incoming: AsyncIterator[pb.LinkRequest]) -> None:
        async for told in incoming:
            if self._ended:
                return
            self._neighbour.handle(told, self._clock.monotonic())
