"""The dialogue before the first article: the greeting, then MODE STREAM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.outfeed.sending.replies import ENDING, is_reply, printable

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[bytes], bytes]


class Handshake:
    """A script of steps, each of which judges one reply line and names the next command to send.

    `refusal` is the reason when the peer cannot be fed; `done` is true once it can.
    """

    def __init__(self) -> None:
        self.done = False
        self.refusal: str | None = None
        self.awaiting = "the greeting"
        """What the peer owes an answer to, for messages."""
        self._step: Step = self._greeting

    def answer(self, line: bytes) -> bytes:
        """Judge a reply line; returns the command to send next, or nothing."""
        if is_reply(line):
            return self._step(line)
        return self._refuse("the answer is not an NNTP reply; is this a news server?", line)

    def _greeting(self, line: bytes) -> bytes:
        # A 201 forbids posting, not feeding.
        if line[:3] not in (b"200", b"201"):
            return self._refuse("greeted with", line)
        return self._send("MODE STREAM", self._mode_stream)

    def _mode_stream(self, line: bytes) -> bytes:
        if line[:3] in ENDING:
            return self._refuse("MODE STREAM was answered", line)
        if line[:3] != b"203":
            return self._refuse("the peer does not stream: MODE STREAM was answered", line)
        self.done = True
        return b""

    def _send(self, command: str, step: Step) -> bytes:
        self.awaiting = command
        self._step = step
        return command.encode() + b"\r\n"

    def _refuse(self, reason: str, line: bytes) -> bytes:
        self.refusal = f"{reason}: {printable(line)[:200]}"
        return b""
