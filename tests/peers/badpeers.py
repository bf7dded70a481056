"""Peers that are broken or mean, each in its own way, within the test's own process."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import cast

BYTE_PAUSE = 0.05
"""Seconds between two octets of a peer that answers octet by octet."""
FLOOD = b"239 <nobody@asked.example>\r\n" * 2_000


class BadPeer(asyncio.Protocol):
    """Greets, takes MODE STREAM, and then does what its kind does with what it reads."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.rest = b""
        self.greet()

    def greet(self) -> None:
        self.transport.write(b"200 hello\r\n")

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\r\n")
        if lines and lines[0].startswith(b"MODE"):
            del lines[0]
            self.transport.write(b"203 stream\r\n")
            self.streaming()
        if lines:
            self.commands(lines)

    def streaming(self) -> None:
        """MODE STREAM was answered."""

    def commands(self, lines: list[bytes]) -> None:
        """Lines came after it, without their ends."""


class NeverReads(BadPeer):
    """Reads nothing after MODE STREAM."""

    def streaming(self) -> None:
        self.transport.pause_reading()


class OctetByOctet(BadPeer):
    """Answers rightly, but one octet at a time."""

    def streaming(self) -> None:
        self.replies = b""
        self.sending: asyncio.Task[None] | None = None

    def commands(self, lines: list[bytes]) -> None:
        self.replies += b"".join(b"431 %b\r\n" % line[6:] for line in lines if line.startswith(b"CHECK "))
        self.sending = self.sending or asyncio.ensure_future(self.send())

    async def send(self) -> None:
        while self.replies and not self.transport.is_closing():
            self.transport.write(self.replies[:1])
            self.replies = self.replies[1:]
            await asyncio.sleep(BYTE_PAUSE)
        self.sending = None

    def connection_lost(self, exc: Exception | None) -> None:
        self.replies = b""


class WrongIds(BadPeer):
    """Wants articles that were not offered."""

    def commands(self, lines: list[bytes]) -> None:
        self.transport.write(b"".join(b"238 <wrong-%d@id.example>\r\n" % number for number in range(len(lines))))


class OutOfOrder(BadPeer):
    """Answers the last command first."""

    def commands(self, lines: list[bytes]) -> None:
        self.transport.write(b"".join(b"238 %b\r\n" % line[6:] for line in reversed(lines)))


class LongLines(BadPeer):
    """Answers with lines of a megabyte."""

    def commands(self, lines: list[bytes]) -> None:
        self.transport.write(b"438 %b %b\r\n" % (lines[0][6:], b"x" * 1_000_000))


class Pours(BadPeer):
    """Pours out `LOAD` for ever as soon as it has begun to, and neither asks nor waits."""

    LOAD = b""

    def pour(self) -> None:
        self.transport.pause_reading()
        self.resume_writing()

    def pause_writing(self) -> None:
        self.full = True

    def resume_writing(self) -> None:
        self.full = False
        while not self.full and not self.transport.is_closing():
            self.transport.write(self.LOAD)


class EndlessLine(Pours):
    """Answers with a line that does not end."""

    LOAD = b"x" * 100_000

    def commands(self, lines: list[bytes]) -> None:
        self.transport.write(b"438 ")
        self.pour()


class EndlessGreeting(Pours):
    """Greets with a line that does not end."""

    LOAD = b"x" * 100_000

    def greet(self) -> None:
        self.transport.write(b"200 ")
        self.pour()


class EndlessCapabilities(Pours):
    """Says what it can do, and does not come to an end."""

    LOAD = b"".join(b"X-%d yes\r\n" % number for number in range(2_000))

    def data_received(self, data: bytes) -> None:
        self.transport.write(b"101 list\r\n")
        self.pour()


class Rubbish(BadPeer):
    """Speaks no protocol at all."""

    def commands(self, lines: list[bytes]) -> None:
        self.transport.write(bytes(range(256)) * 400)


class Unasked(BadPeer):
    """Answers what it was not asked."""

    def streaming(self) -> None:
        self.transport.write(b"239 <nobody@asked.example>\r\n")


class CutsArticles(BadPeer):
    """Wants everything, and closes in the middle of the first article."""

    def commands(self, lines: list[bytes]) -> None:
        if any(line.startswith(b"TAKETHIS ") for line in lines):
            self.transport.abort()
        else:
            self.transport.write(b"".join(b"238 %b\r\n" % line[6:] for line in lines))


class Hangs(BadPeer):
    """Greets, and says no more."""

    def data_received(self, data: bytes) -> None:
        """Reads on."""


class Floods(Pours):
    """Talks on and on."""

    LOAD = FLOOD

    def streaming(self) -> None:
        self.pour()


class BadServer:
    """A port on which peers of one kind answer. `opened` counts their connections."""

    def __init__(self, kind: Callable[[], BadPeer]) -> None:
        self.opened = 0
        self.kind = kind
        self._numbers = count(1)
        self._peers: list[BadPeer] = []

    async def start(self) -> None:
        self._server = await asyncio.get_running_loop().create_server(self._make, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def _make(self) -> BadPeer:
        self.opened = next(self._numbers)
        self._peers.append(self.kind())
        return self._peers[-1]

    async def stop(self) -> None:
        self._server.close()
        for peer in self._peers:
            peer.transport.abort()
        await self._server.wait_closed()
