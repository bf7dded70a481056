"""What has no stream of its own: resources, selections and tokens."""

from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

import structlog

from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub

TIMEOUT = 60.0
"""Seconds that a declaration may take: peers are asked, and those that are gone do not answer."""

log = structlog.stdlib.get_logger(__name__)


class Answer(Protocol):
    """What the service says of a declaration."""

    declaration: int


A = TypeVar("A", bound=Answer)


class Declared(Generic[A]):
    """Something that a program has declared."""

    writes = False

    def __init__(self, what: str, declare: Callable[[ConduitServiceStub, bytes], Awaitable[A]]) -> None:
        """`what`: for the log; `declare` is called with the client that it is for."""
        self.number = 0
        """The service's, of now."""
        self.client = b""
        self.over = False
        self.answer: A
        """What the service of now has said."""
        self._what = what
        self._declare = declare

    async def declare(self, stub: ConduitServiceStub, client: bytes) -> None:
        """Declare it for a client. Raises `AioRpcError`."""
        self.answer = await self._declare(stub, client)
        self.number, self.client = self.answer.declaration, client

    def lost(self) -> None:
        """The service was lost."""

    def fail(self, error: Exception) -> None:
        """It is declared no more."""
        log.warning("not declared any more", what=self._what, problem=str(error))
