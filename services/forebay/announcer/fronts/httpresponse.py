"""Answers over HTTP/1.1 as octets."""

from http import HTTPStatus
from typing import NamedTuple


class Page(NamedTuple):
    """What a client is shown."""

    body: bytes
    content_type: bytes = b"text/plain"
    status: HTTPStatus = HTTPStatus.OK


_KEPT = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b"


def kept(page: Page | bytes) -> bytes:
    """An answer after which the connection stays, as it does in HTTP/1.1 when nobody says otherwise.

    Octets alone are a tracker's answer, which is what a front gives all day long.
    """
    return _KEPT % (len(page), page) if isinstance(page, bytes) else _response(page, b"")


def response(page: Page | bytes, connection: bytes) -> bytes:
    """An answer that says what becomes of the connection: `close` or `keep-alive`."""
    return _response(Page(page) if isinstance(page, bytes) else page, b"Connection: %b\r\n" % connection)


def _response(page: Page, line: bytes) -> bytes:
    body, content_type, status = page
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        line += b"Allow: GET\r\n"
    return b"HTTP/1.1 %d %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n%b\r\n%b" % (
        status,
        status.phrase.encode(),
        content_type,
        len(body),
        line,
        body,
    )
