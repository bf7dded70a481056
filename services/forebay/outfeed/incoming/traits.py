"""Traits: what only some peers ask of an article, read from it when the first of them does."""

import re
from functools import cached_property

from forebay.outfeed.incoming.article import Article
from forebay.outfeed.incoming.kinds import kinds_of

_BODY = rb"[^\r]*(?:\r(?:\n[ \t]|(?!\n))[^\r]*)*"
_NAMES = (
    *(b"approved", b"content-transfer-encoding", b"content-type", b"control", b"followup-to", b"injection-info"),
    *(b"mime-version", b"x-trace"),
)
_HEADER = re.compile(rb"(?i)\r\n(" + b"|".join(_NAMES) + rb"): (" + _BODY + rb")")
_FIRST = re.compile(rb"[^\s;]+")


class Traits:
    """The traits of one article."""

    def __init__(self, article: Article) -> None:
        self._article = article

    @cached_property
    def headers(self) -> dict[bytes, bytes]:
        """The headers that traits are told by, their names in small letters. Of one given twice, the last."""
        wire = self._article.wire
        end = wire.find(b"\r\n\r\n")
        block = b"\r\n" + wire[: max(end, 0)]
        return {name.lower(): body.strip() for name, body in _HEADER.findall(block)}

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What it is: control message, text, binary and so on."""
        return kinds_of(self.headers, self._article.wire)

    @cached_property
    def followups(self) -> int:
        """How many groups a followup would be posted to; none where it goes to the poster."""
        value = self.headers.get(b"followup-to", b"")
        groups = {group.strip() for group in value.split(b",")} - {b""}
        if not groups:
            return len(self._article.groups)
        return len(groups - {b"poster"})

    @property
    def spread(self) -> int:
        """The groups it is posted to, and the square of those that a followup would be."""
        return len(self._article.groups) + self.followups**2

    @cached_property
    def originator(self) -> bytes:
        """Who injected it: the first word of Injection-Info, else of X-Trace; empty where neither tells."""
        value = self.headers.get(b"injection-info") or self.headers.get(b"x-trace", b"")
        found = _FIRST.search(value)
        return found[0] if found else b""
