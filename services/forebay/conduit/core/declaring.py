"""What a node has to know of declarations, and the least of it: resources, publishers and subscribers that push."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from forebay.conduit.core.wire.declarations import (
    ForgetPublisher,
    ForgetResource,
    ForgetSubscriber,
    PublisherDeclaration,
    ResourceDeclaration,
    SubscriberDeclaration,
)
from forebay.conduit.core.wire.messages import Data, Declare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.publisher import PublisherSettings
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.subscribers import Subscription
    from forebay.conduit.core.wire.declarations import Declaration
    from forebay.conduit.core.wire.messages import NumberedMessage, WriteData


class Announcer(Protocol):
    """Sends declarations."""

    def declare(self, peer: Peer, declarations: Sequence[Declaration], now: float) -> None:
        """Tell one peer, by its own conduit, in order after all that it was told before."""
        ...


class Declarations(Protocol):
    """All declarations that a node knows: its own, and those of its peers.

    `welcome`, `dismiss` and the four for the node's own are called by the thread that keeps house, the rest by any.
    """

    def welcome(self, peer: Peer, now: float) -> None:
        """A session was established: the peer is told what there is."""
        ...

    def dismiss(self, peer: Peer) -> None:
        """The session has ended: what the peer declared is void."""
        ...

    def publish(self, settings: PublisherSettings, now: float) -> None:
        """The node has a publisher."""
        ...

    def unpublish(self, settings: PublisherSettings, now: float) -> None:
        """It has it no more."""
        ...

    def subscribe(self, subscription: Subscription, now: float) -> None:
        """The node has a subscriber."""
        ...

    def unsubscribe(self, subscription: Subscription, now: float) -> None:
        """It has it no more."""
        ...

    def wanted(self, settings: PublisherSettings) -> bool:
        """Whether any peer that the publisher reaches subscribes to what it publishes."""
        ...

    def recipients(self, sample: Data | WriteData) -> Sequence[Subscription]:
        """The node's own subscribers of a sample."""
        ...

    def receive(self, peer: Peer, message: NumberedMessage, now: float) -> bool:
        """Any message but a sample. Whether it was taken: if not, it comes again."""
        ...


class PlainDeclarations:
    """Declarations by resource id alone, each valid at once."""

    def __init__(self, announcer: Announcer) -> None:
        self._announcer = announcer
        self._peers: list[Peer] = []
        self._published: list[int] = []
        self._subscriptions: dict[int, tuple[Subscription, ...]] = {}
        self._wanted: dict[int, set[int]] = {}
        self.resources: dict[int, str] = {}
        """URIs by id, as peers declared them."""

    def subscribers(self, rid: int) -> set[int]:
        """The slots of the peers that subscribe to a resource."""
        return self._wanted.get(rid, set())

    def welcome(self, peer: Peer, now: float) -> None:  # noqa: D102
        self._peers.append(peer)
        known: list[Declaration] = [PublisherDeclaration(rid) for rid in self._published]
        known += [SubscriberDeclaration(rid) for rid in self._subscriptions]
        if known:
            self._announcer.declare(peer, known, now)

    def dismiss(self, peer: Peer) -> None:  # noqa: D102
        self._peers.remove(peer)
        for peers in self._wanted.values():
            peers.discard(peer.index)

    def publish(self, settings: PublisherSettings, now: float) -> None:  # noqa: D102
        self._published.append(settings.rid)
        if self._published.count(settings.rid) == 1:
            self._tell(PublisherDeclaration(settings.rid), now)

    def unpublish(self, settings: PublisherSettings, now: float) -> None:  # noqa: D102
        self._published.remove(settings.rid)
        if settings.rid not in self._published:
            self._tell(ForgetPublisher(settings.rid), now)

    def subscribe(self, subscription: Subscription, now: float) -> None:  # noqa: D102
        others = self._subscriptions.get(subscription.rid, ())
        self._subscriptions[subscription.rid] = (*others, subscription)
        if not others:
            self._tell(SubscriberDeclaration(subscription.rid), now)

    def unsubscribe(self, subscription: Subscription, now: float) -> None:  # noqa: D102
        rest = tuple(each for each in self._subscriptions.pop(subscription.rid) if each is not subscription)
        if rest:
            self._subscriptions[subscription.rid] = rest
        else:
            self._tell(ForgetSubscriber(subscription.rid), now)

    def wanted(self, settings: PublisherSettings) -> bool:  # noqa: D102
        peers = self.subscribers(settings.rid)
        return bool(peers) if settings.conduit >= 0 else -settings.conduit - 1 in peers

    def recipients(self, sample: Data | WriteData) -> Sequence[Subscription]:  # noqa: D102
        return self._subscriptions.get(sample.rid, ()) if isinstance(sample, Data) else ()

    def receive(self, peer: Peer, message: NumberedMessage, now: float) -> bool:  # noqa: D102
        if isinstance(message, Declare):
            for declaration in message.declarations:
                self._apply(peer, declaration)
        return True

    def _apply(self, peer: Peer, declaration: Declaration) -> None:
        match declaration:
            case SubscriberDeclaration(rid=rid):
                self._wanted.setdefault(rid, set()).add(peer.index)
            case ForgetSubscriber(rid=rid):
                self._wanted.get(rid, set()).discard(peer.index)
            case ResourceDeclaration(rid=rid, uri=uri):
                self.resources[rid] = uri
            case ForgetResource(rid=rid):
                self.resources.pop(rid, None)
            case _:
                pass

    def _tell(self, declaration: Declaration, now: float) -> None:
        for peer in self._peers:
            self._announcer.declare(peer, [declaration], now)
