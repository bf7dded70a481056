"""The listeners: the fronts for HTTP and UDP on the addresses that are wanted, moved when those change."""

from __future__ import annotations

import asyncio
from random import Random
from secrets import token_bytes
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import structlog

from forebay.announcer.fronts.httpfront import HttpFront
from forebay.announcer.fronts.httpsite import HttpSite
from forebay.announcer.fronts.udpdesk import UdpDesk
from forebay.announcer.fronts.udpfront import UdpFront
from forebay.announcer.wire.connectionid import ConnectionIds
from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.errors import AddressError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forebay.announcer.fronts.desk import Desk
    from forebay.announcer.fronts.httpfront import HttpLimits
    from forebay.announcer.fronts.httpresponse import Page
    from forebay.announcer.fronts.proxies import TrustedProxies
    from forebay.runtime import Address, Clock

SECRET = 32
"""Octets of the key of connection ids."""
AGAIN = BackoffSettings(first=1.0, longest=30.0)
"""When a place that cannot be used is tried again."""

log = structlog.stdlib.get_logger(__name__)


class Places(NamedTuple):
    """Where clients announce; None: not by this protocol."""

    http: Address | None
    udp: Address | None


class _Terms(NamedTuple):
    """What was asked for last."""

    places: Places
    proxies: TrustedProxies
    limits: HttpLimits


class Listeners:
    """Both fronts over one desk. Their counts go on when they move."""

    def __init__(self, desk: Desk, pages: Mapping[bytes, Callable[[bytes], Page]], clock: Clock) -> None:
        """`pages`: what is shown over HTTP beside announces and scrapes, by path; each takes the query."""
        self.site = HttpSite(desk, pages)
        self.udp_desk = UdpDesk(desk, ConnectionIds(token_bytes(SECRET)))
        self.http_port: int | None = None
        """Where HTTP is served; None when it is not."""
        self.udp_port: int | None = None
        """Where UDP is served; None when it is not."""
        self.problems: dict[str, str] = {}
        """By protocol, what is wrong with a place that cannot be used."""
        self._clock = clock
        self._http: HttpFront | None = None
        self._udp: UdpFront | None = None
        self._places = Places(None, None)
        self._terms: _Terms
        self._backoff = Backoff(AGAIN, clock, Random())  # noqa: S311 spreads tries, guards nothing
        self._moving = asyncio.Lock()
        self._lacking = asyncio.Event()

    @property
    def connections(self) -> int:
        """Connections of HTTP that are open."""
        return len(self._http.connections) if self._http else 0

    async def listen(self, places: Places, proxies: TrustedProxies, limits: HttpLimits) -> dict[str, str]:
        """Listen there from now on; by protocol, what is wrong with a place that cannot be used.

        Connections that were made before keep the proxies that were trusted then.
        """
        async with self._moving:
            self._terms = _Terms(places, proxies, limits)
            self._backoff.reset()
            await self._move()
            return self.problems

    async def run(self) -> NoReturn:
        """Try places again that cannot be used, as long as there are any."""
        while True:
            await self._lacking.wait()
            await self._clock.sleep(self._backoff.fail())
            async with self._moving:
                if self.problems:
                    await self._move()

    async def _move(self) -> None:
        terms, problems = self._terms, {}
        for protocol, listen in (("http", self._listen_http), ("udp", self._listen_udp)):
            try:
                await listen(terms)
            except AddressError as error:
                problems[protocol] = f"{error}; free it, or choose another"
        self._places = terms.places
        self._tell(problems)

    def _tell(self, problems: dict[str, str]) -> None:
        self.problems = problems
        if problems:
            self._lacking.set()
        else:
            self._lacking.clear()

    async def _listen_http(self, terms: _Terms) -> None:
        places, proxies, limits = terms
        if self._http and places.http == self._places.http:
            self._http.proxies, self._http.limits = proxies, limits
            return
        if self._http:
            await self._http.stop()
            self._http = self.http_port = None
        if places.http:
            front = HttpFront(self.site, proxies, limits, self._clock)
            self.http_port = await front.start(places.http)
            self._http = front
            log.info("announces are taken", protocol="http", address=places.http.host, port=self.http_port)

    async def _listen_udp(self, terms: _Terms) -> None:
        places = terms.places
        if self._udp and places.udp == self._places.udp:
            return
        if self._udp:
            self._udp.stop()
            self._udp = self.udp_port = None
        if places.udp:
            front = UdpFront(self.udp_desk, self._clock)
            self.udp_port = await front.start(places.udp)
            self._udp = front
            log.info("announces are taken", protocol="udp", address=places.udp.host, port=self.udp_port)

    async def stop(self) -> None:
        """Stop listening, and try no more to."""
        async with self._moving:
            self._tell({})
            if self._http:
                await self._http.stop()
            if self._udp:
                self._udp.stop()
            self._http = self._udp = self.http_port = self.udp_port = None
