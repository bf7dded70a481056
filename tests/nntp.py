"""The least of an NNTP sender, for tests that must not depend on the sender under test."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from articles import Article


class NntpSender:
    """A connection to 127.0.0.1:`port`, open inside `async with`."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Self:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        greeting = await self.line()
        if not greeting:
            self.writer.close()
            raise ConnectionResetError("closed without a greeting")
        assert greeting.startswith(b"200"), greeting
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.writer.close()
        await self.writer.wait_closed()

    async def line(self) -> bytes:
        return (await self.reader.readline()).rstrip(b"\r\n")

    async def command(self, command: bytes) -> bytes:
        """Send one command line and return its answer."""
        self.writer.write(command + b"\r\n")
        return await self.line()

    async def take_this(self, articles: Sequence[Article]) -> list[bytes]:
        """Send the articles without asking (RFC 4644), the next only after the answer to the one before."""
        replies = []
        for article in articles:
            self.writer.write(b"TAKETHIS " + article.message_id + b"\r\n" + article.wire)
            replies.append(await self.line())
        return replies
