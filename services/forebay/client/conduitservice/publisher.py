"""Publishing by a node: batches go out, and what became of each comes back."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from grpc.aio import AioRpcError

from forebay.client.conduitservice.attaching import Cut, is_lost
from forebay.client.conduitservice.declared import TIMEOUT
from forebay.client.errors import ClosedError, ProtocolError
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime import from_rpc_error
from forebay.runtime.cutcalls import cut_off, failed


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
    again: bool = False
    """The service was lost before it had told what became of the batch, which was sent again: samples of it may have
    gone out twice."""


class _Unsettled:
    """A batch whose outcome has not come."""

    __slots__ = ("again", "samples", "settled")

    def __init__(self, samples: Sequence[bytes]) -> None:
        self.samples = samples
        self.settled: asyncio.Future[Published] = asyncio.get_running_loop().create_future()
        self.again = False


class Publisher:
    """Batches are published in the order of the calls; several calls may wait at once. See `Attachment.publisher`.

    What has no outcome when the service is lost is sent again, before all else, once there is one again.
    """

    writes = True

    def __init__(
        self,
        request: Callable[[], pb.DeclarePublisherRequest],
        forget: Callable[["Publisher"], Awaitable[None]],
        cut: Cut,
    ) -> None:
        """`request` declares it; `cut` is told of the client whose stream was lost, and why."""
        self.number = 0
        """Of the declaration, as the service of now has it."""
        self.client = b""
        """Whose it is there."""
        self._request = request
        self._forget = forget
        self._cut = cut
        self._call: Any = None
        self._ready = asyncio.Event()
        self._turn = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._unsettled: deque[_Unsettled] = deque()
        self._opening: _Unsettled | None = None
        self._error: Exception | None = None
        self._running: asyncio.Task[None] | None = None

    async def publish(self, samples: Sequence[bytes]) -> Published:
        """Publish a batch, and wait until the node has taken it, or has not. Raises `ServiceError`, `ClosedError`."""
        return await (await self.send(samples))

    async def send(self, samples: Sequence[bytes]) -> asyncio.Future[Published]:
        """Publish a batch, and wait until it is on its way; what becomes of it comes later."""
        async with self._turn:
            await self._ready.wait()
            async with self._writing:
                if self._error:
                    raise self._error
                batch = _Unsettled(samples)
                self._unsettled.append(batch)
                await self._write(self._call, pb.PublishRequest(samples=samples))
        return batch.settled

    async def close(self) -> None:
        """Undeclare it; batches on their way may be lost."""
        self.fail(ClosedError("the publisher was closed"))
        await self._stop()
        await self._forget(self)

    async def declare(self, stub: ConduitServiceStub, client: bytes) -> None:
        """Declare it for a client, and send what has no outcome. Raises `AioRpcError`."""
        request = self._request()
        request.client = client
        self.number = (await stub.DeclarePublisher(request, timeout=TIMEOUT)).declaration
        self.client = client
        await self._stop()
        if not self._error:
            self._running = asyncio.ensure_future(self._run(stub.Publish(), client))

    @property
    def over(self) -> bool:
        """Whether it takes nothing any more."""
        return self._error is not None

    def lost(self) -> None:
        """The service was lost: batches wait."""
        if not self._error:
            self._ready.clear()

    def fail(self, error: Exception) -> None:
        """It takes nothing any more."""
        self._error = self._error or error
        for batch in self._unsettled:
            if not batch.settled.done():
                batch.settled.set_exception(error)
                # Nobody may wait for it.
                batch.settled.exception()
        self._unsettled.clear()
        self._ready.set()

    async def _stop(self) -> None:
        if self._running:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def _run(self, call: Any, client: bytes) -> None:
        """One stream, to its end."""
        beginning = asyncio.ensure_future(self._begin(call, client))
        try:
            await self._read(call)
        except AioRpcError as error:
            if is_lost(error):
                self.lost()
                self._cut(client, error)
            else:
                self.fail(from_rpc_error(error))
        finally:
            beginning.cancel()
            call.cancel()

    async def _begin(self, call: Any, client: bytes) -> None:
        """Name the publisher, send again what has no outcome, and let others write."""
        async with self._writing:
            self._call = call
            if self._unsettled and self._unsettled[0] is self._opening:
                self._unsettled.popleft()
            batches = list(self._unsettled)
            # It has no samples, and an outcome of its own.
            self._opening = _Unsettled(())
            self._unsettled.appendleft(self._opening)
            ok = await self._write(call, pb.PublishRequest(client=client, publisher=self.number))
            for batch in batches:
                batch.again = True
                ok = ok and await self._write(call, pb.PublishRequest(samples=batch.samples))
            if ok:
                self._ready.set()

    async def _write(self, call: Any, request: pb.PublishRequest) -> bool:
        """Whether it could be written: if not, the reading tells why."""
        try:
            with cut_off(lambda: failed("the stream was cut off")):
                await call.write(request)
        except (AioRpcError, asyncio.InvalidStateError):
            return False
        return True

    async def _read(self, call: Any) -> None:
        """What became of batches. Raises `AioRpcError` at its end."""
        with cut_off(lambda: failed("the stream was cut off")):
            async for response in call:
                for result in response.results:
                    self._settle(result)
        raise failed("the service has ended the stream")

    def _settle(self, result: pb.BatchResult) -> None:
        for _ in range(result.count):
            if not self._unsettled:
                self.fail(ProtocolError("the service tells of batches that were not published"))
                return
            batch = self._unsettled.popleft()
            if not batch.settled.done():
                batch.settled.set_result(_published(batch, result))


def _published(batch: _Unsettled, result: pb.BatchResult) -> Published:
    if result.count > 1:
        return Published(len(batch.samples), again=batch.again)
    return Published(
        result.accepted,
        result.spilled,
        result.dropped,
        result.expired,
        result.refused,
        result.reason,
        result.problem,
        batch.again,
    )
