"""The primary's end of the stream to one mirror."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from grpc.aio import AioRpcError

from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.runtime.clock import Clock
from forebay.runtime.status import from_rpc_error

STALLED_SECONDS = 5.0
"""Without an answer for so long while something waits for one, a mirror counts as gone."""
WINDOW = 32 << 20
"""Octets that may be on their way to a mirror before a copy, or a round, waits."""


class LinkError(Exception):
    """A mirror is gone, or too slow; the message tells why."""


class FollowCall(Protocol):
    """A call of `Follow`, as gRPC has it."""

    async def write(self, request: pb.FollowRequest) -> None:
        """Send."""
        ...

    async def read(self) -> Any:
        """A `FollowResponse`, or `grpc.aio.EOF`."""
        ...

    def cancel(self) -> bool:
        """End it."""
        ...


class Link:
    """Steps go out in their order, and answers come back. `run` works until the mirror is gone."""

    def __init__(self, name: str, call: FollowCall, clock: Clock) -> None:
        self.name = name
        self.failure = ""
        """Why the mirror is gone; empty: it is not."""
        self.answered = 0
        """All steps up to this one are safe there."""
        self.sent = 0
        """The last step that was sent."""
        self._call = call
        self._clock = clock
        self._queue: deque[pb.FollowRequest] = deque()
        self._sizes: deque[tuple[int, int]] = deque()
        """Steps on their way, with their octets."""
        self._octets = 0
        self._news = asyncio.Event()
        self._more = asyncio.Event()
        self._failed = asyncio.Event()

    def send(self, requests: Iterable[pb.FollowRequest]) -> None:
        """Requests of a step, the last of which has its number."""
        octets = step = 0
        for request in requests:
            self._queue.append(request)
            octets += request.ByteSize()
            step = request.step
        self.sent = step
        self._sizes.append((step, octets))
        self._octets += octets
        self._more.set()

    async def run(self) -> None:
        """Send and hear, until it fails; then `failure` tells why."""
        works = (self._write(), self._read(), self._watch(), self._failed.wait())
        tasks: list[asyncio.Future[object]] = [asyncio.ensure_future(work) for work in works]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            self.fail(_reason(next(iter(done)).exception()))
        finally:
            self.fail("it is let go")
            self._call.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def fail(self, reason: str) -> None:
        """The mirror is gone; the first reason counts."""
        self.failure = self.failure or reason
        self._failed.set()
        self._stir()

    async def until(self, step: int) -> None:
        """Wait until a step is safe there. Raises `LinkError`, also of a mirror that had it before it was gone."""
        while self.answered < step and not self.failure:
            await self._news.wait()
        self._check()

    async def room(self) -> None:
        """Wait until not too much is on its way. Raises `LinkError`."""
        while self._octets > WINDOW and not self.failure:
            await self._news.wait()
        self._check()

    async def meanwhile(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for something else, for as long as the mirror is there. Raises `LinkError`."""
        working, failing = asyncio.ensure_future(work), asyncio.ensure_future(self._failed.wait())
        try:
            await asyncio.wait((working, failing), return_when=asyncio.FIRST_COMPLETED)
            self._check()
            await working
        finally:
            working.cancel()
            failing.cancel()

    def _check(self) -> None:
        if self.failure:
            raise LinkError(self.failure)

    def _stir(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._queue:
                await self._call.write(self._queue.popleft())

    async def _read(self) -> None:
        while isinstance(response := await self._call.read(), pb.FollowResponse):
            self.answered = response.step
            while self._sizes and self._sizes[0][0] <= response.step:
                self._octets -= self._sizes.popleft()[1]
            self._stir()
        raise LinkError("it ended the stream")

    async def _watch(self) -> None:
        while True:
            before = self.answered
            waits = self._sizes and self._sizes[0][0]
            await self._clock.sleep(STALLED_SECONDS)
            if waits and before == self.answered and self._sizes and self._sizes[0][0] == waits:
                raise LinkError(f"step {waits} was not answered for {STALLED_SECONDS:g} s")


def _reason(error: BaseException | None) -> str:
    if isinstance(error, AioRpcError):
        return str(from_rpc_error(error))
    return str(error or "it ended the stream")
