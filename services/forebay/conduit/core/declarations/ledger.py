"""Takes the declarations of peers into the books, or says why not."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, TypeAlias

from forebay.conduit.core.declarations.events import (
    DeclarationChange,
    DeclarationEvent,
    DeclarationKind,
    Meaning,
)
from forebay.conduit.core.declarations.peerbook import PeerBook, RemoteSubscription
from forebay.conduit.core.declarations.quality import contradict, together, told_by
from forebay.conduit.core.declarations.uses import Use
from forebay.conduit.core.uri.syntax import fault_of
from forebay.conduit.core.wire.declarations import (
    BindingDeclaration,
    ForgetPublisher,
    ForgetResource,
    ForgetSelection,
    ForgetSubscriber,
    ForgetToken,
    PublisherDeclaration,
    ResourceDeclaration,
    ResultStatus,
    SelectionDeclaration,
    SubscriberDeclaration,
    SubscriptionMode,
    TokenDeclaration,
)
from forebay.conduit.core.wire.extras import history_of, is_unicast

if TYPE_CHECKING:
    from forebay.conduit.core.declarations.definer import Definer
    from forebay.conduit.core.declarations.directory import Directory
    from forebay.conduit.core.declarations.errands import Errands
    from forebay.conduit.core.declarations.histories import Histories
    from forebay.conduit.core.declarations.keeping import Keeper
    from forebay.conduit.core.declarations.places import Places
    from forebay.conduit.core.declarations.settings import DeclarationSettings
    from forebay.conduit.core.wire.declarations import Declaration

DECLARING = (
    ResourceDeclaration
    | PublisherDeclaration
    | SubscriberDeclaration
    | SelectionDeclaration
    | BindingDeclaration
    | TokenDeclaration
)
Forget: TypeAlias = ForgetResource | ForgetPublisher | ForgetSubscriber | ForgetSelection | ForgetToken
_MODES = frozenset(SubscriptionMode)


class Ledger:
    """One declaration at a time. What was forgotten already may be forgotten once more."""

    def __init__(
        self,
        settings: DeclarationSettings,
        directory: Directory,
        definer: Definer,
        keeper: Keeper,
        histories: Histories,
        errands: Errands,
        places: Places,
    ) -> None:
        self._settings = settings
        self._directory = directory
        self._definer = definer
        self._keeper = keeper
        self._histories = histories
        self._errands = errands
        self._places = places

    def take(self, book: PeerBook, declaration: Declaration, now: float, *, committed: bool) -> ResultStatus:
        """Take one declaration; `committed`: the peer does not ask."""
        if isinstance(declaration, DECLARING) and len(book) >= self._settings.most_declarations:
            return ResultStatus.NO_SPACE
        match declaration:
            case ResourceDeclaration():
                return self._resource(book, declaration, now, committed=committed)
            case PublisherDeclaration():
                return self._publisher(book, declaration)
            case SubscriberDeclaration():
                return self._subscriber(book, declaration, now, committed=committed)
            case SelectionDeclaration(sid=sid, query=query, globally=globally):
                return self._selection(book, sid, query, globally=globally)
            case BindingDeclaration(old=old, new=new, globally=globally):
                return self._selection(book, new, self._directory.names.uri(old, book.ids), globally=globally)
            case TokenDeclaration(token=token, uri=uri):
                return self._token(book, token, uri)
            case ForgetResource() | ForgetPublisher() | ForgetSubscriber() | ForgetSelection() | ForgetToken():
                self.forget(book, declaration)
                return ResultStatus.OK
            case _:
                return ResultStatus.UNSUPPORTED

    def forget(self, book: PeerBook, declaration: Forget) -> None:
        """Take one back."""
        match declaration:
            case ForgetResource(rid=rid):
                self._forget_resource(book, rid)
            case ForgetPublisher(rid=rid):
                self._forget_publisher(book, rid)
            case ForgetSubscriber(rid=rid):
                self._forget_subscriber(book, rid)
            case ForgetSelection(sid=sid):
                self._forget_selection(book, sid)
            case ForgetToken(token=token):
                self._forget_token(book, token)

    def dismiss(self, book: PeerBook) -> None:
        """All that a peer has declared is void: as much work as that is, whatever others have declared."""
        for rid in list(book.subscriptions):
            self._forget_subscriber(book, rid)
        for rid in list(book.publishers):
            self._forget_publisher(book, rid)
        for sid in list(book.ids):
            self._forget_selection(book, sid)
        for rid in list(book.resources):
            self._forget_resource(book, rid)
        for token in list(book.tokens):
            self._forget_token(book, token)

    def _resource(
        self, book: PeerBook, declaration: ResourceDeclaration, now: float, *, committed: bool
    ) -> ResultStatus:
        rid, told = declaration.rid, told_by(declaration.properties)
        if rid <= 0 or told is None or fault_of(declaration.uri, self._settings.max_uri):
            return ResultStatus.INVALID
        meaning = Meaning(declaration.uri, told, is_unicast(declaration.properties))
        if not self._definer.rival(book.peer, rid, now, final=committed):
            return ResultStatus.AGAIN
        used = self._directory.uses.contradiction(rid, told)
        if used is not None:
            self._conflict(book, rid, Meaning(self._directory.names.resources.uri(rid), used), meaning)
            if not committed:
                return ResultStatus.CONFLICT
            meaning = meaning._replace(told=together(used, told))
        known = self._directory.names.resources.get(rid)
        if known is not None and not known.agrees(meaning):
            if known.tentative(now) and not committed:
                return ResultStatus.AGAIN
            if used is None:
                self._conflict(book, rid, known.meaning, meaning)
            if not committed:
                return ResultStatus.CONFLICT
            if known.meaning.uri != meaning.uri:
                return self._keep_apart(book, rid, meaning.uri)
        self._hold(book, rid, meaning, -inf if committed else now + self._settings.tentative_for)
        return ResultStatus.OK

    def _keep_apart(self, book: PeerBook, rid: int, uri: str) -> ResultStatus:
        """It was defined before they met: with each node it stands for what that one says. A zhe program parts."""
        if not self._errands.knows_selections(book.peer):
            return ResultStatus.CONFLICT
        if rid not in book.ids:
            self._tell(DeclarationChange.DECLARED, DeclarationKind.RESOURCE, book, rid, uri)
        book.ids[rid] = uri
        self._directory.changed()
        subscription = book.subscriptions.get(rid)
        if subscription is not None and not subscription.apart:
            self._directory.remove_remote(subscription)
            subscription.apart = True
            self._directory.add_remote(subscription, uri)
        return ResultStatus.OK

    def _hold(self, book: PeerBook, rid: int, meaning: Meaning, until: float) -> None:
        self._directory.hold(book.peer.index, rid, meaning, until)
        self._errands.do(lambda now: self._places.settle([rid], now))
        if rid not in book.resources:
            book.resources.add(rid)
            self._tell(DeclarationChange.DECLARED, DeclarationKind.RESOURCE, book, rid, meaning.uri)

    def _publisher(self, book: PeerBook, declaration: PublisherDeclaration) -> ResultStatus:
        rid, told = declaration.rid, told_by(declaration.properties)
        uri = self._directory.names.uri(rid, book.ids)
        if told is None or (rid < 0 and not uri):
            return ResultStatus.INVALID
        self._use(book, DeclarationKind.PUBLISHER, rid, Meaning(uri, told))
        if rid not in book.publishers:
            self._tell(DeclarationChange.DECLARED, DeclarationKind.PUBLISHER, book, rid, uri)
        book.publishers[rid] = told
        return ResultStatus.OK

    def _subscriber(
        self, book: PeerBook, declaration: SubscriberDeclaration, now: float, *, committed: bool
    ) -> ResultStatus:
        rid, told = declaration.rid, told_by(declaration.properties)
        uri = self._directory.names.uri(rid, book.ids)
        if told is None or declaration.mode not in _MODES or (rid < 0 and not uri):
            return ResultStatus.INVALID
        mode, period, history = declaration.mode, declaration.period, history_of(declaration.properties)
        kept = self._settings.kept_samples
        subscription = RemoteSubscription(book.peer, rid, mode, period, told, now, kept, history)
        subscription.apart = rid >= 0 and rid in book.ids
        holder = None if subscription.apart else self._places.holder(subscription, uri, now)
        if holder is not None:
            self._places.refuse(rid, uri, subscription, holder, told=not committed)
            return ResultStatus.OTHER
        again = book.subscriptions.get(rid)
        if again is not None:
            self._remove(book, again)
        book.subscriptions[rid] = subscription
        self._use(book, DeclarationKind.SUBSCRIBER, rid, Meaning(uri, told))
        self._histories.begin(subscription, again)
        self._directory.add_remote(subscription, uri)
        self._places.changed(rid, uri, now)
        if again is None:
            self._tell(DeclarationChange.DECLARED, DeclarationKind.SUBSCRIBER, book, rid, uri)
        return ResultStatus.OK

    def _selection(self, book: PeerBook, sid: int, query: str, *, globally: bool) -> ResultStatus:
        if not query or fault_of(query, self._settings.max_uri) or book.ids.get(sid, query) != query:
            return ResultStatus.INVALID
        if sid in book.ids:
            return ResultStatus.OK
        book.ids[sid] = query
        if globally:
            book.globals.add(sid)
            self._directory.names.share(sid, query)
        self._directory.changed()
        self._tell(DeclarationChange.DECLARED, DeclarationKind.SELECTION, book, sid, query)
        return ResultStatus.OK

    def _token(self, book: PeerBook, token: int, uri: str) -> ResultStatus:
        if fault_of(uri, self._settings.max_uri) or book.tokens.get(token, uri) != uri:
            return ResultStatus.INVALID
        if token not in book.tokens:
            book.tokens[token] = uri
            self._tell(DeclarationChange.DECLARED, DeclarationKind.LIVELINESS, book, token, uri)
        return ResultStatus.OK

    def _forget_token(self, book: PeerBook, token: int) -> None:
        uri = book.tokens.pop(token, None)
        if uri is not None:
            self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.LIVELINESS, book, token, uri)

    def _forget_resource(self, book: PeerBook, rid: int) -> None:
        if rid in book.ids:
            self._forget_selection(book, rid)
        elif rid in book.resources:
            book.resources.discard(rid)
            uri = self._directory.names.resources.uri(rid)
            self._directory.release(book.peer.index, rid)
            self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.RESOURCE, book, rid, uri)

    def _forget_publisher(self, book: PeerBook, rid: int) -> None:
        if book.publishers.pop(rid, None) is not None:
            self._directory.uses.remove(rid, Use(book.peer.index, DeclarationKind.PUBLISHER))
            uri = self._directory.names.uri(rid, book.ids)
            self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.PUBLISHER, book, rid, uri)

    def _forget_subscriber(self, book: PeerBook, rid: int) -> None:
        subscription = book.subscriptions.pop(rid, None)
        if subscription is not None:
            uri = self._directory.names.uri(rid, book.ids)
            self._remove(book, subscription)
            self._errands.do(lambda now: self._places.changed(rid, uri, now))
            self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.SUBSCRIBER, book, rid, uri)

    def _remove(self, book: PeerBook, subscription: RemoteSubscription) -> None:
        self._directory.uses.remove(subscription.rid, Use(book.peer.index, DeclarationKind.SUBSCRIBER))
        self._directory.remove_remote(subscription)
        self._keeper.forget(subscription)
        self._histories.forget(subscription)

    def _forget_selection(self, book: PeerBook, sid: int) -> None:
        query = book.ids.pop(sid, None)
        if query is None:
            return
        if sid in book.globals:
            book.globals.discard(sid)
            self._directory.names.unshare(sid, query)
        self._directory.changed()
        kind = DeclarationKind.RESOURCE if sid >= 0 else DeclarationKind.SELECTION
        self._tell(DeclarationChange.FORGOTTEN, kind, book, sid, query)

    def _use(self, book: PeerBook, kind: DeclarationKind, rid: int, use: Meaning) -> None:
        """Who uses a resource otherwise than it was defined is told of; the definition stays."""
        if rid >= 0 and rid in book.ids:
            return
        self._directory.uses.add(rid, Use(book.peer.index, kind), use.told)
        known = self._directory.names.resources.get(rid)
        if known is not None and contradict(known.meaning.told, use.told):
            self._conflict(book, rid, known.meaning, use)

    def _conflict(self, book: PeerBook, rid: int, first: Meaning, second: Meaning) -> None:
        reason = "it contradicts what was declared before, which stays"
        change, kind, peer = DeclarationChange.CONFLICT, DeclarationKind.RESOURCE, book.peer.peer_id
        self._errands.note(DeclarationEvent(change, kind, peer, rid, second.uri, reason, first, second))

    def _tell(
        self, change: DeclarationChange, kind: DeclarationKind, book: PeerBook, rid: int, uri: str, reason: str = ""
    ) -> None:
        self._errands.note(DeclarationEvent(change, kind, book.peer.peer_id, rid, uri, reason))
