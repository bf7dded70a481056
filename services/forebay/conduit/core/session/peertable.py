"""The peers of a node, in slots, and found by id and by address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.session.peer import Peer
from forebay.conduit.core.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator


class PeerTable:
    """Peers by the index of their slot; loops go over used slots only."""

    def __init__(self, size: int) -> None:
        self.group_sent = 0.0
        """When something last went out that reaches all peers at once."""
        self._size = size
        self._slots: Slots[Peer] = Slots()
        self._by_id: dict[bytes, Peer] = {}
        self._by_address: dict[Hashable, Peer] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[Peer]:
        return iter(self._slots.all())

    def at(self, index: int) -> Peer | None:
        """The peer in a slot."""
        return self._slots.get(index)

    def by_id(self, peer_id: bytes) -> Peer | None:
        """The peer of that id."""
        return self._by_id.get(peer_id)

    def by_address(self, address: Hashable) -> Peer | None:
        """The peer whose datagrams come from there."""
        return self._by_address.get(address)

    def add(self, address: Hashable, session: int) -> Peer | None:
        """A peer at that address, in place of any other there; None when all slots are used."""
        if len(self._slots) >= self._size:
            return None
        peer = self._by_address[address] = self._slots.add(lambda index: Peer(index, address, session))
        return peer

    def name(self, peer: Peer, peer_id: bytes) -> None:
        """The peer's id has become known."""
        peer.peer_id = peer_id
        self._by_id[peer_id] = peer

    def move(self, peer: Peer, address: Hashable) -> None:
        """The peer's datagrams come from another address."""
        self._forget_address(peer)
        peer.address = address
        self._by_address[address] = peer

    def detach(self, peer: Peer) -> None:
        """Find the peer neither by id nor by address any more; its slot stays used."""
        self._forget_address(peer)
        if self._by_id.get(peer.peer_id) is peer:
            del self._by_id[peer.peer_id]

    def remove(self, peer: Peer) -> None:
        """Free the peer's slot."""
        self.detach(peer)
        self._slots.remove(peer.index)

    def _forget_address(self, peer: Peer) -> None:
        if self._by_address.get(peer.address) is peer:
            del self._by_address[peer.address]
