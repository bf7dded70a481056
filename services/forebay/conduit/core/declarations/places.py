"""Who has the one place of a unicast resource that the node publishes.

The first one keeps it. Of several that come at the same moment, or were there before the publisher, it is the one with
the lowest peer id, so that two publishers choose the same one.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationEvent, DeclarationKind
from forebay.conduit.core.declarations.peerbook import LATE_COMMIT
from forebay.conduit.core.wire.declarations import Result, ResultStatus
from forebay.conduit.core.wire.extras import NO_EXTRAS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebay.conduit.core.declarations.directory import Directory
    from forebay.conduit.core.declarations.errands import Announcer, Errands
    from forebay.conduit.core.declarations.peerbook import RemoteSubscription
    from forebay.conduit.core.session.peer import Peer

SAME_MOMENT = 1.0
"""Seconds after a place was opened or taken in which a lower peer id still gets it."""


class Places:
    """By the id of the resource. Subscriptions without the place stay in the books, and take it when it is free."""

    def __init__(self, directory: Directory, errands: Errands, announcer: Announcer) -> None:
        self._directory = directory
        self._errands = errands
        self._announcer = announcer
        self._opened: dict[int, float] = {}
        """Since when the node publishes each resource, unicast or not."""
        self._taken: dict[int, float] = {}
        """Since when each place has been taken."""

    def open(self, rid: int, now: float) -> None:
        """The node publishes a resource."""
        if rid not in self._opened:
            self._opened[rid] = now
            self.settle([rid], now)

    def close(self, rid: int) -> None:
        """It does no more."""
        self._opened.pop(rid, None)
        self._taken.pop(rid, None)
        if self._directory.places.pop(rid, None) is not None:
            self._directory.changed()

    def holder(self, subscription: RemoteSubscription, uri: str, now: float) -> bytes | None:
        """Id of the peer that has the place that a new subscription of that very resource asks for; it keeps it."""
        rid = subscription.rid
        peer = self._peer(rid)
        if peer is None or all(each.peer is not peer for each in self._directory.subscriptions(rid, uri)):
            return None
        if peer is subscription.peer or self._gives_way(rid, peer, subscription.peer, now):
            return None
        return peer.peer_id

    def changed(self, rid: int, uri: str, now: float) -> None:
        """Subscriptions of that id or pattern have changed, or what it stands for."""
        self.settle((rid, *(self._directory.names.resources.matching(uri) if uri else ())), now)

    def settle(self, rids: Iterable[int], now: float) -> None:
        """Give places away, and tell those who have lost or not got them."""
        with self._directory.changing:
            for rid in dict.fromkeys(rids):
                resource = self._directory.names.resources.get(rid)
                if rid in self._opened and resource is not None and resource.meaning.unicast:
                    self._settle(rid, resource.meaning.uri, now)

    def refuse(
        self, rid: int, uri: str, subscription: RemoteSubscription, holder: bytes, *, told: bool = False
    ) -> None:
        """A subscription does not get the place; `told`: its peer has asked, and is answered."""
        peer = subscription.peer
        reason = f"the resource is unicast, and peer {holder.hex()} subscribes to it"
        self._errands.note(
            DeclarationEvent(DeclarationChange.REFUSED, DeclarationKind.SUBSCRIBER, peer.peer_id, rid, uri, reason)
        )
        # A zhe program expects no result but of what it has asked; a pattern may be for other resources too.
        if subscription.rid == rid and not told and self._announcer.agreement(peer) != NO_EXTRAS:
            self._errands.declare(peer, [Result(LATE_COMMIT, ResultStatus.OTHER, rid)])

    def _settle(self, rid: int, uri: str, now: float) -> None:
        claims = self._directory.subscriptions(rid, uri)
        if not claims:
            self._directory.places.pop(rid, None)
            self._taken.pop(rid, None)
            return
        before = self._peer(rid)
        lowest = min((each.peer for each in claims), key=lambda peer: peer.peer_id)
        stays = any(each.peer is before for each in claims)
        peer = before if before and stays and not self._gives_way(rid, before, lowest, now) else lowest
        if peer is not before:
            self._taken[rid] = now
        self._directory.places[rid] = peer.index
        self._directory.changed()
        for each in claims:
            newcomer = each.since == now or before is None or each.peer is before
            if each.peer is not peer and newcomer:
                self.refuse(rid, uri, each, peer.peer_id)

    def _gives_way(self, rid: int, holder: Peer, other: Peer, now: float) -> bool:
        since = max(self._opened.get(rid, -inf), self._taken.get(rid, -inf))
        return other.peer_id < holder.peer_id and now - since < SAME_MOMENT

    def _peer(self, rid: int) -> Peer | None:
        index = self._directory.places.get(rid)
        book = None if index is None else self._directory.books.get(index)
        return book.peer if book else None
