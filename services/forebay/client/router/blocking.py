"""A thread as its blocking handler sees it, which runs in a thread of the operating system."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from forebay.client.router.thread import Thread
from forebay.router.core.flags import NOTIFY_DROP
from forebay.router.core.message import Fields, Message
from forebay.router.core.skal import DEFAULT_TTL

R = TypeVar("R")


class BlockingThread:
    """The methods of `Thread`, for a blocking handler. What waits there blocks here."""

    def __init__(self, thread: Thread, loop: asyncio.AbstractEventLoop) -> None:
        self.name = thread.name
        self.address = thread.address
        self._thread = thread
        self._loop = loop
        self._calls: deque[Callable[[], None]] = deque()

    def send(
        self,
        recipient: str,
        name: str,
        body: bytes = b"",
        fields: Fields | None = None,
        *,
        flags: int = NOTIFY_DROP,
        ttl: int = DEFAULT_TTL,
    ) -> None:
        """As `Thread.send`. What that would raise ends the thread."""
        self._calls.append(partial(self._thread.send, recipient, name, body, fields, flags=flags, ttl=ttl))

    def multicast(self, group: str, name: str, body: bytes = b"", fields: Fields | None = None) -> None:
        """As `Thread.multicast`."""
        self._calls.append(partial(self._thread.multicast, group, name, body, fields))

    def reply(self, request: Message, name: str, body: bytes = b"", fields: Fields | None = None) -> None:
        """As `Thread.reply`."""
        self._calls.append(partial(self._thread.reply, request, name, body, fields))

    def request(
        self, recipient: str, name: str, body: bytes = b"", fields: Fields | None = None, *, within: float = 30.0
    ) -> Message:
        """As `Thread.request`."""
        self.settle()
        return self._wait(self._thread.request(recipient, name, body, fields, within=within))

    def drain(self) -> None:
        """As `Thread.drain`."""
        self.settle()
        self._wait(self._thread.drain())

    def stop(self) -> None:
        """As `Thread.stop`."""
        self._calls.append(self._thread.stop)

    def settle(self) -> None:
        """Do what was asked for since the last time, on the event loop."""
        if self._calls:
            self._wait(self._do())

    async def _do(self) -> None:
        while self._calls:
            self._calls.popleft()()

    def _wait(self, work: Coroutine[Any, Any, R]) -> R:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
