"""The front for UDP: packets in, packets out. What is answered is the `UdpDesk`'s."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import structlog

from forebay.announcer.wire.addresses import packed
from forebay.runtime.errors import AddressError

if TYPE_CHECKING:
    from forebay.announcer.fronts.udpdesk import UdpDesk
    from forebay.runtime import Address, Clock

RECEIVED = 4 << 20
"""Octets of packets that the system keeps for us while we are busy; it may grant less."""
LONGEST = 2048
"""Octets of a packet that are read."""
AT_ONCE = 100
"""Packets that are answered in a row, about a millisecond's work, before others have their turn."""

log = structlog.stdlib.get_logger(__name__)


class UdpFront:
    """Listens for packets. It reads its socket itself: the transport of an event loop costs more than an answer."""

    def __init__(self, desk: UdpDesk, clock: Clock) -> None:
        self.desk = desk
        self._clock = clock
        self._socket: socket.socket | None = None

    async def start(self, address: Address) -> int:
        """Listen; the port. `::` takes IPv4, too.

        Raises `AddressError` when the address cannot be used.
        """
        try:
            made = await _socket(address)
        except OSError as error:
            raise AddressError(f"cannot listen on {address} for announces over UDP: {error.strerror}") from error
        self._socket = made
        asyncio.get_running_loop().add_reader(made, self._read, made)
        return int(made.getsockname()[1])

    def stop(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None

    def _read(self, source: socket.socket) -> None:
        """Answer packets that have come."""
        now = self._clock.monotonic()
        for _ in range(AT_ONCE):
            try:
                packet, sender = source.recvfrom(LONGEST)
            except OSError:  # none is left, as a rule
                return
            try:
                answer = self.desk.answer(packet, packed(sender[0]), now)
                if answer is not None:
                    source.sendto(answer, sender)
            except OSError:  # the system does not take it: it is lost, as packets may be
                self.desk.tally.ignored += 1
            except Exception:  # a fault of ours must not end the front, as an exception here would
                log.exception("announcer.udp_fault")


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
