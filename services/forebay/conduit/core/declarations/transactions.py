"""DECLAREs of peers: committed ones hold at once; others wait for their commit, and then all of them do, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.wire.declarations import (
    BindingDeclaration,
    Commit,
    ForgetPublisher,
    ForgetResource,
    ForgetSelection,
    ForgetSubscriber,
    ForgetToken,
    PublisherDeclaration,
    ResourceDeclaration,
    Result,
    ResultStatus,
    SelectionDeclaration,
    SubscriberDeclaration,
    TokenDeclaration,
)
from forebay.conduit.core.wire.messages import CloseReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.declarations.errands import Errands
    from forebay.conduit.core.declarations.ledger import Forget, Ledger
    from forebay.conduit.core.declarations.peerbook import PeerBook
    from forebay.conduit.core.declarations.settings import DeclarationSettings
    from forebay.conduit.core.wire.declarations import Declaration
    from forebay.conduit.core.wire.messages import Declare


class Transactions:
    """Keeps what waits for a commit, and answers it."""

    def __init__(
        self,
        settings: DeclarationSettings,
        ledger: Ledger,
        errands: Errands,
        answered: Callable[[PeerBook, Result, float], None],
    ) -> None:
        """`answered` is called when a peer answers a commit of the node."""
        self._settings = settings
        self._ledger = ledger
        self._errands = errands
        self._answered = answered

    def receive(self, book: PeerBook, message: Declare, now: float) -> None:
        """Take a DECLARE."""
        for declaration in message.declarations:
            if isinstance(declaration, Result):
                self._answered(book, declaration, now)
            elif isinstance(declaration, Commit):
                self._commit(book, declaration.commit_id, now)
            elif message.committed:
                self._take(book, declaration, now)
            elif len(book.pending) < self._settings.most_pending:
                book.pending.append(_bounded(declaration, self._settings.max_uri))
            else:
                book.overflown = True

    def _take(self, book: PeerBook, declaration: Declaration, now: float) -> None:
        status = self._ledger.take(book, declaration, now, committed=True)
        if status is ResultStatus.CONFLICT:
            reason = f"it has defined resource {_id_of(declaration)} as something else"
            book.peer.expire(reason, CloseReason.INCOMPATIBLE_DECLARATION)

    def _commit(self, book: PeerBook, commit_id: int, now: float) -> None:
        pending, book.pending = book.pending, []
        if book.overflown:
            book.overflown = False
            result = Result(commit_id, ResultStatus.TRANSACTION_SIZE, _id_of(pending[0]))
        else:
            result = self._take_all(book, commit_id, pending, now)
        self._errands.declare(book.peer, [result])

    def _take_all(self, book: PeerBook, commit_id: int, pending: list[Declaration], now: float) -> Result:
        done: list[Forget] = []
        for declaration in pending:
            forget = _undo(book, declaration)
            status = self._ledger.take(book, declaration, now, committed=False)
            if status is not ResultStatus.OK:
                for each in reversed(done):
                    self._ledger.forget(book, each)
                return Result(commit_id, status, _id_of(declaration))
            done += forget
        return Result(commit_id, ResultStatus.OK)


def _bounded(declaration: Declaration, max_uri: int) -> Declaration:
    """The same, but that no more is kept of a URI than tells that it is too long."""
    if isinstance(declaration, (ResourceDeclaration, TokenDeclaration)):
        return declaration._replace(uri=declaration.uri[: max_uri + 1])
    if isinstance(declaration, SelectionDeclaration):
        return declaration._replace(query=declaration.query[: max_uri + 1])
    return declaration


def _undo(book: PeerBook, declaration: Declaration) -> list[Forget]:
    """What takes a declaration back, unless the peer had made it before."""
    match declaration:
        case ResourceDeclaration(rid=rid) if rid not in book.resources:
            return [ForgetResource(rid)]
        case PublisherDeclaration(rid=rid) if rid not in book.publishers:
            return [ForgetPublisher(rid)]
        case SubscriberDeclaration(rid=rid) if rid not in book.subscriptions:
            return [ForgetSubscriber(rid)]
        case SelectionDeclaration(sid=sid) | BindingDeclaration(new=sid) if sid not in book.ids:
            return [ForgetSelection(sid)]
        case TokenDeclaration(token=token) if token not in book.tokens:
            return [ForgetToken(token)]
        case _:
            return []


def _id_of(declaration: Declaration) -> int:
    """The resource or selection that it is about."""
    for name in ("rid", "sid", "new", "token"):
        found: int | None = getattr(declaration, name, None)
        if found is not None:
            return found
    return 0
