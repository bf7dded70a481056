"""A news peer within a test that may ask for a login (RFC 4643), and keeps what it is sent."""

import asyncio
from contextlib import suppress


class GatedPeer:
    """Takes articles by streaming (RFC 4644). With `passwords` it does so after a login alone."""

    def __init__(self, address: str, passwords: dict[str, str] | None = None) -> None:
        """`address` is where it listens; `passwords` by user name, which may be changed while it runs."""
        self.address = address
        self.passwords = passwords or {}
        self.port = 0
        self.articles: set[bytes] = set()
        """Message-ids of what it has."""
        self.logins: list[tuple[str, str]] = []
        """User name and password of every login, refused ones too."""
        self.writers: set[asyncio.StreamWriter] = set()
        self.server: asyncio.Server

    async def start(self) -> None:
        """Listen on a free port."""
        self.server = await asyncio.start_server(self._serve, self.address, 0, limit=1 << 26)
        self.port = self.server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self.server.close()
        await self.drop()
        await self.server.wait_closed()

    async def drop(self) -> None:
        """Break all connections."""
        for writer in list(self.writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.add(writer)
        writer.write(b"200 welcome\r\n")
        session = Session(self)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while line := await reader.readline():
                    body = await reader.readuntil(b"\r\n.\r\n") if line.upper().startswith(b"TAKETHIS") else b""
                    writer.write(session.answer(line.decode("latin-1").split(), body) + b"\r\n")
        finally:
            self.writers.discard(writer)
            writer.close()


class Session:
    """One connection."""

    def __init__(self, peer: GatedPeer) -> None:
        self.peer = peer
        self.user = ""
        self.open = not peer.passwords

    def answer(self, words: list[str], body: bytes) -> bytes:
        verb = words[0].upper()
        if verb == "AUTHINFO":
            return self._login(*words[1:])
        if verb == "QUIT":
            return b"205 bye"
        if not self.open:
            return b"480 log in first"
        return self._feed(verb, words[-1].encode("latin-1"), body)

    def _login(self, part: str, word: str) -> bytes:
        if part.upper() == "USER":
            self.user = word
            return b"381 and the password"
        self.peer.logins.append((self.user, word))
        self.open = self.peer.passwords.get(self.user) == word
        return b"281 welcome" if self.open else b"481 no"

    def _feed(self, verb: str, message_id: bytes, body: bytes) -> bytes:
        known = message_id in self.peer.articles
        if verb == "MODE":
            return b"203 stream"
        if verb == "CHECK":
            return (b"438 " if known else b"238 ") + message_id
        if verb == "TAKETHIS" and body:
            self.peer.articles.add(message_id)
            return (b"439 " if known else b"239 ") + message_id
        return b"500 what?"
