"""The channel of a connection: its transport, in clear or secured, plain or compressed."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

from forebay.outfeed.sending.deflate import Deflate
from forebay.outfeed.sending.peertls import TlsSettings, context_of

if TYPE_CHECKING:
    from forebay.msgstore.disk import Buffer

HIGH_WATER = 1 << 17
"""Octets that may wait to be written before the connection is told to pause."""


class Channel:
    """Octets out and in. `open` gives it the transport."""

    def __init__(self) -> None:
        self.wrote = False
        """Something was written since it was last cleared."""
        self._transport: asyncio.Transport | None = None
        self._deflate: Deflate | None = None

    def open(self, transport: asyncio.Transport) -> None:
        """The transport is there."""
        transport.set_write_buffer_limits(high=HIGH_WATER)
        self._transport = transport

    async def secure(self, protocol: asyncio.Protocol, tls: TlsSettings, host: str, patience: float) -> None:
        """Go on under TLS. Raises `OSError`, of which `ssl.SSLError` is one, after `patience` seconds at the latest."""
        if self._transport is None:
            return
        secured = await asyncio.get_running_loop().start_tls(
            self._transport,
            protocol,
            context_of(tls),
            server_hostname=tls.server_name or host,
            ssl_handshake_timeout=patience,
        )
        if secured is None:
            raise ConnectionError("the connection broke")
        self.open(secured)

    def compress(self) -> None:
        """All that is written and read from now on is compressed."""
        self._deflate = Deflate()

    def write(self, batch: list[Buffer]) -> None:
        """Send a batch."""
        if self._transport:
            self.wrote = True
            self._transport.writelines([self._deflate.pack(batch)] if self._deflate else batch)

    def unpacked(self, data: bytes) -> bytes:
        """What the peer said. Raises `CompressionError`."""
        return self._deflate.unpack(data) if self._deflate else data

    def acknowledge(self) -> None:
        """Let the kernel acknowledge at once: a peer under Nagle's algorithm, as INN is, else waits 40 ms for it.

        What is written carries the acknowledgement with it.
        """
        if self._transport and (connection := self._transport.get_extra_info("socket")):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def abort(self) -> None:
        """End it at once."""
        if self._transport:
            self._transport.abort()
