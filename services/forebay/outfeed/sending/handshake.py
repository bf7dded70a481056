"""The dialogue before the first article: the greeting, then STARTTLS, login, COMPRESS and MODE STREAM as wished.

What the peer can do is asked (CAPABILITIES, RFC 3977 section 5.2) only where the answer saves a command that could
fail, so that a peer is fed after the fewest exchanges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebay.outfeed.sending.ending import Cause, Ending
from forebay.outfeed.sending.replies import ENDING, ending_of, is_reply, printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.outfeed.sending.login import Login

    Step = Callable[[bytes], bytes]

LOGIN_REFUSALS = {
    b"480": "the peer wants another way to log in",
    b"481": "the peer does not accept the user name and password",
    b"482": "the peer does not accept the order of the login",
    b"483": "the peer takes no password over a connection without TLS",
    b"500": "the peer knows no AUTHINFO, so leave spec.auth out",
    b"501": "the peer does not understand the login",
    b"502": "the peer allows no login, so leave spec.auth out or ask its administrator",
}
"""What the answers to AUTHINFO mean (RFC 4643, section 2.3)."""
MOST_CAPABILITIES = 100
"""Lines that a list of capabilities may have."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked of the peer before the first article."""

    starttls: bool = False
    """The connection is to be secured by STARTTLS, or not to be used."""
    login: Login | None = None
    """What the peer is told about us."""
    compress: bool = False
    """COMPRESS DEFLATE is tried where the peer offers it; it does without where the peer declines."""
    streaming: bool = True
    """MODE STREAM is tried; articles go by IHAVE where the peer declines."""
    headfeed: bool = False
    """The peer has to agree to MODE HEADFEED."""


class Handshake:
    """A script of steps, each of which judges one reply line and names the next command to send.

    `refusal` tells why the peer cannot be fed, if so; `done` is true once it can. A login comes before MODE STREAM,
    since a server may allow streaming only to those it knows (RFC 4643, section 2.2).
    """

    def __init__(self, wishes: Wishes = Wishes()) -> None:
        self.done = False
        self.streams = False
        """The peer takes CHECK and TAKETHIS; else only IHAVE."""
        self.refusal: Ending | None = None
        self.awaiting = "the greeting"
        """What the peer owes an answer to, for messages."""
        self.securing = False
        """The peer waits for TLS to begin; `secured` goes on."""
        self.compresses = False
        """All that follows is compressed."""
        self._capabilities: dict[bytes, list[bytes]] = {}
        """Arguments by label; empty where the peer was not asked or did not say."""
        self._listing = False
        """The lines that come are those of the list."""
        self._wishes = wishes
        self._login = wishes.login
        self._step: Step = self._greeting

    def answer(self, line: bytes) -> bytes:
        """Judge a reply line; returns the command to send next, or nothing."""
        if self._listing:
            return self._listed(line)
        if is_reply(line):
            return self._step(self._without_password(line))
        return self._refuse(Cause.PROTOCOL_ERROR, "the answer is not an NNTP reply; is this a news server?", line)

    def _greeting(self, line: bytes) -> bytes:
        # A 201 forbids posting, not feeding.
        if line[:3] not in (b"200", b"201"):
            return self._end(line, "greeted with")
        return self._send("STARTTLS", self._starttls) if self._wishes.starttls else self._authenticate()

    def _starttls(self, line: bytes) -> bytes:
        if line[:3] == b"382":
            self.securing = True
            self.awaiting = "the TLS handshake"
            return b""
        if line[:3] == b"400":
            return self._end(line, "STARTTLS was answered")
        return self._refuse(Cause.TLS_FAILED, "the peer does not secure connections: STARTTLS was answered", line)

    def secured(self) -> bytes:
        """TLS has begun; returns the command to send next, or nothing."""
        self.securing = False
        return self._authenticate()

    def _authenticate(self) -> bytes:
        if self._login is None:
            return self._compress()
        return self._send("AUTHINFO USER", self._user, self._login.username)

    def _user(self, line: bytes) -> bytes:
        if line[:3] == b"381" and self._login is not None:
            return self._send("AUTHINFO PASS", self._password, self._login.password.reveal())
        return self._password(line)

    def _password(self, line: bytes) -> bytes:
        code = line[:3]
        if code == b"281":
            return self._compress()
        if code == b"400":
            return self._end(line, f"{self.awaiting} was answered")
        meaning = LOGIN_REFUSALS.get(code, "the login went wrong")
        return self._refuse(Cause.AUTH_FAILED, f"{meaning}: {self.awaiting} was answered", line)

    def _compress(self) -> bytes:
        return self._send("CAPABILITIES", self._list) if self._wishes.compress else self._stream()

    def _list(self, line: bytes) -> bytes:
        if line[:3] in (b"400", b"480"):
            return self._end(line, "CAPABILITIES was answered")
        self._listing = line[:3] == b"101"
        # A peer that does not know the command may know the other all the same.
        return b"" if self._listing else self._send("COMPRESS DEFLATE", self._compressed)

    def _listed(self, line: bytes) -> bytes:
        if line != b".":
            label, *arguments = line.upper().split() or [b""]
            self._capabilities[label] = arguments
            if len(self._capabilities) > MOST_CAPABILITIES:
                return self._refuse(Cause.PROTOCOL_ERROR, "the list of capabilities has no end", line)
            return b""
        self._listing = False
        if b"DEFLATE" in self._capabilities.get(b"COMPRESS", ()):
            return self._send("COMPRESS DEFLATE", self._compressed)
        return self._stream()

    def _compressed(self, line: bytes) -> bytes:
        if line[:3] in (b"400", b"480"):
            return self._end(line, "COMPRESS was answered")
        self.compresses = line[:3] == b"206"
        return self._stream()

    def _stream(self) -> bytes:
        by_ihave_alone = b"IHAVE" in self._capabilities and b"STREAMING" not in self._capabilities
        if by_ihave_alone or not self._wishes.streaming:
            return self._ask_for_headers()
        return self._send("MODE STREAM", self._mode_stream)

    def _mode_stream(self, line: bytes) -> bytes:
        if line[:3] in ENDING:
            return self._end(line, "MODE STREAM was answered")
        self.streams = line[:3] == b"203"
        return self._ask_for_headers()

    def _ask_for_headers(self) -> bytes:
        if self._wishes.headfeed:
            return self._send("MODE HEADFEED", self._mode_headfeed)
        self.done = True
        return b""

    def _mode_headfeed(self, line: bytes) -> bytes:
        if line[:1] == b"2":
            self.done = True
            return b""
        return self._refuse(
            Cause.REFUSED, "the peer takes no articles without bodies: MODE HEADFEED was answered", line
        )

    def _send(self, command: str, step: Step, *arguments: str) -> bytes:
        self.awaiting = command
        self._step = step
        return " ".join((command, *arguments)).encode() + b"\r\n"

    def _end(self, line: bytes, prefix: str) -> bytes:
        self.refusal = ending_of(line, f"{prefix}: ")
        return b""

    def _refuse(self, cause: Cause, reason: str, line: bytes) -> bytes:
        self.refusal = Ending(cause, f"{reason}: {printable(line)[:200]}")
        return b""

    def _without_password(self, line: bytes) -> bytes:
        """The reply, but of one that repeats the password (some servers quote what they do not know) only its code."""
        repeats = self._login is not None and self._login.password.reveal().encode() in line
        return line[:3] if repeats else line
