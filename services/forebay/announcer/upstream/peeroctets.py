"""Peers of an upstream's answer, in whatever shape, as compact octets by family; what cannot be a peer is left out."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_PEERS = 1000
"""Peers of one answer that are looked at; nobody sends so many to one client."""

_PORT = 2
_V4, _V6 = 4, 16
_MAPPED = bytes(10) + b"\xff\xff"
"""What stands before an IPv4 address that is written as an IPv6 one."""
_PORT_ONE = b"\x00\x01"
_ALL_USABLE = re.compile(rb"(?:(?!\0\0\0\0).{4}(?!\0[\0\1]).{2})*", re.DOTALL).fullmatch
"""Compact IPv4 peers none of which is to be left out, as is nearly always so."""
_NOWHERE = frozenset({bytes(_V4), bytes(_V6)})


class PeerOctets(NamedTuple):
    """Peers by family: 6 octets each, and 18 octets each."""

    peers: bytes
    peers6: bytes


def split(octets: bytes, address_size: int) -> list[bytes]:
    """Compact peers one by one; a part of one at the end is left out."""
    size = address_size + _PORT
    whole = min(len(octets) // size, MOST_PEERS) * size
    return [octets[at : at + size] for at in range(0, whole, size)]


def from_compact(peers: bytes, peers6: bytes = b"") -> PeerOctets:
    """Peers of BEP 23 and of BEP 7."""
    if not peers6 and len(peers) <= MOST_PEERS * (_V4 + _PORT) and _ALL_USABLE(peers):
        return PeerOctets(peers, b"")
    return _gather([*split(peers, _V4), *split(peers6, _V6)])


def from_dictionaries(peers: Iterable[object], peers6: bytes = b"") -> PeerOctets:
    """Peers of BEP 3: dictionaries with `ip` as text and `port`. Names of hosts are left out."""
    return _gather([*_read_all(peers), *split(peers6, _V6)])


def _read_all(peers: Iterable[object]) -> Iterator[bytes]:
    for _, peer in zip(range(MOST_PEERS), peers, strict=False):
        octets = _read(peer)
        if octets is not None:
            yield octets


def _read(peer: object) -> bytes | None:
    if not isinstance(peer, dict):
        return None
    ip, port = peer.get(b"ip"), peer.get(b"port")
    if not isinstance(ip, bytes) or not isinstance(port, int) or not 0 < port < 2**16:
        return None
    try:
        return ipaddress.ip_address(ip.decode("ascii")).packed + port.to_bytes(2)
    except ValueError:
        return None


def _gather(peers: list[bytes]) -> PeerOctets:
    # Ports 0 and 1 and addresses of zeros are what clients without a listener tell.
    usable = [peer for peer in peers if peer[-_PORT:] > _PORT_ONE and peer[:-_PORT] not in _NOWHERE]
    return PeerOctets(
        b"".join([peer[-(_V4 + _PORT) :] for peer in usable if len(peer) == _V4 + _PORT or peer.startswith(_MAPPED)]),
        b"".join([peer for peer in usable if len(peer) == _V6 + _PORT and not peer.startswith(_MAPPED)]),
    )
