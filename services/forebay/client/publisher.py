"""Publishing messages: requests out, confirms in, over as many connections as it takes."""

import asyncio
from collections.abc import Sequence
from secrets import token_hex
from types import TracebackType
from typing import Any, Self

import grpc
import structlog
from grpc.aio import AioRpcError

from forebay.client.confirmations import KEPT, Confirmations
from forebay.client.errors import ClosedError, NotKeptError, ProtocolError
from forebay.client.primaryroute import PrimaryRoute, Turn, cut_off
from forebay.client.publishwindow import PublishWindow
from forebay.client.retrying import Retrying
from forebay.client.settings import PublishSettings
from forebay.client.tally import PublishTally
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from forebay.runtime import Clock, SystemClock

Call = grpc.aio.StreamStreamCall[Any, pb.PublishResponse]

CLOSE_SECONDS = 5.0
"""How long the store may take to end a stream that we have ended."""

log = structlog.stdlib.get_logger(__name__)


class Publisher:
    """One stream of numbered messages; made by `Store.publisher`, and used within `async with`.

    What has no outcome when a connection ends is sent again over the next, under the same name and numbers, so nothing
    is kept twice. Leaving the context waits for all outcomes, as `flush` does; leaving it by an exception does not.
    """

    def __init__(
        self,
        route: PrimaryRoute,
        name: str = "",
        first: int = 1,
        settings: PublishSettings | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`route` is asked for anew for every connection; see `Store.publisher` for the rest."""
        self.name = name or token_hex(8)
        self.tally = PublishTally()
        """What is known so far."""
        self.blocked = ""
        """Why the store takes nothing at the moment; empty: it does."""
        self._route = route
        self._settings = settings or PublishSettings()
        self._window = PublishWindow(self._settings, first)
        self._confirmations = Confirmations()
        self._retrying = Retrying("publishing", self._settings.backoff, self._settings.patience, clock or SystemClock())
        self._some = asyncio.Event()
        self._room = asyncio.Event()
        self._ending = False
        self._error: Exception = ClosedError("the publisher is used before it is entered: use `async with`")
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                await self.flush()
        finally:
            await self.close()

    @property
    def over(self) -> bool:
        """It has failed, or was closed: it takes nothing any more."""
        return self._ending or (self._running is not None and self._running.done())

    def start(self) -> None:
        """Begin; what `async with` does."""
        self._running = asyncio.get_running_loop().create_task(self._run(), name="publisher")
        self._running.add_done_callback(self._ended)

    async def send(self, messages: Sequence[pb.Message]) -> int:
        """Publish messages in their order, once there is room in the window; the number of the last.

        They are sent in requests of what has gathered meanwhile. `settled` or `flush` wait for the outcomes. Raises
        `ServiceError` or `ClientError` when the publisher has failed.
        """
        step = self._settings.batch_messages
        number = self._window.next - 1
        for place in range(0, len(messages), step):
            await self._until_room()
            number = self._window.add(messages[place : place + step])
            self._some.set()
        return number

    async def publish(self, message: pb.Message) -> pb.Outcome:
        """Publish one message and wait for its outcome, which is CONFIRMED or DUPLICATE.

        Raises `NotKeptError` for any other, and what `send` raises.
        """
        await self._until_room()
        waiter = self._confirmations.outcome_of(self._window.add([message]))
        self._some.set()
        confirm = await waiter
        assert confirm is not None  # noqa: S101 what `outcome_of` promises
        if confirm.outcome not in KEPT:
            raise NotKeptError(1, confirm)
        return confirm.outcome

    async def settled(self, number: int) -> None:
        """Wait until every message up to that number has its outcome. Raises what `send` raises."""
        self._check()
        if number >= self._window.settled:
            await self._confirmations.all_up_to(number)

    async def flush(self) -> None:
        """Wait until every message has its outcome.

        Raises `NotKeptError` when some that were given to `send` since the last flush are not kept, and what `send`
        raises.
        """
        await self.settled(self._window.next - 1)
        self._confirmations.settle_accounts()

    async def close(self) -> None:
        """End the stream. What has no outcome by then may or may not be kept."""
        if self._running is None:
            return
        self._ending = True
        self._some.set()
        if not self._window and not self._running.done():
            await asyncio.wait([self._running], timeout=CLOSE_SECONDS)
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)

    async def _until_room(self) -> None:
        self._check()
        while self._window.full:
            self._room.clear()
            await self._room.wait()
            self._check()

    def _check(self) -> None:
        if self._running is None or self.over:
            raise self._error

    def _ended(self, running: "asyncio.Task[None]") -> None:
        """Nothing more comes: tell those who wait."""
        error = None if running.cancelled() else running.exception()
        self._error = error if isinstance(error, Exception) else ClosedError("the publisher has ended")
        self._confirmations.fail(self._error)
        self._room.set()

    async def _run(self) -> None:
        while True:
            way = self._route.way()
            try:
                with cut_off():
                    await self._stream(way.stub)
                return
            except AioRpcError as error:
                self._window.begin_again()
                turn = await self._route.failed(error, way)
                await self._retrying.wait_after(error, led=turn is Turn.PRIMARY)

    async def _stream(self, stub: StoreServiceStub) -> None:
        """One connection, to its end."""
        call: Call = stub.Publish()
        writing = asyncio.ensure_future(self._write(call))
        try:
            async for response in call:
                self._take(response)
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            call.cancel()
        if self._window or not self._ending:
            raise ProtocolError(f"the store ended the stream and left {len(self._window)} messages without an outcome")

    async def _write(self, call: Any) -> None:
        await call.write(pb.PublishRequest(publisher=self.name).SerializeToString())
        while True:
            while self._window.ready:
                await call.write(self._window.take())
            if self._ending:
                await call.done_writing()
                return
            self._some.clear()
            await self._some.wait()

    def _take(self, response: pb.PublishResponse) -> None:
        self._retrying.heard()
        if response.HasField("blocked"):
            self.blocked = response.blocked
            log.warning("publishing is blocked" if self.blocked else "publishing goes on", reason=self.blocked)
        for confirm in response.confirms:
            self._window.settle(confirm)
            self.tally.count(confirm)
            self._confirmations.confirm(confirm)
        if not self._window.full:
            self._room.set()
