"""What an NNTP sender writes, cut into commands and articles, however the octets were split on their way."""

from typing import NamedTuple

from forebay.outfeed.incoming.article import TERMINATOR

LINE_OCTETS = 512
"""RFC 3977 section 3.1, with the CRLF."""

_OVERLAP = len(TERMINATOR) - 1


class Command(NamedTuple):
    """One command, with its article if one came along."""

    verb: bytes
    """In capitals; empty for an empty line."""
    argument: bytes
    """The rest of the line, without white space around it; empty if the line is too long."""
    body: bytes | None = None
    """The article of a TAKETHIS, or of an IHAVE that was told to send it, in wire form with its terminator."""
    fault: str = ""
    """Why the line or the article cannot be used; then the body is empty."""


class CommandReader:
    """Reads a stream of commands. Articles follow every TAKETHIS, and the last IHAVE if `expect_article` says so.

    What is not yet complete is kept: a line up to its limit, an article up to `article_octets`. Of a longer article
    only its end is looked for.
    """

    def __init__(self, article_octets: int) -> None:
        self.article_octets = article_octets
        self._rest = b""
        self._sending: Command | None = None
        self._pieces: list[bytes] = []
        self._size = 0
        self._tail = b""

    @property
    def within_article(self) -> bool:
        """An article has begun, or is awaited, and has not ended."""
        return self._sending is not None

    def feed(self, data: bytes) -> list[Command]:
        """What is complete now. It stops behind an IHAVE: feed `b""` for the rest, once it is known what follows it."""
        if self._rest:
            data = self._rest + data
            self._rest = b""
        commands: list[Command] = []
        at, end = 0, len(data)
        while at < end:
            at = self._read_line(data, at, commands) if self._sending is None else self._read_body(data, at, commands)
            if commands and commands[-1].verb == b"IHAVE" and commands[-1].body is None:
                self._rest += data[at:]
                break
        return commands

    def expect_article(self, command: Command) -> None:
        """What comes next is the article of this command."""
        self._sending = command
        self._pieces = []
        self._size = 0
        self._tail = b"\r\n"

    def _read_line(self, data: bytes, at: int, commands: list[Command]) -> int:
        end = data.find(b"\r\n", at)
        if end < 0:
            self._rest = _shortened(data[at:])
            return len(data)
        line = data[at:end]
        if len(line) <= LINE_OCTETS - 2:
            command = Command(*_split(line))
        else:
            verb, _ = _split(line[:LINE_OCTETS].replace(b"\r", b" "))
            command = Command(verb, b"", None, f"line is over the limit of {LINE_OCTETS} octets")
        if command.verb != b"TAKETHIS":
            commands.append(command)
            return end + 2
        # Most articles are short and here already. The terminator of an empty one begins with the CRLF before it.
        start, stop = end + 2, data.find(TERMINATOR, end) + len(TERMINATOR)
        if stop < start or stop - start > self.article_octets or command.fault:
            self.expect_article(command)
            return start
        commands.append(Command(command.verb, command.argument, data[start:stop]))
        return stop

    def _read_body(self, data: bytes, at: int, commands: list[Command]) -> int:
        seam = self._tail + data[at : at + _OVERLAP]
        found = seam.find(TERMINATOR)
        start = at + found - len(self._tail) if found >= 0 else data.find(TERMINATOR, at)
        ended = found >= 0 or start >= 0
        end = start + len(TERMINATOR) if ended else len(data)
        self._keep(data[at:end])
        if ended:
            commands.append(self._finished())
        return end

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        self._tail = (self._tail + piece[-_OVERLAP:])[-_OVERLAP:]
        if self._size > self.article_octets:
            self._pieces.clear()
        else:
            self._pieces.append(piece)

    def _finished(self) -> Command:
        verb, argument, _, fault = self._sending or Command(b"", b"")
        self._sending = None
        if self._size > self.article_octets:
            fault = fault or f"article of {self._size} octets is over the limit of {self.article_octets}"
        return Command(verb, argument, b"" if fault else b"".join(self._pieces), fault)


def _split(line: bytes) -> tuple[bytes, bytes]:
    words = line.split(None, 1)
    if len(words) < 2:
        return b"".join(words).upper(), b""
    return words[0].upper(), words[1].rstrip()


def _shortened(line: bytes) -> bytes:
    """Enough of a line to tell its verb and that it is too long, with the CR that may belong to its end."""
    if len(line) <= LINE_OCTETS:
        return line
    return line[:LINE_OCTETS].replace(b"\r", b" ") + line[-1:]
