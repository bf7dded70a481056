"""The stream that attaches a program to a node: made again, with all that was declared, for as long as it is used."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

import grpc
import structlog
from grpc.aio import AioRpcError

from forebay.client.channels import service_errors
from forebay.client.errors import ClosedError
from forebay.client.retrying import RETRIED, Retrying, is_torn
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime import BackoffSettings, ServiceError, SystemClock, from_rpc_error
from forebay.runtime.cutcalls import cancellable, cut_off, failed

BACKOFF = BackoffSettings(0.2, 2.0)
MOST_EVENTS = 1000
"""Events that wait to be read; of more the oldest are let go."""
AWAY = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED})
FORGOTTEN = frozenset({"NOT_ATTACHED", "NOT_DECLARED"})
"""Reasons by which a service tells that it has lost the attachment, or is another one."""

Cut = Callable[[bytes, AioRpcError], None]
"""Tells that a stream of a client was lost, and why: see `Attaching.cut`."""

log = structlog.stdlib.get_logger(__name__)


class Kept(Protocol):
    """Something that is declared, and declared again after the service was lost."""

    writes: bool
    """It is declared again behind all others, which may be for what it writes at once."""
    number: int
    """The service's, of now."""
    client: bytes
    """Whose it is there."""

    @property
    def over(self) -> bool:
        """Whether it is not to be declared again."""
        ...

    async def declare(self, stub: ConduitServiceStub, client: bytes) -> None:
        """Declare it for a client. Raises `AioRpcError`."""

    def lost(self) -> None:
        """The service was lost: it is to be declared again."""

    def fail(self, error: Exception) -> None:
        """It cannot be."""


class Attaching:
    """Keeps one program attached to a node."""

    def __init__(self, stub: ConduitServiceStub, program: str, patience: float = math.inf) -> None:
        """`patience`: seconds for which it tries to attach again, once the service was lost."""
        self.kept: dict[int, Kept] = {}
        """By the numbers that the program knows; in the order in which they were declared."""
        self.client = b""
        """Who the program is for the service of now."""
        self.peer_id = b""
        self.attachments = 0
        """How often it was attached."""
        self._stub = stub
        self._program = program
        self._retrying = Retrying("attaching", BACKOFF, patience, SystemClock())
        self._call: Any = None
        self._cause: AioRpcError | None = None
        """Why the call was cut."""
        self._attached = asyncio.Event()
        self._events: deque[pb.DeclarationEvent] = deque(maxlen=MOST_EVENTS)
        self._news = asyncio.Event()
        self._error: Exception | None = None
        self._running: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Attach, and stay so. Raises `ServiceError` when the service is not there."""
        with service_errors():
            await self._attach()
        self._attached.set()
        self._running = asyncio.get_running_loop().create_task(self._run(), name="conduit: attached")

    async def close(self) -> None:
        """End it."""
        self._fail(ClosedError("the attachment has ended"))
        if self._running:
            self._running.cancel()
            await asyncio.wait([self._running])
        if self._call:
            self._call.cancel()

    async def attached(self) -> bytes:
        """Wait until it is attached; returns who the program is. Raises `ServiceError`, `ClosedError`."""
        if self._running is None:
            raise ClosedError("the attachment has not begun: use it within `async with`")
        await self._attached.wait()
        if self._error:
            raise self._error
        return self.client

    def cut(self, client: bytes, cause: AioRpcError) -> None:
        """Something of that client broke: attach anew, if it is still the one of now.

        Other streams may learn before this one why the service ends: whoever is told of the loss is told their reason.
        """
        if client == self.client and self._call:
            self._cause = self._cause or cause
            self._call.cancel()

    async def events(self) -> AsyncIterator[pb.DeclarationEvent]:
        """What is told of declarations. Raises `ServiceError`, `ClosedError` at the end."""
        while True:
            while self._events:
                yield self._events.popleft()
            if self._error:
                raise self._error
            self._news.clear()
            await self._news.wait()

    async def _run(self) -> None:
        try:
            while True:
                try:
                    await self._follow()
                except AioRpcError as error:
                    self._attached.clear()
                    for each in self.kept.values():
                        each.lost()
                    await self._again(error)
        except ServiceError as error:
            self._fail(error)

    async def _attach(self) -> None:
        self._cause = None
        self._call = self._stub.Attach(pb.AttachRequest(program=self._program))
        response = await self._read()
        self.client, self.peer_id = response.client, response.peer_id
        self.attachments += 1

    async def _read(self) -> pb.AttachResponse:
        with cut_off(lambda: self._cause or failed("the attachment was cut off")):
            response = await self._call.read()
        if not isinstance(response, pb.AttachResponse):
            raise failed("the service has ended the attachment")
        return response

    async def _follow(self) -> None:
        """Take what is told, until the service is lost."""
        while True:
            self._events.extend((await self._read()).events)
            self._news.set()

    async def _again(self, error: AioRpcError) -> None:
        """Attach again. Raises `ServiceError` when that is of no use any more."""
        while not self._attached.is_set():
            await self._retrying.wait_after(
                error if error.code() in RETRIED or not is_lost(error) else failed(str(error.details()))
            )
            try:
                await self._attach()
                await self._declare_again()
            except AioRpcError as other:
                error = other
            else:
                self._retrying.heard()
                self._attached.set()
                log.info("attached again", program=self._program, declarations=len(self.kept))

    async def _declare_again(self) -> None:
        self.kept = {handle: each for handle, each in self.kept.items() if not each.over}
        for handle, each in sorted(self.kept.items(), key=lambda item: item[1].writes):
            if handle not in self.kept:
                continue
            try:
                with cancellable():
                    await each.declare(self._stub, self.client)
            except AioRpcError as error:
                if is_lost(error):
                    raise
                self.kept.pop(handle, None)
                each.fail(from_rpc_error(error))

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        for each in self.kept.values():
            each.fail(error)
        self._attached.set()
        self._news.set()


def is_lost(error: AioRpcError) -> bool:
    """Whether a call failed since the service is away, or has lost the attachment: not for what was asked."""
    failure = from_rpc_error(error)
    return error.code() in AWAY or failure.reason in FORGOTTEN or is_torn(error.code(), failure)
