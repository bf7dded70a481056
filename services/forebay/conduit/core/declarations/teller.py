"""Tells peers what the node has declared: who comes late gets the history first, and what is fresh after it."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.chronicle import Chronicle
from forebay.conduit.core.wire.declarations import Commit, SubscriberDeclaration
from forebay.conduit.core.wire.extras import needed_for
from forebay.conduit.core.wire.messages import Declare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forebay.conduit.core.declarations.directory import Directory
    from forebay.conduit.core.declarations.errands import Announcer, Errands
    from forebay.conduit.core.declarations.peerbook import PeerBook
    from forebay.conduit.core.declarations.settings import DeclarationSettings
    from forebay.conduit.core.wire.declarations import Declaration

LOOK_AGAIN = 0.005
"""Seconds between two looks whether a late joiner has acknowledged its history."""


class Teller:
    """Each peer reads the chronicle at its own pace: no more of it is sent than the peer's window takes."""

    def __init__(
        self, settings: DeclarationSettings, directory: Directory, announcer: Announcer, errands: Errands
    ) -> None:
        self.chronicle = Chronicle()
        self._settings = settings
        self._directory = directory
        self._books: Mapping[int, PeerBook] = directory.books
        self._announcer = announcer
        self._errands = errands
        self._behind: dict[int, None] = {}
        """Peers that have not been told all."""
        self._catching_up: dict[int, None] = {}
        """Peers that have not acknowledged their history."""

    def add(self, declaration: Declaration) -> int:
        """Something for all peers, now and later; returns its serial."""
        serial = self.chronicle.add(declaration)
        self._behind.update((index, None) for index, book in self._books.items() if book.peer.announced)
        self._errands.do(self.advance)
        return serial

    def remove(self, serial: int, forget: Declaration) -> None:
        """It holds no more: those who have been told are told that too."""
        self.chronicle.remove(serial)
        for book in self._books.values():
            if book.cursor >= serial:
                self._errands.declare(book.peer, [forget])

    def replace(self, serial: int) -> None:
        """What is added next takes its place, also at those who have been told."""
        self.chronicle.remove(serial)

    def welcome(self, book: PeerBook) -> None:
        """A peer that knows nothing yet."""
        self._behind[book.peer.index] = None
        self._catching_up[book.peer.index] = None
        self._errands.do(self.advance)

    def dismiss(self, book: PeerBook) -> None:
        """It is gone."""
        self._behind.pop(book.peer.index, None)
        self._catching_up.pop(book.peer.index, None)

    def due(self, now: float) -> float:
        """When to look again."""
        return now + LOOK_AGAIN if self._catching_up else inf

    def advance(self, now: float) -> None:
        """Go on with those peers that have room."""
        with self._directory.changing:
            self._advance(now)

    def _advance(self, now: float) -> None:
        for index in list(self._behind):
            if self._tell(self._books[index], now):
                del self._behind[index]
        for index in [each for each in self._catching_up if each not in self._behind]:
            book = self._books[index]
            if self._announcer.acknowledged(book.peer):
                book.caught_up = True
                del self._catching_up[index]
                self._directory.changed()

    def _tell(self, book: PeerBook, now: float) -> bool:
        """Whether the peer has been told all there is."""
        while self._announcer.has_room(book.peer):
            entries = self.chronicle.after(book.cursor, self._settings.batch)
            if not entries:
                book.cursor = self.chronicle.last
                return True
            offered = self._announcer.agreement(book.peer).offered
            messages = [self._message(book, entry.declaration) for entry in entries]
            self._announcer.tell(
                book.peer, [message for message in messages if not needed_for(message) & ~offered], now
            )
            book.cursor = entries[-1].serial
        return False

    def _message(self, book: PeerBook, declaration: Declaration) -> Declare:
        if isinstance(declaration, SubscriberDeclaration) and self._may_be_refused(declaration.rid):
            return Declare(0, False, False, 0, (declaration, Commit(book.commit(declaration.rid))))
        return Declare(0, False, True, 0, (declaration,))

    def _may_be_refused(self, rid: int) -> bool:
        resource = self._directory.names.resources.get(rid)
        return resource is not None and resource.meaning.unicast
