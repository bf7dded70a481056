"""Announces to trackers over HTTP and HTTPS, on connections that are kept and used again."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import aiohttp
from yarl import URL

from forebay.announcer.forwarding.outcome import Cause, Failure
from forebay.announcer.upstream.answer import plain, read_answer
from forebay.announcer.upstream.httprequest import request_url
from forebay.announcer.upstream.trackerids import TrackerIds
from forebay.announcer.upstream.trouble import connection_failure
from forebay.announcer.upstream.unpacking import unpack

if TYPE_CHECKING:
    import ssl

    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.outcome import Outcome
    from forebay.runtime.clock import Clock

LONGEST_ANSWER = 1 << 20
"""Octets of an answer, as it comes and unpacked."""
MOST_REDIRECTS = 5
KEPT_ALIVE = 60
"""Seconds that an unused connection is kept."""

_CHUNK = 1 << 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REJECTIONS = frozenset({400, 403, 404})
_TOO_MANY_REQUESTS = 429


class HttpUpstream:
    """A client of all HTTP trackers. It is made within a running event loop, and closed.

    `tls` tells which authorities are trusted; none: those that the machine trusts.
    """

    def __init__(self, clock: Clock, tls: ssl.SSLContext | None = None) -> None:
        self._clock = clock
        self._tracker_ids = TrackerIds()
        self._session = aiohttp.ClientSession(
            # Workers bound how many requests there are; the relay bounds how long each takes.
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_ALIVE, ssl=tls or True),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": "Forebay", "Accept-Encoding": "gzip"},
            # Unpacked here, so that what comes out is bounded.
            auto_decompress=False,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    async def announce(self, spec: ForwarderSpec, announce: Announce) -> Outcome:
        """Send an announce; what came of it."""
        try:
            return await self._announce(spec, announce)
        except aiohttp.ClientConnectorError as error:
            return connection_failure(error.os_error)
        except (aiohttp.ClientError, OSError) as error:
            return Failure(Cause.CONNECTION_LOST, plain(error) or type(error).__name__)

    async def _announce(self, spec: ForwarderSpec, announce: Announce) -> Outcome:
        url = request_url(spec, announce, self._tracker_ids.get(spec.url, announce.info_hash))
        headers = {"Host": spec.host} if spec.host else {}
        for _ in range(MOST_REDIRECTS + 1):
            async with self._session.get(URL(url, encoded=True), headers=headers, allow_redirects=False) as response:
                target = response.headers.get("Location")
                if response.status not in _REDIRECTS or target is None:
                    return await self._outcome(spec, announce, response)
            url, origin = urljoin(url, target), url
            if urlsplit(url).scheme not in ("http", "https"):
                return Failure(Cause.BAD_ANSWER, "it redirects to what is no HTTP address")
            if urlsplit(url).netloc != urlsplit(origin).netloc:
                # The Host header was meant for the address of the first one.
                headers = {}
        return Failure(Cause.BAD_ANSWER, f"it redirects more than {MOST_REDIRECTS} times")

    async def _outcome(self, spec: ForwarderSpec, announce: Announce, response: aiohttp.ClientResponse) -> Outcome:
        if response.status != 200:
            return self._refused(response)
        try:
            body = await _body(response)
        except ValueError as error:
            return Failure(Cause.BAD_ANSWER, str(error))
        outcome, tracker_id = read_answer(body)
        self._tracker_ids.keep(spec.url, announce.info_hash, tracker_id)
        return outcome

    def _refused(self, response: aiohttp.ClientResponse) -> Failure:
        reason = plain(f"HTTP {response.status} {response.reason or ''}".strip())
        if response.status in _REJECTIONS:
            return Failure(Cause.REJECTED, reason)
        if response.status == _TOO_MANY_REQUESTS:
            wait = retry_after(response.headers.get("Retry-After", ""), self._clock.wall())
            return Failure(Cause.TOO_MANY_REQUESTS, reason, wait)
        return Failure(Cause.SERVER_ERROR, reason)


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """The unpacked body. Raises `ValueError` when it is too long or cannot be unpacked."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > LONGEST_ANSWER:
            raise ValueError(f"the answer has more than {LONGEST_ANSWER} octets")
    return unpack(bytes(body), response.headers.get("Content-Encoding", ""), LONGEST_ANSWER)


def retry_after(value: str, wall: float) -> float | None:
    """Seconds to wait, of a Retry-After (RFC 9110): a number, or a date; `wall` is now. None: it says neither."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - wall)
    except (ValueError, OverflowError):
        return None
