"""A node without sockets: datagrams come in, datagrams go out, and time is told to it."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.forms import MESSAGE_FORM
from forebay.conduit.core.conduits.reception import Reception
from forebay.conduit.core.conduits.transmission import Transmission
from forebay.conduit.core.declarations.register import Register
from forebay.conduit.core.dispatch import Dispatch, Sent
from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.intake import Intake
from forebay.conduit.core.sealing import Sealing
from forebay.conduit.core.session.sessions import Sessions
from forebay.conduit.core.session.upkeep import Upkeep
from forebay.conduit.core.subscribing import Subscribing
from forebay.conduit.core.uri.syntax import check_uri
from forebay.conduit.core.wire.declarations import SubscriptionMode
from forebay.conduit.core.wire.messages import CloseReason
from forebay.conduit.core.writing import Writing

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from random import Random

    from forebay.conduit.core.conduits.forms import Unnumbered
    from forebay.conduit.core.conduits.outlet import Outlet
    from forebay.conduit.core.conduits.publisher import Publisher, PublisherSettings, Write
    from forebay.conduit.core.declarations.events import DeclarationEvent
    from forebay.conduit.core.listener import Listener
    from forebay.conduit.core.session.events import PeerEvent
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.core.subscribers import Guard, Handler
    from forebay.conduit.core.wire.declarations import Period
    from forebay.conduit.core.wire.extras import Extras


MOST_OFFLOADED = 16384
"""Answers that wait for housekeeping; of more the first are lost, as in a network."""


class Node:
    """Sessions, conduits and declarations of one node.

    One thread writes, keeps house and takes `outgoing`; `receive` may run beside it, on any threads: neither a writer
    that waits nor a handler that takes its time keeps acknowledgements from opening windows. Whoever owns the node
    calls `housekeep` at `wake_at`, which may have changed after any call. Times are monotonic, in seconds.
    """

    def __init__(self, settings: NodeSettings, random: Random, listener: Listener) -> None:
        self.settings = settings
        self.declarations = Register(settings.session.peer_id, settings.declarations, random, self)
        keys = settings.authentication
        self.sealing = Sealing(keys, settings.session.peer_id, random) if keys else None
        self.sessions = Sessions(settings.offering, settings.number_bits, random, len(settings.multicast))
        self.transmission = Transmission(settings, random)
        self.reception = Reception(settings, self.declarations, self.admits)
        self._listener = listener
        self._upkeep = Upkeep(self.sessions, self)
        self._dispatch = Dispatch(self.sessions.peers, settings.group, self.sealing)
        self.intake = Intake(
            settings.number_bits,
            self.sessions,
            self.transmission,
            self.reception,
            self._dispatch,
            self.wake,
            self.sealing,
        )
        self.subscribing = Subscribing(self.declarations)
        self._writing = Writing(
            self.transmission, self.declarations, listener, self._collect, self.wake, settings.session.peer_id
        )
        self.untold = 0
        """Messages that were too large for the peer that they were for."""
        self._outbox: list[Sent] = []
        self._offloaded: deque[Sent] = deque(maxlen=MOST_OFFLOADED)
        self._woken = True
        self._sessions_due = -inf
        self._declarations_due = -inf

    @property
    def wake_at(self) -> float:
        """When `housekeep` has something to do."""
        if self._woken:
            return -inf
        return min(self._sessions_due, self._declarations_due, self.transmission.due(), self.reception.due())

    def receive(self, datagram: bytes | memoryview, source: Hashable, now: float) -> list[Sent]:
        """Take a datagram; returns what to send in answer."""
        sent = self.intake.receive(datagram, source, now)
        if sent and self.settings.offload_replies:
            self._offloaded += sent
            self.wake()
            return []
        return sent

    def housekeep(self, now: float) -> float:
        """Do all that is due, and return when to come again; what is to be sent is in `outgoing`."""
        woken, self._woken = self._woken, False
        if woken or now >= self._sessions_due:
            self._outbox += self._dispatch.posted(self._upkeep.run(now), now)
            self._sessions_due = self._upkeep.due()
        self._outbox += self._dispatch.outgoing(self.transmission.housekeep(now), now)
        self.declarations.housekeep(now)
        self._writing.housekeep(now)
        self._declarations_due = min(self.declarations.due(now), self._writing.due(now))
        for peer, answer in self.reception.housekeep(now):
            self._outbox += self._dispatch.answers(peer, [answer], now)
        while self.reception.pieces.losses:
            self._listener.sample_lost(self.reception.pieces.losses.popleft())
        while self._offloaded:
            self._outbox.append(self._offloaded.popleft())
        self._writing.tell_of_room()
        return self.wake_at

    def outgoing(self) -> list[Sent]:
        """Take what is to be sent."""
        outbox, self._outbox = self._outbox, []
        return outbox

    def publish(self, settings: PublisherSettings, now: float, *, named: bool = True) -> int:
        """Declare a publisher; returns its number. Raises `UnknownPeerError` when there is no such conduit.

        `named`: False when the id of its resource is not settled: what is written waits until `name`.
        """
        return self._writing.publish(settings, now, named=named)

    def name(self, publisher: int, rid: int, now: float) -> None:
        """The id of a publisher's resource is settled. Raises `UnknownPublisherError`."""
        self._writing.name(publisher, rid, now)

    def unpublish(self, publisher: int, now: float) -> None:
        """Delete a publisher; what waits for its way is dropped. Raises `UnknownPublisherError`."""
        self._writing.unpublish(publisher, now)

    def publisher(self, number: int) -> Publisher:
        """A publisher and its accounts. Raises `UnknownPublisherError`."""
        return self._writing.publisher(number)

    def write(self, publisher: int, samples: Sequence[bytes], now: float) -> Write:
        """Write samples; what nobody subscribes to goes nowhere.

        Raises `SampleTooLargeError`, `WindowFullError`, `UnknownPublisherError`, `UnknownPeerError`.
        """
        return self._writing.write(publisher, samples, now)

    def write_uri(
        self, uri: str, samples: Sequence[bytes], now: float, *, conduit: int = 0, reliable: bool = True
    ) -> Write:
        """Write samples of a resource that is named by its URI; they wait for room as long as it takes.

        Raises `InvalidUriError`, `SampleTooLargeError`, `UnknownPeerError`, and `WindowFullError` while own subscribers
        have too much before them, or too many writes wait.
        """
        check_uri(uri, self.settings.max_uri)
        return self._writing.write_uri(uri, samples, now, conduit, reliable=reliable)

    def unspill(self, publisher: int, samples: Sequence[bytes], now: float) -> int:
        """Write the first samples of those that were laid aside; returns how many were taken, the others stay aside."""
        return self._writing.unspill(publisher, samples, now)

    def spill_ended(self, publisher: int) -> None:
        """Nothing of that publisher is laid aside any more: it writes to the window again."""
        self._writing.spill_ended(publisher)

    def flush(self, now: float) -> None:
        """Send at once what waits for others to share its datagram."""
        for outlet in self.transmission.busy():
            outlet.conduit.flush(now)
            self._collect(outlet, now)

    def subscribe(
        self,
        rid: int,
        handler: Handler,
        now: float,
        guard: Guard = (),
        mode: SubscriptionMode = SubscriptionMode.PUSH,
        period: Period | None = None,
        history: int = 0,
    ) -> int:
        """Declare a subscriber; returns its number. Raises `SettingError`."""
        return self.subscribing.subscribe(rid, handler, now, guard, mode, period, history)

    def unsubscribe(self, subscription: int, now: float) -> None:
        """Delete a subscriber. Raises `KeyError` when there is none of that number."""
        self.subscribing.unsubscribe(subscription, now)

    def seek(self, addresses: Sequence[Hashable]) -> None:
        """Scout these addresses one by one from now on, and no others."""
        self._upkeep.seek(addresses)
        self.wake()

    def close_session(self, reason: str, *, peer_id: bytes | None = None, address: Hashable = None) -> None:
        """End the session with the peer of that id, or at that address. Raises `UnknownPeerError`."""
        self.sessions.close(reason, peer_id=peer_id, address=address)
        self.wake()

    def rotate(self, keys: Mapping[int, bytes], key_id: int) -> None:
        """Take datagrams under these keys, and seal with the one of that id. Raises `SettingError`."""
        if self.sealing is None:
            raise SettingError("the node has no authentication: give it keys when it is made")
        self.sealing.rotate(keys, key_id)

    def shutdown(self) -> None:
        """End all sessions: housekeeping tells the peers so."""
        for peer in self.sessions.peers:
            peer.expire("the node shuts down", CloseReason.OK)
        self.wake()

    def admits(self, guard: Guard) -> bool:
        """Whether one sample for each pair of a guard fits into the windows, all at once."""
        return self._writing.admits(guard)

    def tell(self, peer: Peer, messages: Sequence[Unnumbered], now: float) -> None:
        """Tell one peer, by its own conduit; for those who know the declarations.

        What is too large for it is left out, and counted. A peer that does not take what it is told loses its session.
        """
        outlet = self.transmission.find(-peer.index - 1)
        if outlet is None:
            return
        if outlet.waiting >= self.settings.declarations.most_untold:
            peer.expire("it does not take what it is told", CloseReason.NO_RESOURCES)
            self.wake()
            return
        fitting = outlet.fitting(MESSAGE_FORM, messages)
        self.untold += len(messages) - len(fitting)
        self.transmission.use(outlet).write(MESSAGE_FORM, fitting, now)
        outlet.conduit.flush(now)
        self._collect(outlet, now)

    def check(self, peer: Peer, message: Unnumbered) -> None:
        """Raises `SampleTooLargeError` when the peer can't be told that."""
        outlet = self.transmission.find(-peer.index - 1)
        if outlet is not None:
            outlet.check(MESSAGE_FORM, [message])

    def has_room(self, peer: Peer) -> bool:
        """Whether nothing that the peer was told waits for room."""
        outlet = self.transmission.find(-peer.index - 1)
        return outlet is not None and not outlet.blocked

    def acknowledged(self, peer: Peer) -> bool:
        """Whether the peer has acknowledged all that it was told."""
        outlet = self.transmission.find(-peer.index - 1)
        return outlet is not None and not outlet.blocked and not outlet.conduit.window.unacknowledged

    def mark(self, peer: Peer, now: float) -> tuple[int, ...] | None:
        """How far everything has gone out that the peer gets; None: some of it waits for room."""
        outlets = self.transmission.to(peer)
        for outlet in outlets:
            outlet.conduit.flush(now)
            self._collect(outlet, now)
        return None if any(each.blocked for each in outlets) else tuple(each.conduit.window.next for each in outlets)

    def passed(self, peer: Peer, marks: tuple[int, ...]) -> bool:
        """Whether the peer has acknowledged all as far as that."""
        members = [(each.conduit.members, mark) for each, mark in zip(self.transmission.to(peer), marks, strict=True)]
        return all(each.acked(peer.index) >= mark for each, mark in members if peer.index in each)

    def agreement(self, peer: Peer) -> Extras:
        """Which extras were agreed with a peer."""
        return peer.extras

    def note(self, event: DeclarationEvent) -> None:
        """Tell who wants to know of declarations."""
        self._listener.declaration_changed(event)

    def wake(self) -> None:
        """There is something to do: housekeeping is due."""
        self._woken = True

    def welcome(self, peer: Peer, now: float) -> None:
        """The household of sessions: a session is established."""
        self.transmission.join(peer, now)
        self.declarations.welcome(peer, now)

    def dismiss(self, peer: Peer, now: float) -> None:
        """The household of sessions: a session has ended."""
        self.declarations.dismiss(peer)
        self.transmission.leave(peer)
        self.reception.dismiss(peer)

    def notify(self, event: PeerEvent) -> None:
        """The household of sessions: tell who wants to know."""
        self._listener.peer_changed(event)

    def _collect(self, outlet: Outlet, now: float) -> None:
        self._outbox += self._dispatch.outgoing(outlet.conduit.take(), now)
        self.transmission.use(outlet)
