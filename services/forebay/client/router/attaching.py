"""The stream to a router: attached, and attached again for as long as the process lives."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import grpc
import structlog
from grpc.aio import AioRpcError

from forebay.client.retrying import Retrying
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.pb.router.v1.router_pb2_grpc import RouterServiceStub
from forebay.runtime import ClientChannel
from forebay.runtime.cutcalls import cut_off, failed

if TYPE_CHECKING:
    from forebay.client.router.process import Process

Call = grpc.aio.StreamStreamCall[Any, pb.AttachResponse]

MISSED = 3
"""Heartbeats that fail before a router counts as gone."""
COMPANY_SECONDS = 0.01
"""Longest wait of a receipt. It is longer than most round trips: a receipt of its own costs as much as the message did,
and next to nothing with another one."""
LEAVE_SECONDS = 5.0
"""How long a router may take to end a stream that we have ended."""

log = structlog.stdlib.get_logger(__name__)


class Attaching:
    """Keeps one process attached to one of some routers."""

    def __init__(self, process: "Process", channels: Sequence[ClientChannel]) -> None:
        """The channels are its own from now on, and closed with it."""
        settings = process.settings
        self.attached = asyncio.Event()
        """Set while there is a way to a router."""
        self.attachments = 0
        """How often there was a new one."""
        self._process = process
        self._channels = channels
        self._turn = 0
        self._news = asyncio.Event()
        self._beating = False
        self._leaving = False
        self._heard = 0.0
        self._call: Call | None = None
        process.outgoing.wake = self._news.set
        process.outgoing.wake_later = self._wake_later
        self._later_news: asyncio.TimerHandle | None = None
        clock = process.clock
        self._first = Retrying("attaching", settings.backoff, settings.patience, clock)
        self._later = Retrying("attaching", settings.backoff, math.inf, clock)

    async def run(self) -> None:
        """Attach until the process leaves. Raises `ServiceError` when no router takes it."""
        while not self._leaving:
            channel = self._channels[self._turn % len(self._channels)]
            self._turn += 1
            try:
                with cut_off(lambda: failed("the stream was given up")):
                    await self._attach(RouterServiceStub(channel.get()))
            except AioRpcError as error:
                # There is another router to try: only when all have failed it is time to wait.
                if self._turn % len(self._channels) and error.code() is grpc.StatusCode.UNAVAILABLE:
                    continue
                await (self._later if self.attachments else self._first).wait_after(error)

    async def _attach(self, stub: RouterServiceStub) -> None:
        """One stream, to its end."""
        process = self._process
        self._call = call = stub.Attach()
        try:
            hello = pb.Hello(process=process.name, incarnation=process.incarnation)
            await call.write(pb.AttachRequest(hello=hello))
            welcome = await self._read(call)
            self._welcomed(welcome.welcome)
            await self._exchange(call, welcome)
        finally:
            self._call = None
            self.attached.clear()
            call.cancel()

    async def _read(self, call: Call) -> pb.AttachResponse:
        response = await call.read()
        if response is grpc.aio.EOF:
            raise failed("the router has ended the stream")
        return response  # type: ignore[return-value]

    def _welcomed(self, welcome: pb.Welcome) -> None:
        self._heard = self._process.clock.monotonic()
        self._later.heard()
        self.attachments += 1
        self._process.welcome(welcome)
        self.attached.set()

    async def _exchange(self, call: Call, first: pb.AttachResponse) -> None:
        """Write what there is to tell, and read what comes, until the stream ends or the process leaves."""
        heartbeat = first.welcome.heartbeat_ms / 1000
        receiving = asyncio.ensure_future(self._receive(call, first))
        beating = asyncio.ensure_future(self._beat(call, heartbeat))
        receiving.add_done_callback(lambda _: self._news.set())
        try:
            await self._write(call, receiving)
            if receiving.done():
                await receiving
            await asyncio.wait([receiving], timeout=LEAVE_SECONDS)
        except asyncio.InvalidStateError:
            await receiving  # which tells why the stream has ended
        finally:
            receiving.cancel()
            beating.cancel()
            await asyncio.gather(receiving, beating, return_exceptions=True)

    async def _write(self, call: Call, receiving: asyncio.Future[None]) -> None:
        write: Callable[[pb.AttachRequest], Any] = call.write
        outgoing, clock = self._process.outgoing, self._process.clock
        while not receiving.done():
            self._news.clear()
            while not receiving.done() and (request := outgoing.take(clock.monotonic())) is not None:
                self._beating = False
                if self._later_news is not None and not outgoing.withholding:
                    self._later_news.cancel()
                    self._later_news = None
                await write(request)
            if self._leaving:
                await write(pb.AttachRequest(leaving=True))
                await call.done_writing()
                return
            if self._beating:
                self._beating = False
                await write(pb.AttachRequest())
            await self._news.wait()

    async def _receive(self, call: Call, response: pb.AttachResponse) -> None:
        process, clock = self._process, self._process.clock
        while True:
            self._heard = clock.monotonic()
            process.receive(response)
            following = await call.read()
            if following is grpc.aio.EOF:
                if self._leaving:
                    return
                raise failed("the router has ended the stream")
            response = following  # type: ignore[assignment]

    async def _beat(self, call: Call, heartbeat: float) -> None:
        """Give signs of life, and see that the router does."""
        clock = self._process.clock
        while True:
            asleep = clock.monotonic()
            await clock.sleep(heartbeat)
            now = clock.monotonic()
            # What kept us from looking also kept us from hearing.
            self._heard += max(0.0, now - asleep - heartbeat)
            if now - self._heard > MISSED * heartbeat:
                log.warning("the router gives no sign of life", process=self._process.name)
                call.cancel()
                return
            self._beating = True
            self._news.set()

    def _wake_later(self) -> None:
        if self._later_news is None:
            self._later_news = asyncio.get_running_loop().call_later(COMPANY_SECONDS, self._wake)

    def _wake(self) -> None:
        self._later_news = None
        self._process.outgoing.hasten()

    def cut(self) -> None:
        """Give the stream up, and attach anew."""
        if self._call:
            self._call.cancel()

    def leave(self) -> None:
        """The process ends."""
        self._leaving = True
        self._process.outgoing.hasten()
        self._news.set()

    async def close(self) -> None:
        """End all connections."""
        for channel in self._channels:
            await channel.close()
