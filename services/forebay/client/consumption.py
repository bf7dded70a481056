"""Consuming from a queue: deliveries in, settlements out, over as many connections as it takes."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any, Self

import grpc
from grpc.aio import AioRpcError

from forebay.client.delivery import Delivery
from forebay.client.errors import ProtocolError
from forebay.client.primaryroute import PrimaryRoute, Turn, cut_off
from forebay.client.retrying import Retrying
from forebay.client.settings import ConsumeSettings
from forebay.client.settlements import Settlements
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from forebay.runtime import Clock, SystemClock
from forebay.runtime.closing import Closing

Call = grpc.aio.StreamStreamCall[pb.ConsumeRequest, pb.ConsumeResponse]

CLOSE_SECONDS = 5.0
"""How long the store may take to make settlements durable, and then to end a stream that we have ended."""


class Consumption(Closing):
    """The messages of a queue: iterate over it by `async for`, within `async with`; made by `Store.consume`.

    When a connection is lost, it goes on over the next: what was not settled by then is delivered again. Memory holds
    up to twice the prefetch of messages. Leaving the context sends what is settled, and gives the rest back to the
    queue.
    """

    def __init__(
        self,
        route: PrimaryRoute,
        start: pb.ConsumeStart,
        settings: ConsumeSettings | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`route` is asked for anew for every connection; `start` has a prefetch above 0, and no credit."""
        self.active: bool | None = None
        """False while another is the single active consumer of the queue; None while that is not known."""
        self._route = route
        self._start = start
        self._settings = settings or ConsumeSettings()
        self._retrying = Retrying("consuming", self._settings.backoff, self._settings.patience, clock or SystemClock())
        self._ready: deque[Delivery] = deque()
        self._some = asyncio.Event()
        """Something to be handed out, or the end of the consumption."""
        self._due = asyncio.Event()
        """Something to be sent."""
        self._durable = asyncio.Event()
        """News of what is durable."""
        self._timer: asyncio.TimerHandle | None = None
        self._missed = False
        """The store may not have what was settled since the last flush."""
        self._settlements = Settlements(1, self._due.set, self._due.set, self._miss)
        self._ending = False
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._running = asyncio.get_running_loop().create_task(self._run(), name="consumption")
        self._running.add_done_callback(self._ended)
        return self

    async def __aiter__(self) -> AsyncIterator[Delivery]:
        """Deliveries as they come, until the consumption is closed. Raises `ServiceError` or `ClientError`."""
        if self._running is None:
            async with self:
                async for delivery in self:
                    yield delivery
            return
        ready = self._ready
        while await self._until_some():
            settlements, handed = self._settlements, 0
            while ready:
                handed += 1
                yield ready.popleft()
            if not settlements.lost:
                settlements.grant(handed)

    async def _until_some(self) -> bool:
        """Wait for deliveries; False at the end."""
        assert self._running is not None  # noqa: S101 as `__aiter__` sees to
        while not self._ready:
            if self._running.done():
                if not self._running.cancelled():
                    self._running.result()
                return False
            self._some.clear()
            await self._some.wait()
        return True

    async def flush(self) -> bool:
        """Wait until all that was settled is durable; then it is never delivered again, but for what was requeued.

        False when a connection was lost with some of what was settled since the last flush: it may be delivered again.
        """
        settlements = self._settlements
        self._due.set()
        while not settlements.lost and settlements.durable < settlements.given:
            self._durable.clear()
            await self._durable.wait()
        missed, self._missed = self._missed, False
        return not missed

    def _miss(self) -> None:
        self._missed = True

    async def close(self) -> None:
        """Send what is settled, wait until it is durable, and end the stream."""
        running = self._running
        if running is None:
            return
        if not running.done() and not self._settlements.lost:
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self.flush()
                    self._ending = True
                    self._due.set()
                    await asyncio.wait([running])
            except TimeoutError:
                pass
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    def _ended(self, running: "asyncio.Task[None]") -> None:
        self._settlements.lose()
        self._wake()
        if self._timer:
            self._timer.cancel()

    def _wake(self) -> None:
        self._some.set()
        self._durable.set()

    async def _run(self) -> None:
        while True:
            way = self._route.way()
            try:
                with cut_off():
                    await self._stream(way.stub)
                return
            except AioRpcError as error:
                self._lose()
                turn = await self._route.failed(error, way)
                await self._retrying.wait_after(error, led=turn is Turn.PRIMARY)

    def _lose(self) -> None:
        """The connection is gone: what it has brought comes again, but for what counts as acknowledged."""
        self._settlements.lose()
        if not self._start.no_ack:
            self._ready.clear()
        self._wake()

    async def _stream(self, stub: StoreServiceStub) -> None:
        """One connection, to its end."""
        call: Call = stub.Consume()
        enough = max(1, min(self._start.prefetch // 4, 256))
        self._settlements = settlements = Settlements(enough, self._send_soon, self._due.set, self._miss)
        writing = asyncio.ensure_future(self._write(call, settlements))
        try:
            async for response in call:
                self._take(response, settlements)
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            call.cancel()
        if not self._ending:
            raise ProtocolError("the store ended the consumption and does not say why")

    def _send_soon(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._settings.settle_seconds, self._due.set)

    async def _write(self, call: Any, settlements: Settlements) -> None:
        start = pb.ConsumeStart()
        start.CopyFrom(self._start)
        start.credit = 2 * start.prefetch
        await call.write(pb.ConsumeRequest(start=start))
        while not self._ending:
            await self._due.wait()
            self._due.clear()
            if request := settlements.take():
                await call.write(request)
        await call.done_writing()

    def _take(self, response: pb.ConsumeResponse, settlements: Settlements) -> None:
        self._retrying.heard()
        if response.HasField("active"):
            self.active = response.active
        if response.settled:
            settlements.durable += sum(run.count for run in response.settled)
            self._durable.set()
        if response.deliveries:
            to_settle = None if self._start.no_ack else settlements
            self._ready += [Delivery(delivery, to_settle) for delivery in response.deliveries]
            self._some.set()
