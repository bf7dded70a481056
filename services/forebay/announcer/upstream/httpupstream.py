"""Announces to trackers over HTTP and HTTPS, on connections that are kept and used again."""

from __future__ import annotations

import ssl
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from forebay.announcer.errors import HttpError
from forebay.announcer.forwarding.outcome import Cause, Failure
from forebay.announcer.upstream.answer import plain, read_answer
from forebay.announcer.upstream.httppool import HttpPool, Origin
from forebay.announcer.upstream.httpreply import LONGEST_ANSWER, HttpReply
from forebay.announcer.upstream.httprequest import Address, address_of, announce_query, get_request
from forebay.announcer.upstream.trackerids import TrackerIds
from forebay.announcer.upstream.trouble import connection_failure
from forebay.announcer.upstream.unpacking import unpack

if TYPE_CHECKING:
    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.outcome import Outcome
    from forebay.runtime.clock import Clock

MOST_REDIRECTS = 5
MOST_ADDRESSES = 4096
"""Trackers whose addresses are kept cut up."""
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
        self._pool = HttpPool(tls or ssl.create_default_context())

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.close()

    async def announce(self, spec: ForwarderSpec, announce: Announce) -> Outcome:
        """Send an announce; what came of it."""
        try:
            return await self._announce(spec, announce)
        except HttpError as error:
            return Failure(Cause.CONNECTION_LOST, plain(error))
        except OSError as error:
            return connection_failure(error)
        except ValueError as error:
            return Failure(Cause.BAD_ANSWER, plain(error))

    async def _announce(self, spec: ForwarderSpec, announce: Announce) -> Outcome:
        query = announce_query(spec, announce, self._tracker_ids.get(spec.url, announce.info_hash))
        address, host = _tracker_address(spec.url).with_query(query), spec.host
        for _ in range(MOST_REDIRECTS + 1):
            origin = Origin(address.scheme == "https", address.host, address.port)
            reply = await self._pool.ask(origin, get_request(address, host))
            target = reply.headers.get("location")
            if reply.status not in _REDIRECTS or target is None:
                return self._outcome(spec, announce, reply)
            moved = _moved(address, target)
            if moved.netloc != address.netloc:
                # The Host header was meant for the address of the first one.
                host = ""
            address = moved
        return Failure(Cause.BAD_ANSWER, f"it redirects more than {MOST_REDIRECTS} times")

    def _outcome(self, spec: ForwarderSpec, announce: Announce, reply: HttpReply) -> Outcome:
        if reply.status != HTTPStatus.OK:
            return self._refused(reply)
        body = unpack(reply.body, reply.headers.get("content-encoding", ""), LONGEST_ANSWER)
        outcome, tracker_id = read_answer(body)
        self._tracker_ids.keep(spec.url, announce.info_hash, tracker_id)
        return outcome

    def _refused(self, reply: HttpReply) -> Failure:
        reason = plain(f"HTTP {reply.status} {reply.reason}".strip())
        if reply.status in _REJECTIONS:
            return Failure(Cause.REJECTED, reason)
        if reply.status == _TOO_MANY_REQUESTS:
            wait = retry_after(reply.headers.get("retry-after", ""), self._clock.wall())
            return Failure(Cause.TOO_MANY_REQUESTS, reason, wait)
        return Failure(Cause.SERVER_ERROR, reason)


@lru_cache(maxsize=MOST_ADDRESSES)
def _tracker_address(url: str) -> Address:
    """Where announces go; those that a tracker redirects to are new each time, and not kept."""
    return address_of(url)


def _moved(address: Address, target: str) -> Address:
    """Where a redirect leads. Raises `ValueError`."""
    try:
        return address_of(urljoin(address.url, target))
    except ValueError as error:
        raise ValueError("it redirects to what is no HTTP address") from error


def retry_after(value: str, wall: float) -> float | None:
    """Seconds to wait, of a Retry-After (RFC 9110): a number, or a date; `wall` is now. None: it says neither."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - wall)
    except (ValueError, OverflowError):
        return None
