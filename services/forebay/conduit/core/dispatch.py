"""From what a node has to say to the datagrams that say it, and the addresses that they go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.session.peer import Peer, PeerState
from forebay.conduit.core.session.posted import Audience, Posted
from forebay.conduit.core.wire.encoder import conduit_marker, encode

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from forebay.conduit.core.conduits.outgoing import Outgoing
    from forebay.conduit.core.sealing import Sealing
    from forebay.conduit.core.session.peertable import PeerTable
    from forebay.conduit.core.wire.messages import AckNack


class Sent(NamedTuple):
    """A datagram for a transport."""

    address: Hashable
    datagram: bytes


class Dispatch:
    """Knows where peers are, and remembers when each of them was last sent something."""

    def __init__(self, peers: PeerTable, group: Hashable, sealing: Sealing | None = None) -> None:
        """`group`: the multicast address, or None where there is no multicast."""
        self._peers = peers
        self._group = group
        self._sealing = sealing

    def posted(self, posted: Iterable[Posted], now: float) -> list[Sent]:
        """Messages of sessions, each in a datagram of its own."""
        found: list[Sent] = []
        for message, to, receiver in posted:
            out = bytearray()
            encode(out, message)
            if to is Audience.PEERS:
                found += self._to_all(bytes(out), now)
            elif to is not Audience.GROUP:
                found.append(self._to(self._peers.by_address(to), to, receiver, bytes(out), now))
            elif self._group is not None:
                found.append(self._to_group(bytes(out), now))
        return found

    def outgoing(self, outgoing: Sequence[Outgoing], now: float) -> list[Sent]:
        """Datagrams of conduits."""
        found: list[Sent] = []
        for index, datagram in outgoing:
            if index is None:
                found += self._to_all(datagram, now)
            elif (peer := self._peers.at(index)) is not None:
                found.append(self._to(peer, peer.address, peer.peer_id, datagram, now))
        return found

    def answers(self, peer: Peer, answers: Iterable[AckNack], now: float) -> list[Sent]:
        """Acknowledgements for a peer."""
        found = []
        for answer in answers:
            out = bytearray(conduit_marker(answer.conduit))
            encode(out, answer)
            found.append(self._to(peer, peer.address, peer.peer_id, bytes(out), now))
        return found

    def _to(self, peer: Peer | None, address: Hashable, receiver: bytes, datagram: bytes, now: float) -> Sent:
        if peer:
            peer.sent = now
        return Sent(address, datagram if self._sealing is None else self._sealing.seal(datagram, receiver))

    def _to_group(self, datagram: bytes, now: float) -> Sent:
        self._peers.group_sent = now
        return Sent(self._group, datagram if self._sealing is None else self._sealing.seal(datagram, b""))

    def _to_all(self, datagram: bytes, now: float) -> list[Sent]:
        if self._group is not None:
            return [self._to_group(datagram, now)]
        members = [peer for peer in self._peers if peer.state is PeerState.ESTABLISHED]
        return [self._to(peer, peer.address, peer.peer_id, datagram, now) for peer in members]
