"""One Attach stream: requests in, responses out, until either side ends it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.attachment import LINK_CLOSED, Attachment
from forebay.router.processes import RETRY_SECONDS, Processes
from forebay.runtime.errors import UnavailableError

Write: TypeAlias = Callable[[pb.AttachResponse], Awaitable[None]]


class AttachStream:
    """Leads what comes to the attachment, and what that has to tell to the process."""

    def __init__(self, attachment: Attachment, processes: Processes, welcome: pb.Welcome) -> None:
        self._attachment = attachment
        self._processes = processes
        self._welcome = welcome
        self._news = asyncio.Event()
        self._taken = asyncio.Event()
        """Something was taken to be written."""
        self._ended = False
        attachment.outlet.wake = self._news.set

    def end(self) -> None:
        """The router stops."""
        self._ended = True
        self._news.set()

    async def run(self, opening: pb.AttachRequest, requests: AsyncIterator[pb.AttachRequest], write: Write) -> None:
        """Write responses to requests, of which the first is `opening`.

        They are not yielded: each generator on the way costs a lone message its time. Raises `UnavailableError` after
        `end`, and when the process has been taken for dead.
        """
        attachment = self._attachment
        attachment.handle(opening)
        reading = asyncio.ensure_future(self._read(requests))
        reading.add_done_callback(lambda _: self._news.set())
        try:
            await write(pb.AttachResponse(welcome=self._welcome))
            while not (self._ended or attachment.over or reading.done()):
                self._news.clear()
                while response := attachment.take():
                    self._taken.set()
                    await write(response)
                await self._news.wait()
            self._check()
        finally:
            reading.cancel()
            self._close()

    def _check(self) -> None:
        if self._attachment.left:
            return
        if self._ended:
            raise UnavailableError("the router stops: attach to another", retry_after=RETRY_SECONDS)
        if self._attachment.over:
            raise UnavailableError(
                "the process gave no sign of life, or has attached elsewhere: attach again", reason="DETACHED"
            )

    async def _read(self, requests: AsyncIterator[pb.AttachRequest]) -> None:
        async for request in requests:
            if self._attachment.over:
                return
            self._attachment.handle(request)
            while self._attachment.burdened:
                self._taken.clear()
                await self._taken.wait()

    def _close(self) -> None:
        """Without a word of farewell the process has crashed, unless it is the router that ends."""
        if self._ended:
            self._attachment.close()
        else:
            self._attachment.lost(LINK_CLOSED)
        self._processes.detach(self._attachment)
