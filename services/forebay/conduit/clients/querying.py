"""One query: answers as they come, within bounds."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING

from forebay.conduit.errors import invalid, stopping
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime.errors import ResourceExhaustedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from forebay.conduit.core.declarations.queries import Answered
    from forebay.conduit.transport.station import Station

DEADLINE = 10.0
"""Seconds, when the caller does not say."""
LONGEST_DEADLINE = 300.0
MOST_OCTETS = 16 * 1024 * 1024
"""Octets of answers that wait to be read, beyond which the query ends."""
RESPONSE_OCTETS = 1024 * 1024
"""Octets of one response, about."""


class QueryStream:
    """Asks, and gathers the answers."""

    def __init__(self, station: Station) -> None:
        self._station = station
        self._news = asyncio.Event()
        self._waiting: deque[pb.Reply] = deque()
        self._octets = 0
        self._last: Answered | None = None
        self._ended = False

    def end(self) -> None:
        """The service stops."""
        self._ended = True
        self._news.set()

    async def run(self, request: pb.QueryRequest) -> AsyncGenerator[pb.QueryResponse, None]:
        """Responses, of which the last has `end`.

        Raises `InvalidArgumentError`, `ConduitError`, `ResourceExhaustedError` and, after `end`, `UnavailableError`.
        """
        deadline = request.deadline.ToNanoseconds() / 1e9 if request.HasField("deadline") else DEADLINE
        if not 0 < deadline <= LONGEST_DEADLINE:
            raise invalid("deadline", f"is {deadline:g} s: give more than 0, and at most {LONGEST_DEADLINE:g} s")
        now = time.monotonic()
        self._station.participant.query(request.uri, request.payload, now, self._answered, deadline=deadline)
        self._station.advance()
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                yield self._response()
            if self._ended:
                raise stopping()
            if self._octets > MOST_OCTETS:
                raise ResourceExhaustedError("answers come faster than they are read: ask for less at once")
            if self._last:
                yield pb.QueryResponse(end=True, unanswered=self._last.unanswered)
                return

    def _answered(self, answered: Answered) -> None:
        if answered.final:
            self._last = answered
        elif self._octets <= MOST_OCTETS:
            reply = pb.Reply(peer_id=answered.peer_id, uri=answered.uri, payload=answered.payload)
            self._octets += len(answered.payload) + len(answered.uri)
            if self._octets <= MOST_OCTETS:
                self._waiting.append(reply)
        self._news.set()

    def _response(self) -> pb.QueryResponse:
        response = pb.QueryResponse()
        octets = 0
        while self._waiting and octets < RESPONSE_OCTETS:
            reply = self._waiting.popleft()
            octets += len(reply.payload) + len(reply.uri)
            response.replies.append(reply)
        self._octets -= octets
        return response
