"""Publishing by a node: batches go out, and what became of each comes back."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from grpc.aio import AioRpcError

from forebay.client.channels import service_errors
from forebay.client.errors import ClosedError, ProtocolError
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime import ServiceError


class Published(NamedTuple):
    """What became of a batch: the first samples were accepted, the others were not."""

    accepted: int
    """They were sent, or are sent once there is room, or nobody subscribes to them."""
    spilled: int = 0
    """Of the accepted ones those that wait in the Spill."""
    dropped: int = 0
    expired: int = 0
    """They had no room until their deadline."""
    refused: int = 0
    reason: str = ""
    """Why they were refused, for programs."""
    problem: str = ""
    """Why, with the remedy."""


class _Unsettled(NamedTuple):
    """A batch whose outcome has not come."""

    samples: int
    settled: asyncio.Future[Published]


class Publisher:
    """Batches are published in the order of the calls; several calls may wait at once. See `Attachment.publisher`."""

    def __init__(
        self,
        stub: ConduitServiceStub,
        client: bytes,
        number: int,
        forget: Callable[["Publisher"], Awaitable[None]],
    ) -> None:
        self.number = number
        """Of the declaration."""
        self._forget = forget
        self._client = client
        self._call = stub.Publish()
        self._writing = asyncio.Lock()
        self._opened = False
        self._unsettled: deque[_Unsettled] = deque()
        self._error: Exception | None = None
        self._reading = asyncio.ensure_future(self._read())

    async def publish(self, samples: Sequence[bytes]) -> Published:
        """Publish a batch, and wait until the node has taken it, or has not. Raises `ServiceError`, `ClosedError`."""
        return await (await self.send(samples))

    async def send(self, samples: Sequence[bytes]) -> asyncio.Future[Published]:
        """Publish a batch, and wait until it is on its way; what becomes of it comes later."""
        async with self._writing:
            if self._error:
                raise self._error
            settled = asyncio.get_running_loop().create_future()
            self._unsettled.append(_Unsettled(len(samples), settled))
            with suppress(AioRpcError, asyncio.InvalidStateError):
                # Why it cannot be written is told by the reading.
                await self._call.write(self._request(samples))
        return settled

    async def close(self) -> None:
        """Undeclare it; batches on their way may be lost."""
        self._fail(ClosedError("the publisher was closed"))
        self._reading.cancel()
        self._call.cancel()
        await self._forget(self)

    def _request(self, samples: Sequence[bytes]) -> pb.PublishRequest:
        if self._opened:
            return pb.PublishRequest(samples=samples)
        self._opened = True
        return pb.PublishRequest(client=self._client, publisher=self.number, samples=samples)

    async def _read(self) -> None:
        try:
            with service_errors():
                async for response in self._call:
                    for result in response.results:
                        self._settle(result)
        except ServiceError as error:
            self._fail(error)
        else:
            self._fail(ClosedError("the service has ended the stream"))

    def _settle(self, result: pb.BatchResult) -> None:
        for _ in range(result.count):
            if not self._unsettled:
                self._fail(ProtocolError("the service tells of batches that were not published"))
                return
            batch = self._unsettled.popleft()
            if not batch.settled.done():
                batch.settled.set_result(_published(batch.samples, result))

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        for batch in self._unsettled:
            if not batch.settled.done():
                batch.settled.set_exception(error)
                # Nobody may wait for it.
                batch.settled.exception()
        self._unsettled.clear()


def _published(samples: int, result: pb.BatchResult) -> Published:
    if result.count > 1:
        return Published(samples)
    return Published(
        result.accepted,
        result.spilled,
        result.dropped,
        result.expired,
        result.refused,
        result.reason,
        result.problem,
    )
