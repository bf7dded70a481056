"""One Answer stream: queries of peers go out, and the answers of a client come in."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from forebay.conduit.clients.attachments import Quota
from forebay.conduit.core.errors import SampleTooLargeError, UnknownDeclarationError
from forebay.conduit.errors import stopping
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable

    from forebay.conduit.core.declarations.queries import Asked
    from forebay.conduit.transport.station import Station

MOST_ASKED = 1024
"""Queries that wait for answers; of more the oldest are answered with nothing."""


class AnswerStream:
    """It is what the client has declared, too: forgotten with its attachment."""

    quota = Quota.RESOURCES

    def __init__(self, station: Station) -> None:
        self._station = station
        self._number = -1
        self._numbers = count(1)
        self._asked: dict[int, Asked] = {}
        """Queries without an answer, the oldest first."""
        self._due = pb.AnswerResponse()
        self._untold: deque[pb.PeerQuery] = deque(maxlen=MOST_ASKED)
        self._news = asyncio.Event()
        self._ended = False
        self._forgotten = False

    def open(self, uri: str) -> AnswerStream:
        """Queries come from now on. Raises `InvalidUriError`."""
        self._number = self._station.participant.declare_queryable(uri, self._ask)
        return self

    def end(self) -> None:
        """The service stops."""
        self._ended = True
        self._news.set()

    def forget(self) -> None:
        """Queries come no more, and those that wait are answered with nothing."""
        self._forgotten = True
        with suppress(UnknownDeclarationError):
            self._station.participant.forget_queryable(self._number)
        for number in list(self._asked):
            self._answer(number, ())
        self._station.advance()
        self._news.set()

    async def run(self, requests: AsyncIterator[pb.AnswerRequest]) -> AsyncGenerator[pb.AnswerResponse, None]:
        """Responses, of which the first is empty.

        Raises `NotFoundError` when the client is gone, and `UnavailableError` after `end`.
        """
        reading = asyncio.ensure_future(self._read(requests))
        reading.add_done_callback(lambda _: self._news.set())
        try:
            yield pb.AnswerResponse()
            while not reading.done():
                if response := self._response():
                    yield response
                elif self._ended:
                    raise stopping()
                elif self._forgotten:
                    raise NotFoundError("no such client is attached any more", reason="NOT_ATTACHED")
                else:
                    await self._news.wait()
                    self._news.clear()
            await reading
        finally:
            reading.cancel()

    def _ask(self, asked: Asked) -> None:
        """A peer asks: it is answered later."""
        if len(self._asked) >= MOST_ASKED:
            self._answer(next(iter(self._asked)), ())
        number = next(self._numbers)
        self._asked[number] = asked
        query = pb.PeerQuery(query=number, peer_id=asked.peer.peer_id, uri=asked.uri, payload=asked.payload)
        self._untold.append(query)
        self._news.set()

    async def _read(self, requests: AsyncIterator[pb.AnswerRequest]) -> None:
        async for request in requests:
            for answer in request.answers:
                self._answer(answer.query, [(reply.uri, reply.payload) for reply in answer.replies])
            self._station.advance()

    def _answer(self, number: int, answers: Iterable[tuple[str, bytes]]) -> None:
        asked = self._asked.pop(number, None)
        if asked is None:
            return
        now, participant = time.monotonic(), self._station.participant
        try:
            participant.answer_later(asked, answers, now)
        except SampleTooLargeError as error:
            participant.answer_later(asked, (), now)
            self._due.faults.append(pb.AnswerFault(query=number, problem=str(error)))
            self._news.set()

    def _response(self) -> pb.AnswerResponse | None:
        due, self._due = self._due, pb.AnswerResponse()
        due.queries.extend(self._untold)
        self._untold.clear()
        return due if due.queries or due.faults else None
