"""What a subscriber gets by a node."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Self

from grpc.aio import AioRpcError

from forebay.client.channels import service_errors
from forebay.client.conduitservice.attaching import Cut, is_lost
from forebay.client.conduitservice.declared import TIMEOUT
from forebay.client.errors import ClosedError
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime import from_rpc_error
from forebay.runtime.cutcalls import cut_off, failed


class Subscription:
    """An asynchronous iterator of deliveries; see `Attachment.subscribe`. It raises `ServiceError` when it ends.

    When the service is lost it goes on once there is one again; what came in between is not made up for.
    """

    writes = False

    def __init__(
        self,
        request: Callable[[], pb.DeclareSubscriberRequest],
        forget: Callable[["Subscription"], Awaitable[None]],
        cut: Cut,
    ) -> None:
        """`request` declares it; `cut` is told of the client whose stream was lost, and why."""
        self.number = 0
        """Of the declaration, as the service of now has it."""
        self.client = b""
        """Whose it is there."""
        self.missed = 0
        """Samples that were dropped, with SLOW_DROP, since they were not read soon enough."""
        self._request = request
        self._forget = forget
        self._cut = cut
        self._stub: ConduitServiceStub
        self._call: Any = None
        self._reading: asyncio.Future[Any] | None = None
        self._ready = asyncio.Event()
        self._waiting: deque[pb.Delivery] = deque()
        self._error: Exception | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> pb.Delivery:
        """The next delivery."""
        while not self._waiting:
            await self._ready.wait()
            if isinstance(self._error, ClosedError):
                raise StopAsyncIteration
            if self._error:
                raise self._error
            await self._read()
        return self._waiting.popleft()

    async def pull(self, limit: int = 0) -> None:
        """Ask peers for what they keep: at most so many samples of each; 0: all."""
        with service_errors():
            request = pb.PullRequest(client=self.client, subscriber=self.number, limit=limit)
            await self._stub.Pull(request, timeout=TIMEOUT)

    async def close(self) -> None:
        """Undeclare it."""
        self.fail(ClosedError("the subscription was closed"))
        if self._call:
            self._call.cancel()
        await self._forget(self)

    async def declare(self, stub: ConduitServiceStub, client: bytes) -> None:
        """Declare it for a client, and read. Raises `AioRpcError`."""
        request = self._request()
        request.client = client
        self.number = (await stub.DeclareSubscriber(request, timeout=TIMEOUT)).declaration
        self._stub, self.client = stub, client
        if self._call:
            self._call.cancel()
            self._reading = None
        if self._error:
            return
        self._call = stub.Subscribe(pb.SubscribeRequest(client=client, subscriber=self.number))
        self._ready.set()

    @property
    def over(self) -> bool:
        """Whether it gets nothing any more."""
        return self._error is not None

    def lost(self) -> None:
        """The service was lost: whoever reads waits."""
        if not self._error:
            self._ready.clear()

    def fail(self, error: Exception) -> None:
        """It gets nothing any more."""
        self._error = self._error or error
        self._ready.set()

    async def _read(self) -> None:
        """Some deliveries, or the end of the stream."""
        call, client = self._call, self.client
        try:
            with cut_off(lambda: failed("the stream was cut off")):
                response = await self._response(call)
            if not isinstance(response, pb.SubscribeResponse):
                raise failed("the service has ended the stream")
        except AioRpcError as error:
            if not is_lost(error):
                self.fail(from_rpc_error(error))
            elif call is self._call:
                self.lost()
                self._cut(client, error)
            return
        self.missed += response.missed
        self._waiting += response.deliveries

    async def _response(self, call: Any) -> Any:
        """Whoever waits for it may be cancelled: the stream goes on."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(call.read())
            self._reading.add_done_callback(_heed)
        reading = self._reading
        await asyncio.wait([reading])
        if self._reading is reading:
            self._reading = None
        return reading.result()


def _heed(reading: asyncio.Future[Any]) -> None:
    """Nobody may wait for it any more."""
    if not reading.cancelled():
        reading.exception()
