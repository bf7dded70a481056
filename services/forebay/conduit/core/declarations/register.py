"""All declarations that a node knows: its own, and those of its peers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.definer import Definer
from forebay.conduit.core.declarations.directory import Directory
from forebay.conduit.core.declarations.errands import Announcer, Errands
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationEvent, DeclarationKind
from forebay.conduit.core.declarations.histories import Histories
from forebay.conduit.core.declarations.keeping import Keeper
from forebay.conduit.core.declarations.ledger import Ledger
from forebay.conduit.core.declarations.own import OwnDeclarations
from forebay.conduit.core.declarations.peerbook import LATE_COMMIT, SUBSCRIPTION_COMMITS, PeerBook
from forebay.conduit.core.declarations.places import Places
from forebay.conduit.core.declarations.queries import Queries
from forebay.conduit.core.declarations.teller import Teller
from forebay.conduit.core.declarations.transactions import Transactions
from forebay.conduit.core.declarations.unnamed import Unnamed
from forebay.conduit.core.wire.declarations import ResultStatus
from forebay.conduit.core.wire.extras import Extra
from forebay.conduit.core.wire.messages import Data, Declare
from forebay.conduit.core.wire.ownmessages import Pull, Query, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from forebay.conduit.core.conduits.publisher import PublisherSettings
    from forebay.conduit.core.declarations.definitions import Definition
    from forebay.conduit.core.declarations.directory import Reach
    from forebay.conduit.core.declarations.settings import DeclarationSettings
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.subscribers import Recipients, Subscription
    from forebay.conduit.core.wire.declarations import Result
    from forebay.conduit.core.wire.messages import NumberedMessage, WriteData


class Register:
    """`receive`, `recipients` and `route` may be called by any thread, the rest by the one that keeps house.

    What is received changes the books at once; what follows from it - answers, events, further tries - is left to
    `housekeep`.
    """

    def __init__(self, own_id: bytes, settings: DeclarationSettings, random: Random, announcer: Announcer) -> None:
        self._announcer = announcer
        self.errands = Errands(announcer)
        self.books: dict[int, PeerBook] = {}
        """By the index of the peer."""
        self.directory = Directory(self.books)
        self.teller = Teller(settings, self.directory, announcer, self.errands)
        self.own = OwnDeclarations(self.directory, self.teller, self.errands)
        self.definer = Definer(own_id, settings, random, self.directory, self.errands, self._settled)
        self.own.definer = self.definer
        self.keeper = Keeper(settings.kept_octets, self.errands)
        self.places = Places(self.directory, self.errands, announcer)
        self.histories = Histories(settings.history_octets, self.directory, self.errands, announcer)
        self.unnamed = Unnamed(settings, self.own, self._kept_ids, self._keep_named)
        self.queries = Queries(settings.most_queries, self.errands, self.books)
        self._ledger = Ledger(
            settings, self.directory, self.definer, self.keeper, self.histories, self.errands, self.places
        )
        self._transactions = Transactions(settings, self._ledger, self.errands, self._answered)
        self.changing = self.directory.changing
        """Held by whoever changes something."""

    def welcome(self, peer: Peer, now: float) -> None:
        """A session was established: the peer is told what there is."""
        with self.changing:
            book = self._book(peer)
            self.teller.welcome(book)
            self.definer.welcome(peer, now)
        self.errands.run(now)

    def dismiss(self, peer: Peer) -> None:
        """The session has ended: what the peer declared is void."""
        with self.changing:
            book = self.books.get(peer.index)
            if book is None or book.peer is not peer:
                return
            self._ledger.dismiss(book)
            del self.books[peer.index]
            self.teller.dismiss(book)
            self.definer.dismiss(peer)
            self.queries.dismiss(peer)

    def publish(self, settings: PublisherSettings, now: float) -> None:
        """The node has a publisher."""
        with self.changing:
            self.own.publish(settings)
            self.histories.publish(settings)
            self.places.open(settings.rid, now)
        self.errands.run(now)

    def unpublish(self, settings: PublisherSettings, now: float) -> None:
        """It has it no more."""
        with self.changing:
            self.own.unpublish(settings)
            self.histories.unpublish(settings)
            if settings.rid not in self.own.published:
                self.places.close(settings.rid)
        self.errands.run(now)

    def subscribe(self, subscription: Subscription, now: float) -> None:
        """The node has a subscriber. Raises `SettingError`."""
        with self.changing:
            self.own.subscribe(subscription)
        self.errands.run(now)

    def expect(self, subscription: Subscription, uri: str) -> None:
        """The node has a subscriber that peers are not told of yet."""
        with self.changing:
            self.directory.add_own(subscription, uri, settled=False)

    def settle(self, expected: Subscription, subscription: Subscription, now: float) -> None:
        """Now they are told of it."""
        with self.changing:
            self.directory.remove_own(expected)
            self.own.subscribe(subscription)
        self.errands.run(now)

    def expect_no_more(self, subscription: Subscription) -> None:
        """It is gone before they were told."""
        with self.changing:
            self.directory.remove_own(subscription)

    def unsubscribe(self, subscription: Subscription, now: float) -> None:
        """It has it no more."""
        with self.changing:
            self.own.unsubscribe(subscription)
        self.errands.run(now)

    def agrees(self, peer: Peer, message: NumberedMessage) -> bool:
        """Whether such a message was agreed on with the peer."""
        return self.errands.agrees(peer, message)

    def receive(self, peer: Peer, message: NumberedMessage, now: float) -> bool:
        """Any message but a sample. Whether it was taken: if not, it comes again."""
        with self.changing:
            book = self._book(peer)
            match message:
                case Declare():
                    self._transactions.receive(book, message, now)
                case Pull(rid=rid, limit=limit, final=final):
                    self._pulled(book, rid, limit, now, final=final)
                case Query():
                    self.queries.asked(peer, message)
                case Reply():
                    self.queries.replied(peer, message)
                case _:
                    pass
        return True

    def housekeep(self, now: float) -> None:
        """Do what is due, and what follows from what was received."""
        with self.changing:
            self.definer.housekeep(now)
            self.keeper.housekeep(now)
            self.queries.housekeep(now)
            self.teller.advance(now)
            self.histories.housekeep(now)
        self.errands.run(now)

    def due(self, now: float) -> float:
        """When `housekeep` has something to do."""
        with self.changing:
            return min(
                self.definer.due(),
                self.keeper.due(now),
                self.queries.due(),
                self.teller.due(now),
                self.histories.due(now),
            )

    def recipients(self, peer: Peer, sample: Data | WriteData) -> Recipients:
        """The node's own subscribers of a sample."""
        book = self._book(peer)
        if isinstance(sample, Data) and sample.prid == 0:
            self.directory.open(book, sample.rid)
        return self.directory.recipients(book, sample)

    def route(self, settings: PublisherSettings) -> int | None:
        """The conduit for the samples of a publisher; None: no peer gets them now."""
        peers = self.own.reach(settings.rid).peers
        if not peers:
            return None
        if settings.conduit < 0:
            return settings.conduit if -settings.conduit - 1 in peers else None
        if self.own.is_unicast(settings.rid) or (settings.switching and len(peers) == 1):
            return -peers[0] - 1
        return settings.conduit

    def keep(self, reach: Reach, rid: int, samples: Sequence[bytes], now: float) -> None:
        """Samples were written: keep them for those who get them later."""
        if reach.keeping:
            with self.changing:
                self.keeper.keep(reach.keeping, rid, samples, now)
            self.errands.run(now)

    def keep_uri(self, reach: Reach, uri: str, samples: Sequence[bytes], now: float) -> None:
        """The same of a URI. Kept samples tell their resource by its id: one without an id is defined for that."""
        if not reach.keeping:
            return
        with self.changing:
            rid = self.unnamed.keep(uri, samples, now)
        if rid is not None:
            self.keep(reach, rid, samples, now)
        else:
            self.errands.run(now)

    def subscribers(self, rid: int) -> set[int]:
        """The slots of the peers that get samples of a resource as they are written."""
        return set(self.own.reach(rid).peers)

    def _keep_named(self, uri: str, rid: int, samples: Sequence[bytes], now: float) -> None:
        self.keep(self.directory.reach_uri(uri), rid, samples, now)

    def _kept_ids(self) -> set[int]:
        """The resources that samples are kept of, for subscribers of peers."""
        subscriptions = [each for book in self.books.values() for each in book.subscriptions.values() if each.keeps]
        return {rid for subscription in subscriptions for rid, _ in subscription.kept}

    def _book(self, peer: Peer) -> PeerBook:
        """A peer may say something before housekeeping has welcomed it."""
        book = self.books.get(peer.index)
        if book is None or book.peer is not peer:
            with self.changing:
                book = self.books[peer.index] = PeerBook(
                    peer, gives_history=Extra.HISTORY in self._announcer.agreement(peer).offered
                )
        return book

    def _pulled(self, book: PeerBook, rid: int, limit: int | None, now: float, *, final: bool) -> None:
        subscription = book.subscriptions.get(rid)
        if subscription is None:
            return
        if final:
            subscription.kept.clear()
        self.keeper.pull(subscription, limit, now)

    def _settled(self, definition: Definition) -> None:
        self.own.settled(definition)
        self.errands.do(lambda now: self.places.settle([definition.rid], now))

    def _answered(self, book: PeerBook, result: Result, now: float) -> None:
        if result.commit_id < SUBSCRIPTION_COMMITS:
            self.definer.result(book.peer, result.commit_id, result.status, now)
            return
        late = result.commit_id == LATE_COMMIT
        rid = result.rid if late else book.commits.pop(result.commit_id, None)
        if rid is None or result.status == ResultStatus.OK:
            return
        withdrawn = result.status == ResultStatus.OTHER and self.own.withdraw(rid)
        if withdrawn or not late:
            self._refused(book, rid, result.status)

    def _refused(self, book: PeerBook, rid: int, status: int) -> None:
        uri, peer = self.directory.names.resources.uri(rid), f"peer {book.peer.peer_id.hex()}"
        reason = f"{peer} answered with status {status}"
        if status == ResultStatus.OTHER:
            reason = f"{peer} has another subscriber for this unicast resource"
        self.errands.note(
            DeclarationEvent(DeclarationChange.REFUSED, DeclarationKind.SUBSCRIBER, b"", rid, uri, reason)
        )
