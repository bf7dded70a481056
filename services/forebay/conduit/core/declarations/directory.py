"""Who gets what: ids and their meanings, and the subscriptions of the node and of its peers that match them."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.declarations.matching import MatchIndex
from forebay.conduit.core.declarations.names import Names
from forebay.conduit.core.declarations.peerbook import PUSHING
from forebay.conduit.core.declarations.uses import Uses
from forebay.conduit.core.subscribers import Recipients
from forebay.conduit.core.uri.syntax import fault_of
from forebay.conduit.core.wire.declarations import SubscriptionMode
from forebay.conduit.core.wire.messages import Data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forebay.conduit.core.declarations.events import Meaning
    from forebay.conduit.core.declarations.peerbook import PeerBook, RemoteSubscription
    from forebay.conduit.core.subscribers import Subscription
    from forebay.conduit.core.wire.messages import WriteData


class Reach(NamedTuple):
    """Whom the samples of a resource are for."""

    peers: tuple[int, ...]
    """Indexes of the peers that get them as they are written."""
    keeping: tuple[RemoteSubscription, ...]
    """Subscriptions that they are kept for."""
    catching_up: bool
    """Whether one of those peers has not got the last samples that it asked for: fresh ones wait."""
    own: tuple[Subscription, ...]
    """The node's own subscribers that get them as they are written."""
    uri: str
    """What the resource stands for; empty when nobody has defined it."""


MOST_REMEMBERED = 16384
"""Look-ups that are remembered; peers may name as many ids and URIs as they like."""


class Directory:
    """Look-ups are remembered until anything changes. Whoever changes something holds `changing`."""

    def __init__(self, books: Mapping[int, PeerBook]) -> None:
        self.changing = RLock()
        self.names = Names()
        self.uses = Uses()
        self.books = books
        self.places: dict[int, int] = {}
        """Of unicast resources that the node publishes: the peer that has the one place."""
        self._remote: MatchIndex[RemoteSubscription] = MatchIndex()
        self._own: MatchIndex[Subscription] = MatchIndex()
        self._reaches: dict[int | str, Reach] = {}
        self._recipients: dict[object, Recipients] = {}

    def changed(self) -> None:
        """What was looked up may no longer hold."""
        self._reaches = {}
        self._recipients = {}

    def hold(self, owner: int, rid: int, meaning: Meaning, until: float) -> bool:
        """One more defines a resource; whether it is new."""
        new = self.names.resources.hold(owner, rid, meaning, until)
        if new:
            self._remote.defined(rid, meaning.uri)
            self._own.defined(rid, meaning.uri)
            self.changed()
        return new

    def release(self, owner: int, rid: int) -> Meaning | None:
        """One less defines it; what it stood for, if that was the last one."""
        gone = self.names.resources.release(owner, rid)
        if gone is not None:
            self._remote.undefined(rid, gone.uri)
            self._own.undefined(rid, gone.uri)
            self.changed()
        return gone

    def add_remote(self, subscription: RemoteSubscription, uri: str) -> None:
        """A peer subscribes."""
        self._remote.add(subscription, uri, apart=subscription.apart)
        self.changed()

    def remove_remote(self, subscription: RemoteSubscription) -> None:
        """It does no more."""
        self._remote.remove(subscription, self.names.resources.uri(subscription.rid))
        self.changed()

    def add_own(self, subscription: Subscription, uri: str, *, settled: bool = True) -> None:
        """The node subscribes; if its id is not settled, to what matches the URI."""
        self._own.add(subscription, uri, apart=not settled)
        self.changed()

    def remove_own(self, subscription: Subscription) -> None:
        """It does no more."""
        self._own.remove(subscription, self.names.resources.uri(subscription.rid))
        self.changed()

    def subscriptions(self, rid: int, uri: str) -> list[RemoteSubscription]:
        """Those of peers that match."""
        return self._remote.find(rid, uri)

    def reach(self, rid: int, ids: Mapping[int, str]) -> Reach:
        """Whom the node's samples of a resource are for; `ids` are those that the node has declared."""
        reach = self._reaches.get(rid)
        if reach is None:
            with self.changing:
                reach = self._reaches[rid] = self._reached(rid, self.names.uri(rid, ids))
        return reach

    def reach_uri(self, uri: str) -> Reach:
        """Whom samples are for that are written by URI."""
        reach = self._reaches.get(uri)
        if reach is None:
            with self.changing:
                if len(self._reaches) >= MOST_REMEMBERED:
                    self._reaches.clear()
                reach = self._reaches[uri] = self._reached(-1, uri, by_id=False)
        return reach

    def recipients(self, book: PeerBook, sample: Data | WriteData) -> Recipients:
        """The node's own subscribers of a sample of a peer."""
        key = _key(book, sample)
        found = self._recipients.get(key)
        if found is None and not isinstance(sample, Data) and fault_of(sample.uri):
            return Recipients((), 0, sample.uri)
        if found is None:
            with self.changing:
                if len(self._recipients) >= MOST_REMEMBERED:
                    self._recipients.clear()
                found = self._recipients[key] = self._look_up(book, sample)
        return found

    def open(self, book: PeerBook, rid: int) -> None:
        """The peer has given all that the node's subscription of that id asks for at first."""
        if rid not in book.opened and self._own.of(rid):
            with self.changing:
                book.opened.add(rid)
                self.changed()

    def close(self, rid: int) -> None:
        """There is no such subscription any more; the next one of that id asks again."""
        for book in self.books.values():
            book.opened.discard(rid)

    def _reached(self, rid: int, uri: str, *, by_id: bool = True) -> Reach:
        found = self._remote.find(rid, uri)
        if by_id:
            # Who has not read yet what the id stands for would take the sample for nothing.
            found = [each for each in found if _knows(self.books[each.peer.index], each, rid)]
        for place in [self.places[each] for each in (rid, *self.names.resources.exactly(uri)) if each in self.places][
            :1
        ]:
            found = [each for each in found if each.peer.index == place]
        peers = dict.fromkeys(each.peer.index for each in found if each.pushed)
        keeping = tuple(each for each in found if each.keeps)
        catching_up = any(each.catching_up for each in found)
        return Reach(tuple(peers), keeping, catching_up, _pushed(self._own.find(rid, uri)), uri)

    def _look_up(self, book: PeerBook, sample: Data | WriteData) -> Recipients:
        if not isinstance(sample, Data):
            return Recipients(_pushed(self._own.find(-1, sample.uri)), 0, sample.uri)
        if sample.prid is None:
            uri = self.names.uri(sample.rid, book.ids)
            pushed = _pushed(self._own.find(-1 if sample.rid in book.ids else sample.rid, uri))
            ready = tuple(each for each in pushed if not book.holds_back(each.rid, each.history))
            return Recipients(ready, sample.rid, uri)
        if not sample.prid:
            return Recipients((), 0, "")
        kept = tuple(each for each in self._own.of(sample.rid) if _gets_kept(book, each))
        return Recipients(kept, sample.prid, self.names.uri(sample.prid, book.ids))


def _pushed(subscriptions: list[Subscription]) -> tuple[Subscription, ...]:
    return tuple(each for each in subscriptions if each.mode in PUSHING)


def _knows(book: PeerBook, subscription: RemoteSubscription, rid: int) -> bool:
    """Whether the peer knows what an id of the node means."""
    return book.caught_up or (subscription.rid == rid and not subscription.apart)


def _gets_kept(book: PeerBook, subscription: Subscription) -> bool:
    return subscription.mode is not SubscriptionMode.PUSH or book.holds_back(subscription.rid, subscription.history)


def _key(book: PeerBook, sample: Data | WriteData) -> object:
    if not isinstance(sample, Data):
        return sample.uri
    if sample.prid is None and sample.rid not in book.ids and not book.gives_history:
        return sample.rid
    return book.peer, sample.rid, sample.prid
