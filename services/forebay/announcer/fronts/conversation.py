"""A conversation: the requests of one connection over HTTP, and the answers to them. No I/O here."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from forebay.announcer.errors import RequestError
from forebay.announcer.fronts.httphead import LONGEST, cut, fault, read_headers
from forebay.announcer.fronts.httpresponse import Page, kept, response
from forebay.announcer.wire.httpanswer import failure_answer

if TYPE_CHECKING:
    from forebay.announcer.fronts.httpsite import HttpSite
    from forebay.announcer.fronts.proxies import TrustedProxies

_END = b"\r\n\r\n"


class Conversation:
    """Takes octets as they come; requests may be in pieces, or many in one."""

    __slots__ = ("_address", "_headers", "_known", "_proxies", "_rest", "_site", "_source", "is_over")

    def __init__(self, site: HttpSite, proxies: TrustedProxies, source: bytes) -> None:
        """`source`: the address that the connection comes from, of 4 or 16 octets."""
        self.is_over = False
        """The connection is to be closed once the answers are out."""
        self._site = site
        self._proxies = proxies if proxies.trusts(source) else None
        self._source = source
        self._address = source
        self._known = b" "
        self._headers = read_headers(b"")
        self._rest = b""

    def receive(self, octets: bytes, now: float) -> bytes:
        """Answer all requests that are whole now."""
        if self._rest:
            octets = self._rest + octets
        answers, at = [], 0
        while (end := octets.find(_END, at)) >= 0 and not self.is_over:
            answers.append(self._answer(octets[at:end], now))
            at = end + len(_END)
        self._rest = octets[at:]
        if len(self._rest) > LONGEST and not self.is_over:
            answers.append(self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE))
        return b"".join(answers)

    def _answer(self, head: bytes, now: float) -> bytes:
        target, lines = cut(head)
        # The header lines of a client are the same from request to request, as a rule: they are read once.
        if lines != self._known or len(head) > LONGEST or b"\n" in target:
            try:
                status = self._read(head, lines)
            except RequestError as error:
                return self._refuse(HTTPStatus.OK, failure_answer(str(error)))
            if status is not None:
                return self._refuse(status)
        page = self._page(target, now)
        if self._headers.keep and not self._headers.said:
            return kept(page)
        self.is_over = not self._headers.keep
        return response(page, b"close" if self.is_over else b"keep-alive")

    def _read(self, head: bytes, lines: bytes) -> HTTPStatus | None:
        """Look at a head all through; what is wrong with it. Raises `RequestError`."""
        headers = read_headers(lines)
        status = fault(head) or (HTTPStatus.BAD_REQUEST if headers.body else None)
        if status is not None:
            return status
        if self._proxies is not None:
            forwarded = headers.forwarded
            self._address = self._proxies.client(self._source, forwarded) if forwarded else self._source
        self._known, self._headers = lines, headers
        return None

    def _page(self, target: bytes, now: float) -> Page | bytes:
        path, _, query = target.partition(b"?")
        if path == b"/announce":
            return self._site.announce(query, self._address, now)
        if path == b"/scrape":
            return self._site.scrape(query)
        return self._site.show(path, query)

    def _refuse(self, status: HTTPStatus, body: bytes = b"") -> bytes:
        """The last answer: after what was no request nobody knows where the next one begins."""
        self.is_over = True
        return response(Page(body or status.phrase.encode() + b"\n", status=status), b"close")
