"""One Consume stream: deliveries out, settlements in."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import FieldViolation, InvalidArgumentError, UnavailableError
from forebay.store.sessions import ConsumerSession

RETRY_SECONDS = 1.0


class ConsumeStream:
    """Takes from its session only when what it took last has gone out: who does not read makes nothing grow."""

    def __init__(self, session: ConsumerSession) -> None:
        self._session = session
        self._news = asyncio.Event()
        """Something to write, or the end of the reading."""
        self._ended = False
        self._reading: asyncio.Task[None] | None = None
        session.wake = self._news.set

    def end(self) -> None:
        """Deliver no more; the stream ends once what was settled is durable."""
        self._ended = True
        self._session.leave()
        if self._reading:
            self._reading.cancel()

    async def run(self, requests: AsyncIterator[pb.ConsumeRequest]) -> AsyncGenerator[bytes, None]:
        """Serialised responses to requests, of which the first has opened the session; till the client ends its side.

        Raises `InvalidArgumentError` for what cannot be settled, `UnavailableError` after `end`, and what ended the
        session.
        """
        self._reading = reading = asyncio.ensure_future(self._read(requests))
        reading.add_done_callback(self._leave)
        try:
            while not (reading.done() and self._session.idle):
                self._news.clear()
                if response := self._session.take():
                    yield response
                elif self._session.failure:
                    raise self._session.failure
                else:
                    await self._news.wait()
            if self._ended:
                raise UnavailableError("the store stops: consume again", retry_after=RETRY_SECONDS)
            await reading
        finally:
            reading.cancel()
            self._session.close()

    def _leave(self, _: "asyncio.Task[None]") -> None:
        """Nothing more comes from the client: what it holds goes back, and what it has settled is seen to the end."""
        self._session.leave()
        self._news.set()

    async def _read(self, requests: AsyncIterator[pb.ConsumeRequest]) -> None:
        session = self._session
        async for request in requests:
            if request.HasField("start"):
                problem = "is given in the first request alone: open another stream"
                raise InvalidArgumentError(f"start {problem}", violations=[FieldViolation("start", problem)])
            if request.settlements:
                session.settle(request.settlements)
            if request.credit:
                session.allow(request.credit)
