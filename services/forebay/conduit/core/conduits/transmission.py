"""All conduits that a node sends on: those to all peers, and one to each peer."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.outlet import Outlet
from forebay.conduit.core.conduits.transmit import TransmitConduit
from forebay.conduit.core.errors import UnknownPeerError
from forebay.conduit.core.wire.authentication import OVERHEAD
from forebay.conduit.core.wire.extras import LONG_NUMBER_BITS

if TYPE_CHECKING:
    from random import Random

    from forebay.conduit.core.conduits.outgoing import Outgoing
    from forebay.conduit.core.conduits.settings import ConduitSettings
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.core.wire.messages import AckNack


class Transmission:
    """Conduits by id: 0 and more are those to all peers, -index - 1 is the one to the peer of that index.

    On the wire, the conduit to one peer has the number after those to all.
    """

    def __init__(self, settings: NodeSettings, random: Random) -> None:
        self.unicast_number = len(settings.multicast)
        """Of the conduit to one peer, on the wire."""
        self._settings = settings
        self._random = random
        self._multicast = [self._outlet(number, each, None) for number, each in enumerate(settings.multicast)]
        self._unicast: dict[int, Outlet] = {}
        self._busy: dict[Outlet, float] = {}
        """Each with when it was due when that was last looked at: a node may have hundreds, and few that change."""
        self._changed: dict[Outlet, None] = {}
        """Those of them that something has happened to since."""

    def find(self, conduit: int) -> Outlet | None:
        """The conduit of that id."""
        if conduit < 0:
            return self._unicast.get(-conduit - 1)
        return self._multicast[conduit] if conduit < self.unicast_number else None

    def outlet(self, conduit: int) -> Outlet:
        """The conduit of that id; the caller is about to use it. Raises `UnknownPeerError`."""
        outlet = self.find(conduit)
        if outlet is None:
            what = f"conduit {conduit}" if conduit >= 0 else f"peer in slot {-conduit - 1}"
            raise UnknownPeerError(f"there is no {what}: name one that is there")
        return self.use(outlet)

    def has(self, outlet: Outlet) -> bool:
        """Whether that conduit is still there: the one to a peer goes with its session."""
        peer = outlet.conduit.peer
        return outlet in self._multicast if peer is None else self._unicast.get(peer) is outlet

    def use(self, outlet: Outlet) -> Outlet:
        """The caller is about to use this one, or has just done so."""
        if self.has(outlet):
            self._busy.setdefault(outlet, inf)
            self._changed[outlet] = None
        return outlet

    def to(self, peer: Peer) -> list[Outlet]:
        """All whose samples that peer gets; it has a session."""
        return [*map(self.use, self._multicast), self.use(self._unicast[peer.index])]

    def busy(self) -> list[Outlet]:
        """Those that have something to send, or wait for acknowledgement."""
        return list(self._busy)

    def join(self, peer: Peer, now: float) -> None:
        """The peer gets what is sent to all from now on, and a conduit of its own; it is told where they begin."""
        settings = self._settings.unicast_by_peer.get(peer.peer_id, self._settings.unicast)
        if peer.long_conduit == self.unicast_number:
            settings = replace(settings, number_bits=LONG_NUMBER_BITS)
        outlet = self._unicast[peer.index] = self._outlet(self.unicast_number, settings, peer.index)
        for each in (*self._multicast, outlet):
            each.conduit.join(peer.index, now, peer.extras.largest_sample)
            self.use(each)

    def leave(self, peer: Peer) -> None:
        """The peer gets nothing any more."""
        outlet = self._unicast.pop(peer.index, None)
        if outlet:
            outlet.abandon()
            self._forget(outlet)
        for each in self._multicast:
            each.conduit.leave(peer.index)
            self.use(each)

    def acknowledge(self, peer: Peer, message: AckNack, now: float) -> list[Outgoing]:
        """What to answer to an ACKNACK; nothing when it is about a conduit that does not exist."""
        outlet = self._outlet_on_wire(peer, message.conduit)
        if outlet is None:
            return []
        answer = outlet.conduit.acknowledge(peer.index, message.number, message.mask, now)
        self.use(outlet)
        return answer

    def housekeep(self, now: float) -> list[Outgoing]:
        """Send what is due, and let those write on who waited for room."""
        found: list[Outgoing] = []
        for outlet, due in list(self._busy.items()):
            if due > now and outlet not in self._changed:
                continue
            # First of all: an acknowledgement may come meanwhile.
            self._changed.pop(outlet, None)
            outlet.resume(now)
            found += outlet.conduit.housekeep(now)
            self._look_at(outlet)
        return found

    def due(self) -> float:
        """When `housekeep` has something to do."""
        while self._changed:
            outlet, _ = self._changed.popitem()
            self._look_at(outlet)
        return min(list(self._busy.values()), default=inf)

    def _look_at(self, outlet: Outlet) -> None:
        if outlet.blocked or not outlet.conduit.idle:
            self._busy[outlet] = outlet.due
        else:
            self._forget(outlet)

    def _forget(self, outlet: Outlet) -> None:
        self._busy.pop(outlet, None)
        self._changed.pop(outlet, None)

    def _outlet_on_wire(self, peer: Peer, conduit: int) -> Outlet | None:
        return self._unicast.get(peer.index) if conduit == self.unicast_number else self.find(conduit)

    def _outlet(self, number: int, settings: ConduitSettings, peer: int | None) -> Outlet:
        """Numbers begin anywhere, so that datagrams of an earlier session that are late fit nowhere."""
        if self._settings.authentication:
            settings = replace(settings, mtu=settings.mtu - OVERHEAD)
        first = self._random.getrandbits(settings.number_bits)
        shared, largest = self._settings.group is not None, self._settings.largest_sample
        return Outlet(TransmitConduit(number, settings, first, peer=peer, shared=shared, largest=largest))
