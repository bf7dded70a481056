"""Reply lines of a news server (RFC 3977, section 3.1): cut out of what was read, and what their codes mean."""

from __future__ import annotations

from enum import Enum, auto

from forebay.outfeed.sending.ending import Cause, Ending
from forebay.outfeed.sending.feed import Outcome

MAX_LINE = 1024
"""Octets of a reply line without its end and its message-id. RFC 3977 allows 512 with both; some servers exceed it."""

TOO_LONG = Ending(Cause.PROTOCOL_ERROR, "the peer sent a line that is too long for a reply")

ACCEPTED = frozenset((b"235", b"239"))

ENDING = frozenset((b"400", b"480", b"483", b"502", b"503"))
"""Codes that speak of the connection, whatever the command: nothing more can be fed over it as it is."""

NAMING = frozenset((b"238", b"239", b"431", b"436", b"438", b"439"))
"""Codes whose first argument is the message-id (RFC 4644, sections 2.4 and 2.5); after others, text is only text."""


class Command(Enum):
    """What a reply answers."""

    CHECK = auto()
    TAKETHIS = auto()
    IHAVE = auto()
    ARTICLE = auto()
    """The article that an IHAVE was answered with 335 for."""


WANTED = {Command.CHECK: b"238", Command.IHAVE: b"335"}
"""What asks for the article, by command."""

OUTCOMES = {
    # A 403 (RFC 3977, section 3.2.1) is a fault of the server, not of the article, and may pass: so it is put off, in
    # either phase. A 431 to TAKETHIS is a server's mistake: it cannot say whether it kept the article.
    Command.CHECK: {
        b"403": Outcome.DEFERRED,
        b"431": Outcome.DEFERRED,
        b"436": Outcome.DEFERRED,
        b"438": Outcome.REFUSED,
    },
    Command.TAKETHIS: {
        b"239": Outcome.ACCEPTED,
        b"403": Outcome.DEFERRED,
        b"431": Outcome.REJECTED,
        b"436": Outcome.DEFERRED,
        b"439": Outcome.REJECTED,
    },
    Command.IHAVE: {
        b"403": Outcome.DEFERRED,
        b"435": Outcome.REFUSED,
        b"436": Outcome.DEFERRED,
    },
    Command.ARTICLE: {
        b"235": Outcome.ACCEPTED,
        b"403": Outcome.DEFERRED,
        b"436": Outcome.DEFERRED,
        b"437": Outcome.REJECTED,
    },
}
"""The outcome by command and code. Any other code is `Outcome.FAILED`."""


class ReplyBuffer:
    """Keeps the beginning of a line until the rest of it was read."""

    def __init__(self) -> None:
        self._tail = b""

    def add(self, data: bytes) -> bytes:
        """All lines that are complete with `data`, as one piece that ends in a line end; maybe empty."""
        data = self._tail + data
        end = data.rfind(b"\n") + 1
        self._tail = data[end:]
        return data[:end]

    @property
    def overlong(self) -> bool:
        """The unfinished line is longer than any line may be, with the longest message-id."""
        return len(self._tail) > 2 * MAX_LINE


def split(piece: bytes) -> list[bytes]:
    """The lines of what `ReplyBuffer.add` returned, without their ends. A bare LF ends a line too."""
    return piece.replace(b"\r\n", b"\n").split(b"\n")[:-1]


def is_reply(line: bytes) -> bool:
    """Whether the line begins with a three-digit code."""
    return len(line) >= 3 and line[:3].isdigit() and line[3:4] in (b" ", b"")


def contradicts(line: bytes, message_id: bytes) -> bool:
    """Whether the reply names another article than `message_id`."""
    if line[:3] not in NAMING:
        return False
    name = line[4:].split(None, 1)[:1]
    return bool(name) and name[0].startswith(b"<") and name[0] != message_id


def without_id(line: bytes, message_id: bytes) -> bytes:
    """The reply without the message-id after its code, so that replies for the same reason are equal."""
    words = line.split(None, 2)
    if len(words) > 1 and words[1] == message_id:
        del words[1]
    return b" ".join(words)


def printable(line: bytes) -> str:
    """A reply for logs and status: UTF-8, anything that is not printable replaced."""
    text = line[:MAX_LINE].decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def ending_of(line: bytes, prefix: str = "") -> Ending:
    """What a reply means that ends the connection (one of `ENDING`, or a greeting), told in the peer's own words."""
    text = f"{prefix}{printable(line)[:200]}"
    if line[:3] == b"480":
        return Ending(Cause.AUTH_FAILED, f"the peer wants a login, see spec.auth: {text}")
    return Ending(Cause.REFUSED, text)
