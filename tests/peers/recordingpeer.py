"""A news peer within the test's own process: it notes what it is sent, and does as the test tells it meanwhile."""

import asyncio
import zlib
from typing import TYPE_CHECKING, Any, cast

from ports import free_port

if TYPE_CHECKING:
    import ssl

ABOUT_ARTICLES = (b"CHECK", b"TAKETHIS", b"IHAVE")
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
        self.tls: ssl.SSLContext | None = None
        """What its connections are secured with: at once where `implicit_tls` is set, else after STARTTLS."""
        self.implicit_tls = False
        self.compresses = False
        """Takes COMPRESS DEFLATE."""
        self.capabilities: list[bytes] = []
        """What it says to CAPABILITIES; empty: it does not know the command."""
        self.takes_headers = False
        """Takes MODE HEADFEED."""
        self.streams = True
        """Takes MODE STREAM."""
        self.commands: list[bytes] = []
        """Commands that are not about articles, as they came."""
        self.bytes_read = 0
        """Octets that came, before they were unpacked."""
        self.silent = False
        """Says nothing about articles, but reads on."""
        self.connections: list[Connection] = []
        self.opened = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        context = self.tls if self.implicit_tls else None
        self._server = await loop.create_server(lambda: Connection(self), "127.0.0.1", self.port, ssl=context)

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
        self.wanted = b""
        self.packer: Any = None
        self.unpacker: Any = None
        self.securing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.peer.connections.append(self)
        self.peer.opened += 1
        transport.write(b"200 recording\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        self.peer.connections.remove(self)

    def data_received(self, data: bytes) -> None:
        self.peer.bytes_read += len(data)
        data = self.rest + (self.unpacker.decompress(data) if self.unpacker else data)
        if self.securing:
            self.rest = data
            return
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
        self.say(b"".join(replies))

    def say(self, text: bytes) -> None:
        if self.packer:
            text = self.packer.compress(text) + self.packer.flush(zlib.Z_SYNC_FLUSH)
        self.transport.write(text)

    def starttls(self) -> bytes:
        self.transport.write(b"382 go on\r\n")
        self.securing = asyncio.ensure_future(self.secure())
        # What comes before the transport is known here was said under TLS already, and is answered under it.
        return b""

    async def secure(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            secured = await loop.start_tls(
                self.transport, self, cast("ssl.SSLContext", self.peer.tls), server_side=True
            )
        except OSError:
            self.transport.abort()
            return
        self.transport, self.securing = cast("asyncio.Transport", secured), None
        self.data_received(b"")

    def compress(self) -> bytes:
        self.say(b"206 compressed\r\n")
        self.packer = zlib.compressobj(wbits=-15)
        self.unpacker = zlib.decompressobj(-15)
        return b""

    def ihave(self, message_id: bytes) -> bytes:
        reply = self.peer.check(message_id)
        if reply != b"238":
            return {b"438": b"435 have it", b"431": b"436 later"}.get(reply, reply) + b"\r\n"
        self.checked.add(message_id)
        self.taking = message_id
        self.wanted = message_id
        return b"335 send it\r\n"

    def article(self, wire: bytes) -> bytes:
        message_id, self.taking = self.taking, b""
        if message_id not in self.checked:
            self.peer.offered.append(message_id)
        self.checked.discard(message_id)
        code = self.peer.take(message_id, wire)
        if self.wanted:
            self.wanted = b""
            return {b"239": b"235 thanks\r\n"}.get(code, b"437 no\r\n")
        return self.answer(code, message_id)

    def command(self, line: bytes) -> bytes:
        verb, _, argument = line.partition(b" ")
        if verb not in ABOUT_ARTICLES:
            self.peer.commands.append(verb)
            if (reply := self.prelude(verb, argument)) is not None:
                return reply
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
            case b"IHAVE":
                return self.ihave(argument)
            case b"QUIT":
                self.say(b"205 bye\r\n")
                self.transport.close()
                return b""
        return b"500 what?\r\n"

    def prelude(self, verb: bytes, argument: bytes) -> bytes | None:
        """The answer to what comes before articles; None to what needs the login first."""
        if verb == b"STARTTLS" and self.peer.tls:
            return self.starttls()
        if verb == b"AUTHINFO":
            return self.authinfo(*argument.split(b" ", 1))
        if self.peer.login and not self.is_known:
            return None
        if verb == b"CAPABILITIES" and self.peer.capabilities:
            return b"\r\n".join([b"101 list", *self.peer.capabilities, b".", b""])
        if verb == b"COMPRESS" and self.peer.compresses:
            return self.compress()
        if argument == b"HEADFEED":
            return b"250 headers alone\r\n" if self.peer.takes_headers else b"500 what?\r\n"
        if verb == b"MODE":
            return b"203 stream on\r\n" if self.peer.streams else b"501 no\r\n"
        return None

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
