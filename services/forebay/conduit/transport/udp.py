"""Datagrams over UDP: to one address, and to a multicast group."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

MOST_AT_ONCE = 256
"""Datagrams that are read in one go, so that others have their turn."""
MAX_DATAGRAM = 65535


class UdpSocket:
    """A socket that never waits: what the system has no room for is lost, as any datagram may be."""

    def __init__(self, sock: socket.socket) -> None:
        """Own a bound socket; it is closed with `close`."""
        sock.setblocking(False)
        self._socket = sock
        self.lost = 0
        """Datagrams that the system did not take."""

    def fileno(self) -> int:
        """What to wait for."""
        return self._socket.fileno()

    @property
    def address(self) -> Any:
        """Where it is bound to."""
        return self._socket.getsockname()

    def read(self) -> list[tuple[bytes, Hashable]]:
        """Datagrams that are there, each with its source: all of them, or as many as one go may take."""
        found: list[tuple[bytes, Hashable]] = []
        receive = self._socket.recvfrom
        try:
            while len(found) < MOST_AT_ONCE:
                found.append(receive(MAX_DATAGRAM))
        except OSError:
            # Nothing is left, or the other end of something sent before is not there.
            pass
        return found

    def send(self, datagram: bytes, address: Any) -> None:
        """Send, or lose it."""
        try:
            self._socket.sendto(datagram, address)
        except OSError:
            self.lost += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def open_unicast(host: str, port: int, octets: int, interface: str | None) -> UdpSocket:
    """A socket for what goes to and comes from single addresses, and for sending to a group by an interface.

    `octets`: what the system keeps of datagrams that come in. `::` is every address, of IPv4 too. Raises `OSError`.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, octets)
        if host == "::" and socket.has_dualstack_ipv6():
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        if interface is not None:
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface))
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        sock.bind((host, port))
    except BaseException:
        sock.close()
        raise
    return UdpSocket(sock)


def open_group(group: str, port: int, octets: int, interface: str) -> UdpSocket:
    """A socket for what comes to a group, which others on this machine may join too. Raises `OSError`."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, octets)
        # Bound to the group itself, it gets nothing of other groups at the same port.
        sock.bind((group, port))
        membership = socket.inet_aton(group) + socket.inet_aton(interface)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
    except BaseException:
        sock.close()
        raise
    return UdpSocket(sock)
