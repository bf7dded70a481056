"""Crowds of clients that announce: who is in them, and what they send over HTTP and over UDP."""

import hashlib
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote_from_bytes

from forebay.pb.announcer.v1 import announcer_pb2 as pb

NUMWANT = 50
SEEDERS = 0.75
"""The part of all clients that has everything."""
FIRST_PORT = 1025
_ANNOUNCE = struct.Struct(">8sII20s20sQQQIIIiH")


@dataclass(frozen=True)
class Crowd:
    """Clients of some torrents, as many of each."""

    swarms: int
    peers: int
    """Clients of each torrent, at most 64,000."""

    def torrents(self) -> list[bytes]:
        """Their info hashes."""
        return [torrent(number) for number in range(self.swarms)]

    def some(self, most: int, seed: int) -> list[tuple[int, int]]:
        """So many of them in random order, or all."""
        number = self.swarms * self.peers
        chosen = random.Random(seed).sample(range(number), min(most, number))
        return [(each % self.swarms, each // self.swarms) for each in chosen]

    def __str__(self) -> str:
        torrents = "1 torrent" if self.swarms == 1 else f"{self.swarms:,} torrents"
        return f"{torrents} with {self.peers:,} clients"


def torrent(number: int) -> bytes:
    """An info hash."""
    return hashlib.sha1(b"torrent %d" % number, usedforsecurity=False).digest()


def peer_id(number: int) -> bytes:
    """A client's name."""
    return b"-BN0100-%012x" % number


def left(peer: int) -> int:
    """Octets that a client still lacks."""
    return 0 if peer % 4 < 4 * SEEDERS else 1 << 30


def target(swarm: int, peer: int) -> str:
    """What a client asks for over HTTP, in the manner of libtorrent."""
    info_hash = quote_from_bytes(torrent(swarm), safe="")
    return (
        f"/announce?info_hash={info_hash}&peer_id={peer_id(peer).decode()}&port={FIRST_PORT + peer}&uploaded=0"
        f"&downloaded=0&left={left(peer)}&corrupt=0&key={peer:08X}&numwant={NUMWANT}&compact=1&no_peer_id=1"
        "&supportcrypto=1&redundant=0"
    )


def packet(connection_id: bytes, swarm: int, peer: int) -> bytes:
    """What a client sends over UDP, 98 octets."""
    return _ANNOUNCE.pack(
        connection_id, 1, peer, torrent(swarm), peer_id(peer), 0, left(peer), 0, 0, 0, peer, NUMWANT, FIRST_PORT + peer
    )


def announces(crowd: Crowd, size: int) -> Iterator[list[pb.ClientAnnounce]]:
    """What all of a crowd tell over gRPC, in pages of so many torrents' clients each."""
    for peer in range(crowd.peers):
        for first in range(0, crowd.swarms, size):
            swarms = range(first, min(first + size, crowd.swarms))
            yield [client_announce(swarm, peer) for swarm in swarms]


def client_announce(swarm: int, peer: int) -> pb.ClientAnnounce:
    """What a client tells over gRPC; no two clients have the same address."""
    return pb.ClientAnnounce(
        info_hash=torrent(swarm),
        peer_id=peer_id(swarm << 16 | peer),
        ip=f"10.{swarm >> 16}.{swarm >> 8 & 255}.{swarm & 255}",
        port=FIRST_PORT + peer,
        left=left(peer),
        key=peer.to_bytes(4),
        numwant=0,
    )
