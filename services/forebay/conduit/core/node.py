"""A node without sockets: datagrams come in, datagrams go out, and time is told to it."""

from __future__ import annotations

from collections import defaultdict, deque
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.forms import MESSAGE_FORM
from forebay.conduit.core.conduits.publisher import Publisher, PublisherSettings, Write
from forebay.conduit.core.conduits.reception import Reception
from forebay.conduit.core.conduits.transmission import Transmission
from forebay.conduit.core.declaring import PlainDeclarations
from forebay.conduit.core.dispatch import Dispatch, Sent
from forebay.conduit.core.errors import UnknownPublisherError
from forebay.conduit.core.intake import Intake
from forebay.conduit.core.session.sessions import Sessions
from forebay.conduit.core.session.upkeep import Upkeep
from forebay.conduit.core.slots import Slots
from forebay.conduit.core.subscribers import Guard, Handler, Subscription
from forebay.conduit.core.wire.messages import CloseReason, Declare

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from random import Random

    from forebay.conduit.core.conduits.outlet import Outlet
    from forebay.conduit.core.declaring import Announcer, Declarations
    from forebay.conduit.core.listener import Listener
    from forebay.conduit.core.session.events import PeerEvent
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.core.wire.declarations import Declaration


class Node:
    """Sessions, conduits and declarations of one node.

    One thread writes, keeps house and takes `outgoing`; `receive` may run beside it, on any threads: neither a writer
    that waits nor a handler that takes its time keeps acknowledgements from opening windows. Whoever owns the node
    calls `housekeep` at `wake_at`, which may have changed after any call. Times are monotonic, in seconds.
    """

    def __init__(
        self,
        settings: NodeSettings,
        random: Random,
        listener: Listener,
        declarations: Callable[[Announcer], Declarations] = PlainDeclarations,
    ) -> None:
        """`declarations` makes what knows them."""
        self.settings = settings
        self.declarations = declarations(self)
        self.sessions = Sessions(settings.session, settings.number_bits, random)
        self.transmission = Transmission(settings, random)
        self.reception = Reception(settings, self.declarations, self.admits)
        self._listener = listener
        self._upkeep = Upkeep(self.sessions, self)
        self._dispatch = Dispatch(self.sessions.peers, settings.group)
        self.intake = Intake(
            settings.number_bits, self.sessions, self.transmission, self.reception, self._dispatch, self._wake
        )
        self._publishers: Slots[Publisher] = Slots()
        self._subscriptions: Slots[Subscription] = Slots()
        self._spilling: set[int] = set()
        self._outbox: list[Sent] = []
        self._offloaded: deque[Sent] = deque()
        self._woken = True
        self._sessions_due = -inf

    @property
    def wake_at(self) -> float:
        """When `housekeep` has something to do."""
        if self._woken:
            return -inf
        return min(self._sessions_due, self.transmission.due(), self.reception.due())

    def receive(self, datagram: bytes | memoryview, source: Hashable, now: float) -> list[Sent]:
        """Take a datagram; returns what to send in answer."""
        sent = self.intake.receive(datagram, source, now)
        if sent and self.settings.offload_replies:
            self._offloaded += sent
            self._wake()
            return []
        return sent

    def housekeep(self, now: float) -> float:
        """Do all that is due, and return when to come again; what is to be sent is in `outgoing`."""
        woken, self._woken = self._woken, False
        if woken or now >= self._sessions_due:
            self._outbox += self._dispatch.posted(self._upkeep.run(now), now)
            self._sessions_due = self._upkeep.due()
        self._outbox += self._dispatch.outgoing(self.transmission.housekeep(now), now)
        for peer, answer in self.reception.housekeep(now):
            self._outbox += self._dispatch.answers(peer, [answer], now)
        while self._offloaded:
            self._outbox.append(self._offloaded.popleft())
        self._tell_of_room()
        return self.wake_at

    def outgoing(self) -> list[Sent]:
        """Take what is to be sent."""
        outbox, self._outbox = self._outbox, []
        return outbox

    def publish(self, settings: PublisherSettings, now: float) -> int:
        """Declare a publisher; returns its number. Raises `UnknownPeerError` when there is no such conduit."""
        self.transmission.outlet(settings.conduit)
        publisher = self._publishers.add(lambda number: Publisher(number, settings))
        self.declarations.publish(settings, now)
        return publisher.number

    def unpublish(self, publisher: int, now: float) -> None:
        """Delete a publisher. Raises `UnknownPublisherError`."""
        self.declarations.unpublish(self.publisher(publisher).settings, now)
        self._publishers.remove(publisher)
        self._spilling.discard(publisher)

    def publisher(self, number: int) -> Publisher:
        """A publisher and its accounts. Raises `UnknownPublisherError`."""
        publisher = self._publishers.get(number)
        if publisher is None:
            raise UnknownPublisherError(f"there is no publisher {number}: declare one")
        return publisher

    def write(self, publisher: int, samples: Sequence[bytes], now: float) -> Write:
        """Write samples; what nobody subscribes to goes nowhere.

        Raises `SampleTooLargeError`, `WindowFullError`, `UnknownPublisherError`, `UnknownPeerError`.
        """
        found = self.publisher(publisher)
        if not self.declarations.wanted(found.settings):
            write = Write(samples)
            write.written = len(samples)
            return write
        outlet = self.transmission.outlet(found.settings.conduit)
        try:
            return outlet.publish(found, samples, now, lambda rest: self._spill(publisher, rest))
        finally:
            self._collect(outlet, now)

    def unspill(self, publisher: int, samples: Sequence[bytes], now: float) -> int:
        """Write the first samples of those that were laid aside; returns how many were taken, the others stay aside."""
        found = self.publisher(publisher)
        outlet = self.transmission.outlet(found.settings.conduit)
        written = outlet.unspill(found, samples, now)
        if written < len(samples):
            self._spilling.add(publisher)
        self._collect(outlet, now)
        return written

    def spill_ended(self, publisher: int) -> None:
        """Nothing of that publisher is laid aside any more: it writes to the window again."""
        self.publisher(publisher).spilling = False
        self._spilling.discard(publisher)

    def flush(self, now: float) -> None:
        """Send at once what waits for others to share its datagram."""
        for outlet in self.transmission.busy():
            outlet.conduit.flush(now)
            self._collect(outlet, now)

    def subscribe(self, rid: int, handler: Handler, now: float, guard: Guard = ()) -> int:
        """Declare a subscriber; returns its number."""
        subscription = self._subscriptions.add(lambda number: Subscription(number, rid, handler, guard))
        self.declarations.subscribe(subscription, now)
        return subscription.number

    def unsubscribe(self, subscription: int, now: float) -> None:
        """Delete a subscriber. Raises `KeyError` when there is none of that number."""
        self.declarations.unsubscribe(self._subscriptions.remove(subscription), now)

    def close_session(self, reason: str, *, peer_id: bytes | None = None, address: Hashable = None) -> None:
        """End the session with the peer of that id, or at that address. Raises `UnknownPeerError`."""
        self.sessions.close(reason, peer_id=peer_id, address=address)
        self._wake()

    def shutdown(self) -> None:
        """End all sessions: housekeeping tells the peers so."""
        for peer in self.sessions.peers:
            peer.expire("the node shuts down", CloseReason.OK)
        self._wake()

    def admits(self, guard: Guard) -> bool:
        """Whether one sample for each pair of a guard fits into the windows, all at once."""
        needed: defaultdict[Outlet, list[int]] = defaultdict(list)
        for number, octets in guard:
            publisher = self._publishers.get(number)
            if publisher is None or not self.declarations.wanted(publisher.settings):
                continue
            if (outlet := self.transmission.find(publisher.settings.conduit)) is not None:
                needed[outlet].append(publisher.form.size(octets, outlet.conduit.number_octets))
        return all(outlet.has_room(len(sizes), sum(sizes)) for outlet, sizes in needed.items())

    def declare(self, peer: Peer, declarations: Sequence[Declaration], now: float) -> None:
        """Tell one peer, by its own conduit; for those who know the declarations."""
        outlet = self.transmission.outlet(-peer.index - 1)
        messages = [Declare(outlet.conduit.conduit, False, True, 0, (each,)) for each in declarations]
        outlet.write(MESSAGE_FORM, messages, now)
        outlet.conduit.flush(now)
        self._collect(outlet, now)

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

    def _wake(self) -> None:
        self._woken = True

    def _collect(self, outlet: Outlet, now: float) -> None:
        self._outbox += self._dispatch.outgoing(outlet.conduit.take(), now)

    def _spill(self, publisher: int, samples: Sequence[bytes]) -> None:
        self._listener.spill(publisher, samples)
        self._spilling.add(publisher)

    def _tell_of_room(self) -> None:
        """Once each time the window was full."""
        for number in list(self._spilling):
            outlet = self.transmission.find(self.publisher(number).settings.conduit)
            if outlet is None or outlet.has_room(1, 1):
                self._spilling.discard(number)
                self._listener.room(number)
