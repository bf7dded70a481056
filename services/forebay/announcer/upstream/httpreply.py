"""A tracker's reply over HTTP/1.1 (RFC 9112), read from octets as they come."""

from __future__ import annotations

from typing import NamedTuple

import httptools

from forebay.announcer.errors import HttpError
from forebay.announcer.upstream.unpacking import TooLongError

LONGEST_HEAD = 1 << 16
"""Octets of a status line with its header fields."""
LONGEST_ANSWER = 1 << 20
"""Octets of a body, as it comes and unpacked."""
MOST_OCTETS = 8 * LONGEST_ANSWER
"""Octets of a whole reply: in small chunks, a body takes several times its length."""

_WANTED = frozenset({b"content-encoding", b"content-length", b"location", b"retry-after", b"transfer-encoding"})
_FINAL = 200


class HttpReply(NamedTuple):
    """What a server said."""

    status: int
    reason: str
    headers: dict[str, str]
    """By names in small letters; only those that matter."""
    body: bytes
    """As it came, not unpacked."""


class ReplyReader:
    """Reads replies one after another; `begin` comes before each."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self.begin()

    def begin(self) -> None:
        """The next reply is expected."""
        self.octets = 0
        """That have come of it."""
        self.keeps = False
        """The connection may be used for another request, once the reply is there."""
        self._finished: HttpReply | None = None
        self._start()

    def _start(self) -> None:
        self._has_head = False
        self._reason = b""
        self._headers: dict[bytes, bytes] = {}
        self._body = bytearray()

    def feed(self, octets: bytes) -> HttpReply | None:
        """The reply, once it is whole.

        Raises `HttpError` when this is no HTTP, and `TooLongError`.
        """
        self.octets += len(octets)
        try:
            self._parser.feed_data(octets)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise HttpError(f"the answer is no HTTP: {error}") from error
        if not self._has_head and self.octets > LONGEST_HEAD:
            raise HttpError(f"the head of the answer has more than {LONGEST_HEAD} octets")
        if len(self._body) > LONGEST_ANSWER or self.octets > MOST_OCTETS:
            raise TooLongError(f"the answer has more than {LONGEST_ANSWER} octets")
        return self._finished

    def end(self) -> HttpReply:
        """The reply that ends with the connection. Raises `HttpError` when it was not to end here."""
        if not self._has_head or not self._headers.keys().isdisjoint((b"content-length", b"transfer-encoding")):
            raise HttpError(f"the connection was closed {'within the' if self.octets else 'without an'} answer")
        return self._reply()

    def _reply(self) -> HttpReply:
        headers = {name.decode(): value.decode("latin-1") for name, value in self._headers.items()}
        return HttpReply(self._parser.get_status_code(), self._reason.decode("latin-1"), headers, bytes(self._body))

    # What the parser calls.

    def on_message_begin(self) -> None:
        """A reply begins; one that was not asked for makes the connection useless."""
        self.keeps = False
        self._start()

    def on_status(self, reason: bytes) -> None:
        """A part of the words behind the number."""
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header field, or one behind the body."""
        name = name.lower()
        if name in _WANTED and not self._has_head:
            self._headers[name] = value

    def on_headers_complete(self) -> None:
        """The head is there; that of an interim answer is only a promise."""
        self._has_head = self._parser.get_status_code() >= _FINAL

    def on_body(self, octets: bytes) -> None:
        """A part of the body."""
        self._body += octets

    def on_message_complete(self) -> None:
        """The end of a reply."""
        if self._has_head and self._finished is None:
            self._finished = self._reply()
            self.keeps = self._parser.should_keep_alive()
