"""All upstream trackers: an announce goes to each by the way that its URL names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forebay.announcer.forwarding.outcome import Failure
from forebay.announcer.upstream.httpupstream import HttpUpstream
from forebay.announcer.upstream.udpupstream import UdpUpstream
from forebay.announcer.upstream.withoutkeys import without_keys

if TYPE_CHECKING:
    import ssl

    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.outcome import Outcome
    from forebay.runtime.clock import Clock


class Upstreams:
    """Clients of HTTP, HTTPS and UDP trackers. They are made within a running event loop, and closed.

    `tls` tells which authorities are trusted; none: those that the machine trusts.
    """

    def __init__(self, clock: Clock, tls: ssl.SSLContext | None = None) -> None:
        self._http = HttpUpstream(clock, tls)
        self._udp = UdpUpstream(clock)

    async def announce(self, spec: ForwarderSpec, announce: Announce) -> Outcome:
        """Send an announce; what came of it. The caller bounds how long it takes."""
        client = self._udp if spec.url.lower().startswith("udp:") else self._http
        outcome = await client.announce(spec, announce)
        if isinstance(outcome, Failure):
            return replace(outcome, reason=without_keys(outcome.reason, spec.url))
        return outcome

    async def close(self) -> None:
        """Close all connections and sockets."""
        await self._http.close()
        await self._udp.close()
