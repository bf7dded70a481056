"""The receive path of sessions: what peers say of themselves, and what is answered."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING

from forebay.conduit.core.errors import UnknownPeerError
from forebay.conduit.core.session.identity import MASK, PEER_ID, is_later, peer_id_of, session_of, with_session
from forebay.conduit.core.session.peer import Peer, PeerState
from forebay.conduit.core.session.peertable import PeerTable
from forebay.conduit.core.session.posted import Posted
from forebay.conduit.core.session.settings import lease_seconds
from forebay.conduit.core.wire.extras import NO_EXTRAS, agreed, extras_of, extras_property
from forebay.conduit.core.wire.messages import VERSION, Accept, Close, CloseReason, Hello, KeepAlive, Open, Scout
from forebay.conduit.core.wire.properties import (
    DEFAULT_NUMBER_BITS,
    PropertyId,
    number_property,
    property_number,
)

if TYPE_CHECKING:
    from collections.abc import Hashable
    from random import Random

    from forebay.conduit.core.session.settings import SessionSettings
    from forebay.conduit.core.wire.messages import Properties

MOST_OWN_ADDRESSES = 16
HURRIED_INTERVAL = 0.1
"""Seconds between two OPENs to a peer that shows that it is there."""


class Sessions:
    """All sessions of a node.

    What is here changes a peer's state at most to EXPIRED, or to ESTABLISHED from OPENING; housekeeping, which is to be
    woken then, does what follows from it.
    """

    def __init__(self, settings: SessionSettings, number_bits: int, random: Random, conduits: int = 0) -> None:
        """`number_bits`: of the numbers of samples, which all peers have to share; `conduits`: those to all peers."""
        self.settings = settings
        self.peers = PeerTable(settings.max_peers)
        self.fresh: deque[Peer] = deque()
        """Peers whose session has just been established, for housekeeping."""
        self.refused = 0
        """Peers that were turned away: there was no slot left, or they speak otherwise."""
        self.changing = Lock()
        """Held by whoever takes a message of a session, or keeps house: never while samples are taken or written."""
        self._number_bits = number_bits
        self._own_addresses: set[Hashable] = set()
        self._session = settings.first_session(random)
        self._properties = settings.properties
        if number_bits != DEFAULT_NUMBER_BITS:
            self._properties += (number_property(PropertyId.NUMBER_BITS, number_bits),)
        self.extras = settings.extras
        """What is offered."""
        if settings.extras != NO_EXTRAS:
            self.extras = settings.extras._replace(conduits=conduits)
            self._properties += (extras_property(self.extras),)

    def scout_message(self) -> Scout:
        """Asks who is there."""
        mine = ((PEER_ID, self.settings.peer_id),) if self.settings.extended else ()
        return Scout(self.settings.seeks, mine)

    def close_message(self, reason: int) -> Close:
        """Ends or refuses a session."""
        return Close(self.settings.peer_id, reason)

    def reminder(self, source: Hashable) -> Posted:
        """Tells a peer that there is a session: if it knows of none, it asks for one."""
        return Posted(KeepAlive(self.settings.peer_id), source)

    def close(self, reason: str, *, peer_id: bytes | None = None, address: Hashable = None) -> None:
        """End the session with the peer of that id, or at that address. Raises `UnknownPeerError`."""
        peers = self.peers
        peer = peers.by_id(peer_id) if peer_id is not None else peers.by_address(address)
        if peer is None or peer.state is not PeerState.ESTABLISHED:
            named = f"the id {peer_id.hex()}" if peer_id is not None else f"the address {address}"
            raise UnknownPeerError(f"there is no session with a peer of {named}")
        peer.expire(reason, CloseReason.OK)

    def at(self, source: Hashable) -> Peer | None:
        """The peer that has a session and sends from there."""
        peer = self.peers.by_address(source)
        return peer if peer and peer.state is PeerState.ESTABLISHED else None

    def scouted(self, scout: Scout, source: Hashable) -> list[Posted]:
        """Somebody asks who is there; a peer that has a session need not be told."""
        scouter = peer_id_of(scout.properties)
        if self._is_own(scouter, source) or not scout.mask & self.settings.role:
            return []
        if (peer := self.at(source)) and scouter in {None, peer.peer_id}:
            return []
        return [Posted(Hello(self.settings.role, self.settings.locators), source)]

    def greeted(self, hello: Hello, source: Hashable, now: float) -> list[Posted]:
        """A node that has no session with this one answers a SCOUT; or it answered one before it had it."""
        if source in self._own_addresses or not hello.mask & self.settings.seeks:
            return []
        peer = self.at(source)
        if peer is None:
            return self.meet(source, now)
        if peer.remote_session is not None:
            return [self.reminder(source)]
        if now - peer.established_at < self.settings.open_interval:
            return []
        self._replace(peer)
        return self.meet(source, now, previous=peer.peer_id)

    def meet(self, source: Hashable, now: float, previous: bytes | None = None) -> list[Posted]:
        """A node shows that it is there, or that it believes in a session that is none: open one."""
        if source in self._own_addresses:
            return []
        known = self.peers.by_address(source)
        if known and known.state is PeerState.OPENING:
            return self._hurry(known, now)
        peer = self._add(source)
        if peer is None:
            return []
        peer.previous = previous
        peer.state = PeerState.OPENING
        return [self.try_again(peer, now)]

    def try_again(self, peer: Peer, now: float) -> Posted:
        """Ask a peer for a session, once more."""
        peer.tries += 1
        peer.next_open = now + self.settings.open_interval
        return self._ask(peer, now)

    def opened(self, message: Open, source: Hashable, now: float) -> list[Posted]:
        """A peer asks for a session: it gets a new one, unless it has that very session already."""
        if self._is_own(message.peer_id, source):
            return []
        if message.version != VERSION:
            return self._refuse(CloseReason.PROTOCOL, source, message.peer_id)
        if not self._counts_alike(message.properties):
            return self._refuse(CloseReason.NUMBER_LENGTH, source, message.peer_id)
        session = session_of(message.properties)
        known = self._established(message.peer_id)
        if known and self._is_repeated(known, session, now):
            return self._accept_again(known, session, source)
        peer = self._room(known, message.peer_id, source)
        if peer is None:
            return [Posted(self.close_message(CloseReason.NO_RESOURCES), source, message.peer_id)]
        self._establish(peer, message.peer_id, message.lease, message.properties, now)
        return [Posted(self._accept_message(peer), source, peer.peer_id)]

    def accepted(self, message: Accept, source: Hashable, now: float) -> list[Posted]:
        """A peer grants a session; or it turns out that it has another one than it had."""
        if message.opener != self.settings.peer_id or message.accepter == self.settings.peer_id:
            return []
        peer = self.peers.by_address(source)
        if peer is None or peer.state not in {PeerState.OPENING, PeerState.ESTABLISHED}:
            return []
        if not self._counts_alike(message.properties):
            peer.expire("its numbers have another length")
            return self._refuse(CloseReason.NUMBER_LENGTH, source, message.accepter)
        session = session_of(message.properties)
        if peer.state is PeerState.ESTABLISHED:
            same = peer.peer_id == message.accepter and not self._is_new(peer, session)
            return [] if same else self._meet_anew(peer, now)
        if (elsewhere := self._established(message.accepter)) is not None:
            # It had a session under another address.
            self._replace(elsewhere)
            peer.previous = elsewhere.peer_id
        self._establish(peer, message.accepter, message.lease, message.properties, now)
        return []

    def closed(self, message: Close, source: Hashable) -> list[Posted]:
        """A peer ends its session, or refuses one."""
        peer = self._established(message.peer_id)
        if peer is None:
            at = self.peers.by_address(source)
            peer = at if at and at.state is PeerState.OPENING else None
        if peer:
            peer.expire(f"closed by the peer with reason {message.reason}")
        return []

    def kept_alive(self, message: KeepAlive, source: Hashable, now: float) -> list[Posted]:
        """A peer is alive, perhaps at another address than before."""
        if self._is_own(message.peer_id, source):
            return []
        peer = self._established(message.peer_id)
        if peer is None:
            return self._meet_anew(at, now) if (at := self.at(source)) else self.meet(source, now)
        if peer.address != source:
            self._move(peer, source)
        peer.heard = now
        return []

    def _is_own(self, peer_id: bytes | None, source: Hashable) -> bool:
        """Whether the message is the node's own, come back by multicast."""
        if peer_id == self.settings.peer_id and len(self._own_addresses) < MOST_OWN_ADDRESSES:
            self._own_addresses.add(source)
            # It may have been met before it was known: itself, or who was there before it.
            if (peer := self.peers.by_address(source)) is not None:
                peer.expire("the node itself is at its address")
        return peer_id == self.settings.peer_id or source in self._own_addresses

    def _hurry(self, peer: Peer, now: float) -> list[Posted]:
        """It shows that it is there, so the OPEN was lost, unless that was just now. This counts as no try."""
        return [self._ask(peer, now)] if now >= peer.asked + HURRIED_INTERVAL else []

    def _ask(self, peer: Peer, now: float) -> Posted:
        peer.asked = now
        settings, properties = self.settings, self._session_properties(peer)
        message = Open(VERSION, settings.peer_id, settings.lease_units, settings.locators, properties)
        return Posted(message, peer.address)

    def _established(self, peer_id: bytes) -> Peer | None:
        peer = self.peers.by_id(peer_id)
        return peer if peer and peer.state is PeerState.ESTABLISHED else None

    def _counts_alike(self, properties: Properties) -> bool:
        return property_number(properties, PropertyId.NUMBER_BITS, DEFAULT_NUMBER_BITS) == self._number_bits

    def _refuse(self, reason: CloseReason, source: Hashable, peer_id: bytes) -> list[Posted]:
        self.refused += 1
        return [Posted(self.close_message(reason), source, peer_id)]

    def _is_new(self, peer: Peer, session: int | None) -> bool:
        return session is not None and (peer.remote_session is None or is_later(session, peer.remote_session))

    def _is_repeated(self, peer: Peer, session: int | None, now: float) -> bool:
        """Whether an OPEN of an established peer asks for the session that there is, or for one before it."""
        if session is None:
            # It does not tell; its OPENs follow each other at an interval until ours was heard.
            return now - peer.established_at < 2 * self.settings.open_interval
        return not self._is_new(peer, session)

    def _accept_again(self, peer: Peer, session: int | None, source: Hashable) -> list[Posted]:
        if session != peer.remote_session:
            return []
        if peer.address != source:
            self._move(peer, source)
        return [Posted(self._accept_message(peer), source, peer.peer_id)]

    def _room(self, known: Peer | None, peer_id: bytes, source: Hashable) -> Peer | None:
        """Where the session of that peer goes: a new slot, but for a peer that is being opened."""
        at = self.peers.by_address(source)
        if known is None and at and at.state is PeerState.OPENING:
            return at
        previous = None
        for old in (at, known):
            if old and old.state in {PeerState.ESTABLISHED, PeerState.OPENING}:
                previous = old.peer_id or previous
                self._replace(old)
        if known:
            previous = peer_id
        peer = self._add(source)
        if peer:
            peer.previous = previous
        return peer

    def _add(self, source: Hashable) -> Peer | None:
        self._session = (self._session + 1) & MASK
        peer = self.peers.add(source, self._session)
        if peer is None:
            self.refused += 1
        return peer

    def _meet_anew(self, peer: Peer, now: float) -> list[Posted]:
        """Another one is there, or it has another session: what came of that was taken to be of the one that was."""
        self._replace(peer)
        return self.meet(peer.address, now, previous=peer.peer_id)

    def _replace(self, peer: Peer) -> None:
        peer.replaced = True
        peer.expire("replaced by a new session")
        self.peers.detach(peer)

    def _move(self, peer: Peer, source: Hashable) -> None:
        """What else was at that address is there no more."""
        if (at := self.peers.by_address(source)) is not None:
            at.expire(f"its address is that of peer {peer.peer_id.hex()} now")
            self.peers.detach(at)
        self.peers.move(peer, source)

    def _establish(self, peer: Peer, peer_id: bytes, lease: int, properties: Properties, now: float) -> None:
        self.peers.name(peer, peer_id)
        peer.lease = lease_seconds(lease)
        peer.remote_session = session_of(properties)
        peer.agree(agreed(self.extras, extras_of(properties)))
        peer.heard = peer.sent = peer.established_at = now
        if peer.establish():
            self.fresh.append(peer)

    def _accept_message(self, peer: Peer) -> Accept:
        settings = self.settings
        return Accept(peer.peer_id, settings.peer_id, settings.lease_units, self._session_properties(peer))

    def _session_properties(self, peer: Peer) -> Properties:
        return with_session(self._properties, peer.session) if self.settings.extended else self._properties
