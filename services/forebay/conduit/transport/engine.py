"""The core of a node on real sockets: what comes in, what goes out, and one timer for all that is due."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from ipaddress import ip_address
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.errors import UnknownPeerError
from forebay.conduit.core.wire.locators import Locator
from forebay.conduit.transport.tcp import TcpStreams
from forebay.conduit.transport.udp import UdpSocket, open_group, open_unicast
from forebay.conduit.transport.wakening import Wakening

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from forebay.conduit.core.dispatch import Sent
    from forebay.conduit.core.node import Node as Core
    from forebay.conduit.transport.settings import TransportSettings


class Engine:
    """Owns the sockets. All of it runs on the loop's thread; nothing is made for a single sample or datagram."""

    def __init__(self, settings: TransportSettings, core: Core) -> None:
        self.core = core
        self._settings = settings
        self._udp: UdpSocket | None = None
        self._sockets: list[UdpSocket] = []
        self._streams = TcpStreams(self, settings.most_streams)
        self._timer: asyncio.TimerHandle | None = None
        self._due = inf
        self._acknowledged = Wakening()

    @property
    def udp_address(self) -> tuple[str, int]:
        """Where datagrams come in."""
        if self._udp is None:
            raise RuntimeError("the engine has not been opened")
        host, port = self._udp.address[:2]
        return host, port

    @property
    def stream_address(self) -> tuple[str, int] | None:
        """Where streams are taken."""
        return self._streams.address

    @property
    def lost(self) -> int:
        """Datagrams that could not be sent."""
        return self._streams.lost + sum(each.lost for each in self._sockets)

    async def open(self) -> None:
        """Open the sockets. Raises `OSError`."""
        settings = self._settings
        place, group = settings.listen, settings.group
        try:
            interface = settings.interface if group else None
            self._udp = open_unicast(place.host, place.port, settings.socket_octets, interface)
            self._watch(self._udp)
            if group:
                self._watch(open_group(group.host, group.port, settings.socket_octets, settings.interface))
            if settings.streams:
                await self._streams.listen(settings.streams)
        except BaseException:
            await self._close()
            raise
        self.advance()

    async def close(self) -> None:
        """Tell the peers, and close the sockets."""
        now = time.monotonic()
        self.core.shutdown()
        self.core.housekeep(now)
        self._send(self.core.outgoing())
        await self._close()

    def advance(self) -> None:
        """Send what the core has to say, and set the timer: after any call of the core."""
        self._send(self.core.outgoing())
        due = self.core.wake_at
        if due < self._due:
            if self._timer:
                self._timer.cancel()
            self._due = due
            delay = max(0.0, due - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay, self._housekeep)

    async def drained(self) -> None:
        """Send what waits for others to share its datagram, and wait until the peers have acknowledged all of it."""
        self.core.flush(time.monotonic())
        self.advance()
        while any(out.blocked or out.conduit.window.unacknowledged for out in self.core.transmission.busy()):
            await self._acknowledged.wait()

    def received(self, datagrams: list[tuple[bytes, Hashable]]) -> None:
        """Take datagrams, and answer them."""
        core, now = self.core, time.monotonic()
        for datagram, source in datagrams:
            answers = core.receive(datagram, source, now)
            if answers:
                self._send(answers)
        if core.wake_at <= now:
            core.housekeep(now)
        self._acknowledged.wake()
        self.advance()

    def stream_ended(self, address: Locator, reason: str) -> None:
        """The session of that stream ends with it: by its address, since the stream may have said nothing."""
        with suppress(UnknownPeerError):
            self.core.close_session(f"its stream ended: {reason}", address=address)
        self.advance()

    def _watch(self, sock: UdpSocket) -> None:
        self._sockets.append(sock)
        asyncio.get_running_loop().add_reader(sock.fileno(), self._read, sock)

    def _read(self, sock: UdpSocket) -> None:
        datagrams = sock.read()
        if datagrams:
            self.received(datagrams)

    def _housekeep(self) -> None:
        self._timer, self._due = None, inf
        try:
            self.core.housekeep(time.monotonic())
        finally:
            # A program's handler that fails does not end the node.
            self._acknowledged.wake()
            self.advance()

    def _send(self, batch: Iterable[Sent]) -> None:
        udp = self._udp
        for address, datagram in batch:
            if isinstance(address, Locator):
                self._streams.send(datagram, address)
            elif udp is not None:
                udp.send(datagram, address)

    async def _close(self) -> None:
        loop = asyncio.get_running_loop()
        for sock in self._sockets:
            loop.remove_reader(sock.fileno())
            sock.close()
        self._sockets.clear()
        await self._streams.close()
        # The ends of streams may have set it again.
        if self._timer:
            self._timer.cancel()
        self._timer, self._due = None, -inf


def ip_version(host: str) -> int:
    """Of an address that a socket is bound to."""
    return ip_address(host).version
