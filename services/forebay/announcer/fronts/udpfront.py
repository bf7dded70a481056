"""The front for UDP: packets in, packets out. What is answered is the `UdpDesk`'s."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, cast

import structlog

from forebay.announcer.wire.addresses import packed
from forebay.runtime.errors import AddressError

if TYPE_CHECKING:
    from forebay.announcer.fronts.udpdesk import UdpDesk
    from forebay.runtime import Address, Clock

RECEIVED = 4 << 20
"""Octets of packets that the system keeps for us while we are busy; it may grant less."""

log = structlog.stdlib.get_logger(__name__)


class UdpFront(asyncio.DatagramProtocol):
    """Listens for packets."""

    def __init__(self, desk: UdpDesk, clock: Clock) -> None:
        self.desk = desk
        self._clock = clock
        self._transport: asyncio.DatagramTransport | None = None
        self._is_stuck = False

    async def start(self, address: Address) -> int:
        """Listen; the port. `::` takes IPv4, too.

        Raises `AddressError` when the address cannot be used.
        """
        loop = asyncio.get_running_loop()
        try:
            made = await _socket(address)
            await loop.create_datagram_endpoint(lambda: self, sock=made)
        except OSError as error:
            raise AddressError(f"cannot listen on {address} for announces over UDP: {error.strerror}") from error
        return int(made.getsockname()[1])

    def stop(self) -> None:
        """Stop listening."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # noqa: D102
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:  # noqa: D102
        if self._is_stuck or self._transport is None:
            self.desk.tally.ignored += 1
            return
        try:
            answer = self.desk.answer(data, packed(addr[0]), self._clock.monotonic())
        except Exception:  # a fault of ours must not end the front, as an exception here would
            log.exception("announcer.udp_fault")
            return
        if answer is not None:
            self._transport.sendto(answer, addr)

    def pause_writing(self) -> None:
        """The system takes no more: packets are lost then, as they may be, and do not pile up here."""
        self._is_stuck = True

    def resume_writing(self) -> None:
        """It takes more."""
        self._is_stuck = False


async def _socket(address: Address) -> socket.socket:
    found = await asyncio.get_running_loop().getaddrinfo(address.host, address.port, type=socket.SOCK_DGRAM)
    family, kind, protocol, _, where = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setblocking(False)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, address.host != "::")
        made.bind(where)
    except OSError:
        made.close()
        raise
    return made
