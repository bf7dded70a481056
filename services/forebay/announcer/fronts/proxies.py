"""Trusted proxies, and the client behind them (X-Forwarded-For)."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import TYPE_CHECKING

from forebay.announcer.errors import RequestError
from forebay.announcer.wire.addresses import packed

if TYPE_CHECKING:
    from collections.abc import Iterable

    Network = IPv4Network | IPv6Network

LONGEST_ADDRESS = 60
"""Characters of an address with a port."""


class TrustedProxies:
    """Networks whose word for the address of a client is taken."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks = tuple(networks)

    def trusts(self, address: bytes) -> bool:
        """Whether an address, of 4 or 16 octets, is a trusted proxy's."""
        if not self._networks:
            return False
        proxy = ip_address(address)
        return any(proxy in network for network in self._networks)

    def client(self, proxy: bytes, forwarded: bytes) -> bytes:
        """The client's address: the last one of the header that is no trusted proxy's own.

        `proxy` is the trusted one that the request came from; `forwarded` the header, its lines joined by commas.
        What stands left of the client's address is the client's own word.

        Raises `RequestError` when the header has something else than an address there.
        """
        address = proxy
        for entry in reversed(forwarded.split(b",")):
            address = _read(entry.strip())
            if not self.trusts(address):
                break
        return address


def _read(entry: bytes) -> bytes:
    """An address, with a port or without."""
    text = entry.decode("latin-1")[:LONGEST_ADDRESS]
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return packed(text)
    except ValueError:
        raise RequestError("the proxy's X-Forwarded-For has no address") from None
