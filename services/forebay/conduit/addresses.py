"""Addresses of peers as people write them."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

from forebay.conduit.core.wire.locators import Locator, parse_locator

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from forebay.conduit.core.session.peer import Peer


def address_text(address: Any) -> str:
    """`udp/host:port`, or `tcp/host:port`; those of IPv4 as such, also where one socket takes both."""
    return str(locator_of(address))


def locator_of(address: Any) -> Locator:
    """What a transport knows as an address: a locator of a stream, or where a datagram came from."""
    transport, host, port = address if isinstance(address, Locator) else ("udp", *address[:2])
    found = ip_address(host.partition("%")[0])
    plain = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return Locator(transport, str(plain or found), port)


def find_address(text: str, peers: Iterable[Peer]) -> Hashable:
    """The address of the peer that is there; None when there is none, or the text is no address."""
    wanted = parse_locator(text)
    if wanted is None:
        return None
    return next((peer.address for peer in peers if locator_of(peer.address) == wanted), None)
