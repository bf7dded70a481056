"""Offering articles: batches out, verdicts in, over as many connections as it takes."""

import asyncio
from collections.abc import AsyncIterator, Callable

from grpc.aio import AioRpcError

from forebay.client.errors import ProtocolError
from forebay.client.retrying import Retrying
from forebay.client.settings import OfferSettings
from forebay.client.supply import Articles, Supply
from forebay.client.tally import Tally
from forebay.client.window import Batch, Window
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import OutfeedServiceStub
from forebay.runtime import Clock, SystemClock


class Offering:
    """The verdicts on articles, in their order: iterate over it once, by `async for`.

    The source is read no faster than the service takes articles. What has no verdict when a connection ends is sent
    again over the next; the service knows an article by its message-id, so none is taken twice. Raises
    `ServiceError` when the service refuses, or was away or full for too long, and what the source raises once all its
    articles before have their verdicts. Ending the loop early ends the offering: what has no verdict by then may or may
    not have been taken.
    """

    def __init__(
        self,
        stub: Callable[[], OutfeedServiceStub],
        articles: Articles,
        settings: OfferSettings | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`stub` is asked for anew for every connection. Articles are as RFC 5536 has them, with CRLF line ends."""
        self.tally = Tally()
        """What is known so far."""
        self._stub = stub
        self._settings = settings or OfferSettings()
        self._supply = Supply(articles, self._settings)
        self._window = Window()
        self._room = asyncio.Event()
        self._sent_all = False
        self._retrying = Retrying("offering", self._settings.backoff, self._settings.patience, clock or SystemClock())

    async def __aiter__(self) -> AsyncIterator[pb.Verdict]:
        """Runs of verdicts; their numbers count the articles of the source from 0."""
        reading = asyncio.ensure_future(self._supply.fill())
        try:
            while True:
                try:
                    async for verdict in self._stream():
                        yield verdict
                    break
                except AioRpcError as error:
                    await self._retrying.wait_after(error)
            await reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _stream(self) -> AsyncIterator[pb.Verdict]:
        """One connection, to its end."""
        call = self._stub().Offer(self._requests())
        try:
            async for response in call:
                for verdict in response.verdicts:
                    self._settle(verdict)
                    yield verdict
        finally:
            call.cancel()
        if self._window or not self._sent_all:
            raise ProtocolError(f"the service ended the stream and left {len(self._window)} articles without a verdict")

    async def _requests(self) -> AsyncIterator[pb.OfferRequest]:
        for batch in self._window.unsettled():
            yield _request(batch)
        # Between taking articles and keeping them nothing is awaited: a lost connection cancels this anywhere else.
        while articles := await self._supply.take():
            batch = self._window.add(articles)
            self.tally.offered = self._window.next
            yield _request(batch)
            await self._until_room()
        self._sent_all = True

    async def _until_room(self) -> None:
        while self._window.octets > self._settings.window_octets:
            self._room.clear()
            await self._room.wait()

    def _settle(self, verdict: pb.Verdict) -> None:
        self._window.settle(verdict)
        self._room.set()
        self.tally.count(verdict)
        self._retrying.heard()


def _request(batch: Batch) -> pb.OfferRequest:
    return pb.OfferRequest(first=batch.first, articles=[pb.Article(content=article) for article in batch.articles])
