"""A news peer within the test's own process: it notes what it is sent, and does as the test tells it meanwhile."""

import asyncio
from typing import cast

from ports import free_port

ARTICLE_END = b"\r\n.\r\n"


class RecordingPeer:
    """Takes what it does not have. Its port and its articles stay over `stop` and `start`."""

    def __init__(self) -> None:
        self.port = free_port()
        self.offered: list[bytes] = []
        """Message-ids in the order in which they were named to it, by CHECK or TAKETHIS; again when offered again."""
        self.articles: dict[bytes, bytes] = {}
        """Wire form by message-id."""
        self.repeats: list[bytes] = []
        """Message-ids of articles that came once more by TAKETHIS, though it had them."""
        self.check_reply = b""
        """The code of all answers to CHECK, where not empty."""
        self.take_reply = b""
        """The code of all answers to TAKETHIS, where not empty; nothing is kept then."""
        self.login: tuple[bytes, bytes] | None = None
        """User and password without which it takes nothing."""
        self.silent = False
        """Says nothing about articles, but reads on."""
        self.connections: list[Connection] = []
        self.opened = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), "127.0.0.1", self.port)

    async def stop(self) -> None:
        """Go away as a machine does that loses its power."""
        if self._server:
            self._server.close()
            self.cut()
            await self._server.wait_closed()
        self._server = None

    @property
    def is_up(self) -> bool:
        return self._server is not None

    def cut(self) -> None:
        """Break all connections."""
        for connection in self.connections:
            connection.transport.abort()

    def check(self, message_id: bytes) -> bytes:
        self.offered.append(message_id)
        return self.check_reply or (b"438" if message_id in self.articles else b"238")

    def take(self, message_id: bytes, wire: bytes) -> bytes:
        if self.take_reply:
            return self.take_reply
        if message_id in self.articles:
            self.repeats.append(message_id)
            return b"439"
        self.articles[message_id] = wire
        return b"239"


class Connection(asyncio.Protocol):
    """One connection; it keeps what it has read of the next command."""

    def __init__(self, peer: RecordingPeer) -> None:
        self.peer = peer
        self.rest = b""
        self.taking = b""
        self.checked: set[bytes] = set()
        self.user: bytes | None = None
        self.is_known = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.peer.connections.append(self)
        self.peer.opened += 1
        transport.write(b"200 recording\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        self.peer.connections.remove(self)

    def data_received(self, data: bytes) -> None:
        data = self.rest + data
        replies: list[bytes] = []
        position, searched = 0, max(0, len(self.rest) - len(ARTICLE_END))
        while True:
            end_mark = ARTICLE_END if self.taking else b"\r\n"
            end = data.find(end_mark, max(position, searched) if self.taking else position)
            if end < 0:
                break
            end += len(end_mark)
            replies.append(self.article(data[position:end]) if self.taking else self.command(data[position : end - 2]))
            position, searched = end, 0
        self.rest = data[position:]
        self.transport.write(b"".join(replies))

    def article(self, wire: bytes) -> bytes:
        message_id, self.taking = self.taking, b""
        if message_id not in self.checked:
            self.peer.offered.append(message_id)
        self.checked.discard(message_id)
        return self.answer(self.peer.take(message_id, wire), message_id)

    def command(self, line: bytes) -> bytes:
        verb, _, argument = line.partition(b" ")
        if verb == b"AUTHINFO":
            return self.authinfo(*argument.split(b" ", 1))
        if self.peer.login and not self.is_known and verb != b"QUIT":
            return b"480 who are you?\r\n"
        match verb:
            case b"CHECK":
                reply = self.peer.check(argument)
                if reply == b"238":
                    self.checked.add(argument)
                return self.answer(reply, argument)
            case b"TAKETHIS":
                self.taking = argument
                return b""
            case b"MODE":
                return b"203 stream on\r\n"
            case b"QUIT":
                self.transport.write(b"205 bye\r\n")
                self.transport.close()
                return b""
        return b"500 what?\r\n"

    def authinfo(self, verb: bytes, text: bytes) -> bytes:
        if verb == b"USER":
            self.user = text
            return b"381 password, please\r\n"
        if self.user is None:
            return b"482 user first\r\n"
        self.is_known = (self.user, text) == self.peer.login
        return b"281 welcome\r\n" if self.is_known else b"481 no\r\n"

    def answer(self, code: bytes, message_id: bytes) -> bytes:
        return b"" if self.peer.silent else b"%b %b\r\n" % (code, message_id)
