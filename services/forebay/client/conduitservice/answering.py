"""Answering queries of peers by a node."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import structlog
from grpc.aio import AioRpcError

from forebay.client.conduitservice.attaching import Cut, is_lost
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime import from_rpc_error
from forebay.runtime.cutcalls import cut_off, failed

Answer = Callable[[pb.PeerQuery], Awaitable[Iterable[tuple[str, bytes]]]]
"""What there is to say to a query: URIs and payloads."""

log = structlog.stdlib.get_logger(__name__)


class Answering:
    """One query is answered after the other; see `Attachment.answer`."""

    writes = False

    def __init__(self, uri: str, answer: Answer, forget: Callable[["Answering"], None], cut: Cut) -> None:
        """`cut` is told of the client whose stream was lost, and why."""
        self.number = 0
        """The service has none for it: it lasts as long as its stream."""
        self.client = b""
        """Whose it is there."""
        self.over = False
        self._uri = uri
        self._answer = answer
        self._forget = forget
        self._cut = cut
        self._running: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Answer no more; queries that wait are answered with nothing."""
        self.over = True
        self._forget(self)
        await self._stop()

    async def declare(self, stub: ConduitServiceStub, client: bytes) -> None:
        """Answer for a client. Raises `AioRpcError`."""
        await self._stop()
        self.client, call = client, stub.Answer()
        with suppress(AioRpcError, asyncio.InvalidStateError):
            # Why it cannot be written is told by the reading.
            await call.write(pb.AnswerRequest(client=client, uri=self._uri))
        await self._read(call)
        self._running = asyncio.ensure_future(self._run(call, client))

    def lost(self) -> None:
        """The service was lost."""

    def fail(self, error: Exception) -> None:
        """Nothing is answered any more."""
        if not self.over:
            log.warning("queries are not answered any more", uri=self._uri, problem=str(error))
        self.over = True

    async def _stop(self) -> None:
        if self._running:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def _run(self, call: Any, client: bytes) -> None:
        try:
            while True:
                response = await self._read(call)
                for fault in response.faults:
                    log.warning("an answer could not be sent", uri=self._uri, problem=fault.problem)
                answers = [await self._answered(query) for query in response.queries]
                with suppress(asyncio.InvalidStateError), cut_off(_lost):
                    await call.write(pb.AnswerRequest(answers=answers))
        except AioRpcError as error:
            if is_lost(error):
                self._cut(client, error)
            else:
                self.fail(from_rpc_error(error))
        finally:
            call.cancel()

    async def _read(self, call: Any) -> pb.AnswerResponse:
        with cut_off(_lost):
            response = await call.read()
        if not isinstance(response, pb.AnswerResponse):
            raise _lost()
        return response

    async def _answered(self, query: pb.PeerQuery) -> pb.QueryAnswer:
        """The answer to one query. Errors are logged: there is nothing to say then."""
        try:
            found = await self._answer(query)
            replies = [pb.Reply(uri=uri, payload=payload) for uri, payload in found]
        except Exception:
            log.exception("a query could not be answered", uri=query.uri)
            replies = []
        return pb.QueryAnswer(query=query.query, replies=replies)


def _lost() -> AioRpcError:
    return failed("the stream of answers was lost")
