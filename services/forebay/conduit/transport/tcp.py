"""Datagrams over TCP: each behind its length, over streams that either end has opened."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Protocol, cast

from forebay.conduit.core.wire.framing import FrameBuffer, frame
from forebay.conduit.core.wire.locators import Locator

if TYPE_CHECKING:
    from collections.abc import Hashable

    from forebay.conduit.transport.places import Place

MOST_WAITING = 1 << 20
"""Octets that wait in one stream; datagrams beyond them are lost, and come again as those of UDP."""
CONNECT_WITHIN = 10.0
"""Seconds."""


class Owner(Protocol):
    """Whom streams belong to."""

    def received(self, datagrams: list[tuple[bytes, Hashable]]) -> None:
        """Datagrams came, each with its source."""

    def stream_ended(self, address: Locator, reason: str) -> None:
        """A stream has ended: nothing more comes from there."""


class _Stream(asyncio.Protocol):
    def __init__(self, streams: TcpStreams) -> None:
        self._streams = streams
        self._frames = FrameBuffer()
        self._address = Locator("tcp", "", 0)
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        host, port = transport.get_extra_info("peername")[:2]
        self._address = Locator("tcp", host, port)
        self._streams.add(self._address, self._transport)

    def data_received(self, data: bytes) -> None:
        datagrams = self._frames.feed(data)
        if datagrams:
            self._streams.owner.received([(datagram, self._address) for datagram in datagrams])
        if self._frames.fault and self._transport:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        fault = self._frames.end()
        reason = fault.reason if fault else str(exc or "the stream has ended")
        if self._transport and self._streams.remove(self._address, self._transport):
            self._streams.owner.stream_ended(self._address, reason)


class TcpStreams:
    """All streams of a node, by the address of the other end."""

    def __init__(self, owner: Owner, most: int) -> None:
        """`most`: streams at once."""
        self.owner = owner
        self.lost = 0
        """Datagrams that no stream could take."""
        self._most = most
        self._server: asyncio.Server | None = None
        self._open: dict[Locator, asyncio.Transport] = {}
        self._opening: dict[Locator, asyncio.Task[None]] = {}

    @property
    def address(self) -> tuple[str, int] | None:
        """Where streams are taken; None where they are not."""
        return self._server.sockets[0].getsockname()[:2] if self._server else None

    async def listen(self, place: Place) -> None:
        """Take streams. Raises `OSError`."""
        loop = asyncio.get_running_loop()
        # asyncio's own socket for `::` would take IPv6 alone.
        both = place.host == "::" and socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
        sock = socket.create_server((place.host, place.port), family=family, dualstack_ipv6=both)
        self._server = await loop.create_server(lambda: _Stream(self), sock=sock)

    def add(self, address: Locator, transport: asyncio.Transport) -> None:
        """A stream is open; one too many is closed at once."""
        if len(self._open) >= self._most or address in self._open:
            transport.abort()
        else:
            self._open[address] = transport

    def remove(self, address: Locator, transport: asyncio.Transport) -> bool:
        """A stream has ended; whether it had been in use."""
        found = self._open.get(address) is transport
        if found:
            del self._open[address]
        return found

    def send(self, datagram: bytes, address: Locator) -> None:
        """Send by the stream to there; where there is none it is opened, and the datagram is lost."""
        transport = self._open.get(address)
        if transport is not None and transport.get_write_buffer_size() <= MOST_WAITING:
            transport.write(frame(datagram))
            return
        self.lost += 1
        if transport is None and address not in self._opening and len(self._opening) < self._most:
            task = asyncio.get_running_loop().create_task(self._connect(address), name=f"conduit to {address}")
            self._opening[address] = task

    async def close(self) -> None:
        """End all streams, once what was sent has gone out."""
        opening = list(self._opening.values())
        for task in opening:
            task.cancel()
        await asyncio.gather(*opening, return_exceptions=True)
        if self._server:
            self._server.close()
        transports = list(self._open.values())
        self._open.clear()
        for transport in transports:
            transport.close()
        if self._server:
            await self._server.wait_closed()

    async def _connect(self, address: Locator) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_WITHIN):
                await loop.create_connection(lambda: _Stream(self), address.host, address.port)
        except OSError:
            # Nobody is there yet: the next datagram tries again.
            pass
        finally:
            del self._opening[address]
