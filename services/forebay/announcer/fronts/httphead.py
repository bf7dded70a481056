"""The head of a request over HTTP/1.1: what matters of it."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import NamedTuple

LONGEST = 8192
"""Octets of a head."""

_METHOD = b"GET "
_VERSION = b" HTTP/1."
_LINE = re.compile(rb"[A-Z]+ [^\r\n]+ HTTP/[0-9.]+")
_VERSIONS = (b" HTTP/1.1", b" HTTP/1.0")


class Headers(NamedTuple):
    """What version and header lines say."""

    keep: bool
    """The connection stays after the answer."""
    said: bool
    """The client has said so, as one of HTTP/1.0 has to, and waits to be told."""
    body: bool
    """A body follows."""
    forwarded: bytes
    """X-Forwarded-For, its lines joined by commas; empty: none."""


def cut(head: bytes) -> tuple[bytes, bytes]:
    """The target of a GET, and the version with the header lines behind it; the latter is empty when it is none."""
    at = head.find(_VERSION)
    return (head[len(_METHOD) : at], head[at:]) if at > 0 and head.startswith(_METHOD) else (b"", b"")


def fault(head: bytes) -> HTTPStatus | None:
    """What is wrong with a head; None for nothing."""
    line = head.partition(b"\r\n")[0]
    if len(head) > LONGEST:
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    if _LINE.fullmatch(line) is None or line.count(_VERSION) > 1:
        return HTTPStatus.BAD_REQUEST
    if not line.endswith(_VERSIONS):
        return HTTPStatus.HTTP_VERSION_NOT_SUPPORTED
    return None if line.startswith(_METHOD) else HTTPStatus.METHOD_NOT_ALLOWED


def read_headers(octets: bytes) -> Headers:
    """Read what `cut` has found behind the target. Whatever the lines are, they mean something."""
    version, *lines = octets.split(b"\r\n")
    tokens: list[bytes] = []
    forwarded: list[bytes] = []
    body = False
    for line in lines:
        name, _, value = line.partition(b":")
        match name.strip().lower():
            case b"connection":
                tokens += [token.strip() for token in value.lower().split(b",")]
            case b"x-forwarded-for":
                forwarded.append(value.strip())
            case b"content-length":
                body = body or value.strip() != b"0"
            case b"transfer-encoding":
                body = True
    said = b"keep-alive" in tokens
    keep = b"close" not in tokens and (said or version == _VERSIONS[0])
    return Headers(keep, said, body, b",".join(forwarded))
