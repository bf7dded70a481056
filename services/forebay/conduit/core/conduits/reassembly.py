"""Samples that come in pieces: what is not whole yet, within bounds for each peer."""

from __future__ import annotations

from collections import deque
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.wire.extras import LONG_NUMBER_BITS
from forebay.conduit.core.wire.fragments import Lost, Reassembler

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.core.wire.messages import Data, WriteData
    from forebay.conduit.core.wire.ownmessages import Fragment


MOST_LOSSES = 1024
"""Losses that wait to be told of; of more the first are forgotten, but counted."""


class SampleLoss(NamedTuple):
    """A sample of which pieces came, and which does not come whole: nothing of it was handed over."""

    peer_id: bytes
    conduit: int
    reliable: bool
    pieces: int
    """In all, as the sender told."""
    received: int
    """Of them."""
    reason: str
    """For people."""


class _Channel:
    """One channel of one conduit."""

    __slots__ = ("heard", "octets", "reassembler")

    def __init__(self, reassembler: Reassembler) -> None:
        self.reassembler = reassembler
        self.octets = 0
        """What is set aside for the sample that is being put together."""
        self.heard = 0.0
        """When its last piece came."""


class Reassembly:
    """Room for a whole sample is set aside with its first piece, so that two never wait for each other.

    Any thread may bring pieces.
    """

    def __init__(
        self,
        peer_id: bytes,
        largest: int,
        octets: int,
        seconds: float,
        tell: Callable[[SampleLoss], None],
    ) -> None:
        """`largest`: octets of the largest sample; `octets`: of all samples together; `seconds`: how long the next
        piece of an unreliable one may take; `tell` hears of losses.
        """
        self._peer_id = peer_id
        self._largest = largest
        self._octets = octets
        self._seconds = seconds
        self._tell = tell
        self._changing = Lock()
        self._channels: dict[tuple[int, bool], _Channel] = {}

    def add(self, fragment: Fragment, number_bits: int, now: float) -> tuple[bool, Data | WriteData | None]:
        """Take the next piece of its channel: whether there was room, and the sample once it is whole.

        That one has to be `delivered`; before that, its last piece may come again.
        """
        with self._changing:
            channel = self._channel(fragment, number_bits)
            if channel.reassembler.begins(fragment) and not self._set_aside(channel, fragment):
                return False, None
            channel.heard = now
            sample = channel.reassembler.add(fragment)
            if not channel.reassembler.busy:
                channel.octets = 0
            return True, sample

    def delivered(self, fragment: Fragment) -> None:
        """The sample that came with this piece was taken."""
        with self._changing:
            channel = self._channels[fragment.conduit, fragment.reliable]
            channel.reassembler.delivered()
            channel.octets = 0

    def interrupted(self, conduit: int, *, reliable: bool) -> None:
        """Something else came over a channel: what was begun is lost."""
        with self._changing:
            channel = self._channels.get((conduit, reliable))
            if channel and channel.reassembler.busy:
                channel.reassembler.interrupted()
                channel.octets = 0

    def end(self) -> None:
        """Nothing more comes."""
        with self._changing:
            for channel in self._channels.values():
                channel.reassembler.interrupted()

    def expire(self, now: float) -> None:
        """Give up unreliable samples whose next piece takes too long."""
        with self._changing:
            for channel in [channel for channel, due in self._dues() if due <= now]:
                channel.reassembler.interrupted()
                channel.octets = 0

    def due(self) -> float:
        """When `expire` has something to do."""
        with self._changing:
            return min((due for _, due in self._dues()), default=inf)

    def _dues(self) -> list[tuple[_Channel, float]]:
        loose = [channel for (_, reliable), channel in self._channels.items() if not reliable]
        return [(channel, channel.heard + self._seconds) for channel in loose if channel.reassembler.busy]

    def _channel(self, fragment: Fragment, number_bits: int) -> _Channel:
        key = fragment.conduit, fragment.reliable
        channel = self._channels.get(key)
        if channel is None:

            def lost(loss: Lost) -> None:
                self._tell(SampleLoss(self._peer_id, *key, loss.pieces, loss.received, loss.reason))

            channel = self._channels[key] = _Channel(Reassembler(self._largest, number_bits, lost))
        return channel

    def _set_aside(self, channel: _Channel, fragment: Fragment) -> bool:
        """Whether there is room for a sample; for one that is too large there need not be: it is given up at once."""
        size = min(fragment.pieces * len(fragment.piece.payload), self._largest)
        others = sum(each.octets for each in self._channels.values()) - channel.octets
        if others + size > self._octets:
            return False
        channel.octets = size
        return True


class Pieces:
    """Of all peers."""

    def __init__(self, settings: NodeSettings) -> None:
        self.broken = 0
        """Samples of which only some pieces came."""
        self.losses: deque[SampleLoss] = deque(maxlen=MOST_LOSSES)
        """Of these, for who keeps house to take away."""
        self._settings = settings
        self._peers: dict[Peer, Reassembly] = {}

    def add(self, peer: Peer, piece: Fragment, now: float) -> tuple[bool, Data | WriteData | None]:
        """See `Reassembly.add`; what there is no room for is lost if it is unreliable, else it comes again."""
        of_peer = self._peers.get(peer) or self._reassembly(peer)
        long = piece.conduit == peer.long_conduit
        room, sample = of_peer.add(piece, LONG_NUMBER_BITS if long else self._settings.number_bits, now)
        if not room and not piece.reliable:
            self._lose(SampleLoss(peer.peer_id, piece.conduit, False, piece.pieces, 0, "there was no room for it"))
        return room, sample

    def delivered(self, peer: Peer, piece: Fragment) -> None:
        """The sample that came with this piece was taken."""
        self._peers[peer].delivered(piece)

    def interrupted(self, peer: Peer, conduit: int, *, reliable: bool) -> None:
        """Something else came over a channel: what was begun is lost."""
        if self._peers and (of_peer := self._peers.get(peer)) is not None:
            of_peer.interrupted(conduit, reliable=reliable)

    def dismiss(self, peer: Peer) -> None:
        """The session has ended, and what was begun is lost."""
        of_peer = self._peers.pop(peer, None)
        if of_peer:
            of_peer.end()

    def housekeep(self, now: float) -> None:
        """Give up what takes too long."""
        for of_peer in list(self._peers.values()):
            of_peer.expire(now)

    def due(self) -> float:
        """When `housekeep` has something to do, or there are losses to be told of."""
        if self.losses:
            return -inf
        return min((of_peer.due() for of_peer in list(self._peers.values())), default=inf)

    def _reassembly(self, peer: Peer) -> Reassembly:
        settings = self._settings
        of_peer = self._peers[peer] = Reassembly(
            peer.peer_id, settings.largest_sample, settings.reassembly_octets, settings.reassembly_seconds, self._lose
        )
        return of_peer

    def _lose(self, loss: SampleLoss) -> None:
        self.broken += 1
        self.losses.append(loss)
