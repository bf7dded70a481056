"""The front for HTTP: connections, kept alive, within limits. What they say is a `Conversation`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from forebay.announcer.fronts.conversation import Conversation
from forebay.announcer.wire.addresses import packed
from forebay.runtime.dualstack import dualstack_socket
from forebay.runtime.errors import AddressError

if TYPE_CHECKING:
    from forebay.announcer.fronts.httpsite import HttpSite
    from forebay.announcer.fronts.proxies import TrustedProxies
    from forebay.runtime import Address, Clock


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """How much clients may ask of the front."""

    most_connections: int = 20_000
    """Connections at a time; more are closed as they come."""
    idle: float = 60.0
    """Seconds without a whole request, after which a connection is closed."""


class HttpFront:
    """Listens for clients."""

    def __init__(self, site: HttpSite, proxies: TrustedProxies, limits: HttpLimits, clock: Clock) -> None:
        self.site = site
        self.proxies = proxies
        self.limits = limits
        self.clock = clock
        self.connections: set[HttpConnection] = set()
        self._server: asyncio.Server | None = None
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self, address: Address) -> int:
        """Listen; the port.

        Raises `AddressError` when the address cannot be used.
        """
        loop = asyncio.get_running_loop()
        try:
            if made := dualstack_socket(address.host, address.port):
                self._server = await loop.create_server(lambda: HttpConnection(self), sock=made, backlog=1024)
            else:
                self._server = await loop.create_server(
                    lambda: HttpConnection(self), address.host, address.port, backlog=1024
                )
        except OSError as error:
            raise AddressError(f"cannot listen on {address} for announces over HTTP: {error.strerror}") from error
        self._sweeping = asyncio.create_task(self._sweep())
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Stop listening, and close all connections; answers that were given are sent."""
        if self._server is not None:
            self._server.close()
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.gather(self._sweeping, return_exceptions=True)
        for connection in tuple(self.connections):
            connection.close()

    async def _sweep(self) -> None:
        while True:
            await self.clock.sleep(self.limits.idle / 4)
            before = self.clock.monotonic() - self.limits.idle
            for connection in [each for each in self.connections if each.active < before]:
                connection.abort()


class HttpConnection(asyncio.Protocol):
    """One connection."""

    def __init__(self, front: HttpFront) -> None:
        self.active = 0.0
        """When its last request was whole; monotonic seconds."""
        self._front = front
        self._clock = front.clock
        self._transport: asyncio.Transport
        self._conversation: Conversation

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # noqa: D102
        front = self._front
        self._transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")  # none when it is gone already
        if peer is None or len(front.connections) >= front.limits.most_connections:
            front.site.tally.ignored += 1
            self._transport.abort()
            return
        self.active = self._clock.monotonic()
        self._conversation = Conversation(front.site, front.proxies, packed(peer[0]))
        front.connections.add(self)

    def data_received(self, data: bytes) -> None:  # noqa: D102
        conversation, now = self._conversation, self._clock.monotonic()
        answers = conversation.receive(data, now)
        if answers:
            self.active = now
            self._transport.write(answers)
        if conversation.is_over:
            self._transport.close()

    def pause_writing(self) -> None:
        """The client does not read: it is not read from, either."""
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """It has read."""
        self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._front.connections.discard(self)

    def close(self) -> None:
        """Close it once what was written is sent."""
        self._transport.close()

    def abort(self) -> None:
        """Close it at once."""
        self._transport.abort()
