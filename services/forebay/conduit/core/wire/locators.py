"""Locators: where a node is reached, as `udp/239.255.0.1:7447`."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple

TRANSPORTS = frozenset({"udp", "tcp"})


class Locator(NamedTuple):
    """One place where a node is reached."""

    transport: str
    """`udp` or `tcp`."""
    host: str
    """An IPv4 or IPv6 address; without brackets."""
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.transport}/{host}:{self.port}"

    @property
    def multicast(self) -> bool:
        """Whether it is a group rather than a node."""
        return ip_address(self.host).is_multicast


def parse_locator(text: str) -> Locator | None:
    """Read a locator; None when it is of a kind that this node can't reach. Peers may tell others: that is no fault."""
    transport, _, place = text.partition("/")
    host, _, port = place.rpartition(":")
    if transport not in TRANSPORTS or not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) < 1 << 16):
        return None
    bracketed = host.startswith("[") and host.endswith("]")
    try:
        address = ip_address(host[1:-1] if bracketed else host)
    except ValueError:
        return None
    return Locator(transport, str(address), int(port)) if bracketed == (address.version == 6) else None
