"""Queries: the node's own, which wait for the answers of peers, and those of peers, which programs answer."""

from __future__ import annotations

from itertools import count
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.errors import NotAgreedError, SampleTooLargeError, TooManyQueriesError
from forebay.conduit.core.uri.index import UriIndex
from forebay.conduit.core.wire.ownmessages import Query, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from forebay.conduit.core.declarations.errands import Errands
    from forebay.conduit.core.declarations.peerbook import PeerBook
    from forebay.conduit.core.session.peer import Peer


class Asked(NamedTuple):
    """A peer's query."""

    peer: Peer
    query: int
    """The peer's own id of it."""
    uri: str
    payload: bytes


class Answered(NamedTuple):
    """An answer to a query of the node, or the end of them."""

    query: int
    peer_id: bytes
    """Who answered; empty at the end."""
    uri: str
    payload: bytes
    final: bool = False
    """No more answers come."""
    unanswered: tuple[bytes, ...] = ()
    """At the end: peers that were asked, and have not said that they are done, or that they could not answer."""


Answers = tuple[tuple[str, bytes], ...]
"""URIs and payloads."""


class _Open:
    """A query that waits for answers."""

    __slots__ = ("awaited", "deadline", "on_reply", "silent")

    def __init__(self, on_reply: Callable[[Answered], None], deadline: float) -> None:
        self.on_reply = on_reply
        self.deadline = deadline
        self.awaited: dict[int, bytes] = {}
        self.silent: list[bytes] = []


class Queryable:
    """A program that answers queries for a URI or pattern."""

    __slots__ = ("answer", "number", "uri")

    def __init__(self, number: int, uri: str, answer: Callable[[Asked], Iterable[tuple[str, bytes]] | None]) -> None:
        self.number = number
        self.uri = uri
        self.answer = answer
        """Returns its answers; None: it gives them later."""


class Queries:
    """Handlers are called by the thread that keeps house."""

    def __init__(self, most_open: int, errands: Errands, books: Mapping[int, PeerBook]) -> None:
        self._most_open = most_open
        self._errands = errands
        self._books = books
        self._open: dict[int, _Open] = {}
        self._numbers = count(1)
        self._queryables: UriIndex[Queryable] = UriIndex()
        self._unfinished: dict[Peer, dict[int, int]] = {}
        """Queries of peers that programs have not finished answering, and how many of these."""

    def add(self, queryable: Queryable) -> None:
        """A program answers from now on."""
        self._queryables.add(queryable.uri, queryable)

    def remove(self, queryable: Queryable) -> None:
        """It does no more."""
        self._queryables.remove(queryable.uri, queryable)

    def ask(self, uri: str, payload: bytes, on_reply: Callable[[Answered], None], deadline: float) -> int:
        """Ask all peers; returns the query's id.

        Raises `NotAgreedError`, `TooManyQueriesError`, `SampleTooLargeError`.
        """
        if len(self._open) >= self._most_open:
            raise TooManyQueriesError(self._most_open)
        number = next(self._numbers)
        query = Query(0, False, 0, number, uri, payload)
        for book in self._books.values():
            self._errands.check(book.peer, query)
        entry = _Open(on_reply, deadline)
        for index, book in self._books.items():
            if self._errands.tell(book.peer, query):
                entry.awaited[index] = book.peer.peer_id
        if self._books and not entry.awaited:
            raise NotAgreedError("Query", "queries")
        self._open[number] = entry
        self._conclude(number, entry)
        return number

    def replied(self, peer: Peer, reply: Reply) -> None:
        """A peer answers."""
        entry = self._open.get(reply.query)
        if entry is None or peer.index not in entry.awaited:
            return
        if reply.final:
            del entry.awaited[peer.index]
            if reply.payload:
                # It says why there is no answer, or not all of it.
                entry.silent.append(peer.peer_id)
            self._conclude(reply.query, entry)
        else:
            answered = Answered(reply.query, peer.peer_id, reply.uri, reply.payload)
            self._errands.do(lambda _: entry.on_reply(answered))

    def asked(self, peer: Peer, query: Query) -> None:
        """A peer asks."""
        self._errands.do(lambda _: self._answer(Asked(peer, query.query, query.uri, query.payload)))

    def answer(self, asked: Asked, answers: Iterable[tuple[str, bytes]]) -> None:
        """A program that had put it off gives its answers. Raises `SampleTooLargeError`."""
        self._give(asked, tuple(answers))
        of_peer = self._unfinished.get(asked.peer, {})
        left = of_peer.get(asked.query, 0) - 1
        if left > 0:
            of_peer[asked.query] = left
        elif of_peer.pop(asked.query, None):
            self._end(asked)

    def dismiss(self, peer: Peer) -> None:
        """A peer is gone: it answers no more, and needs no answers."""
        self._unfinished.pop(peer, None)
        for number, entry in list(self._open.items()):
            if entry.awaited.pop(peer.index, None) is not None:
                entry.silent.append(peer.peer_id)
                self._conclude(number, entry)

    def housekeep(self, now: float) -> None:
        """End those whose time is up."""
        for number, entry in list(self._open.items()):
            if entry.deadline <= now:
                entry.silent += entry.awaited.values()
                entry.awaited.clear()
                self._conclude(number, entry)

    def due(self) -> float:
        """When `housekeep` has something to do."""
        return min((entry.deadline for entry in self._open.values()), default=inf)

    def _conclude(self, number: int, entry: _Open) -> None:
        if not entry.awaited:
            del self._open[number]
            end = Answered(number, b"", "", b"", final=True, unanswered=tuple(entry.silent))
            self._errands.do(lambda _: entry.on_reply(end))

    def _answer(self, asked: Asked) -> None:
        if len(self._unfinished.get(asked.peer, ())) >= self._most_open:
            self._end(asked, f"{self._most_open} of your queries wait for answers: ask again later")
            return
        later, fault = 0, ""
        for queryable in self._queryables.matching(asked.uri):
            answers = queryable.answer(asked)
            if answers is None:
                later += 1
                continue
            try:
                self._give(asked, tuple(answers))
            except SampleTooLargeError as error:
                fault = str(error)
        if later:
            self._unfinished.setdefault(asked.peer, {})[asked.query] = later
        else:
            self._end(asked, fault)

    def _give(self, asked: Asked, answers: Answers) -> None:
        replies = [Reply(0, False, False, 0, asked.query, uri, payload) for uri, payload in answers]
        for reply in replies:
            self._errands.check(asked.peer, reply)
        if replies:
            self._errands.tell(asked.peer, *replies)

    def _end(self, asked: Asked, fault: str = "") -> None:
        self._errands.tell(asked.peer, Reply(0, False, True, 0, asked.query, "", fault.encode()))
