"""Defines resources: asks all peers at once, and tries again after another node was at the same resource.

Of two that are at it, the lowest peer id wins; the other one takes back what it asked for, waits, and tries again. It
then finds that it agrees with the winner, or, if the node chose the id, takes another one, or else is in conflict.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.events import (
    DeclarationChange,
    DeclarationEvent,
    DeclarationKind,
    Meaning,
)
from forebay.conduit.core.declarations.resources import OWN
from forebay.conduit.core.wire.declarations import Commit, ForgetResource, ResultStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random

    from forebay.conduit.core.declarations.definitions import Definition
    from forebay.conduit.core.declarations.directory import Directory
    from forebay.conduit.core.declarations.errands import Errands
    from forebay.conduit.core.declarations.settings import DeclarationSettings
    from forebay.conduit.core.session.peer import Peer

COMMITS = 128
"""Transactions that are under way at once at most, by their ids."""
LEFT_OVER = 64
"""Times that no longer hold are dropped once they are so many more than those that do."""
MOST_TRIES_ELSEWHERE = 64
"""Ids that the node tries when peers have defined one after the other as something else."""


class Definer:
    """All definitions of the node that are not settled."""

    def __init__(
        self,
        own_id: bytes,
        settings: DeclarationSettings,
        random: Random,
        directory: Directory,
        errands: Errands,
        settled: Callable[[Definition], None],
    ) -> None:
        self._own_id = own_id
        self._settings = settings
        self._random = random
        self._directory = directory
        self._errands = errands
        self._settled = settled
        self._next_commit = 0
        self._order = count()
        self._asking: dict[int, Definition] = {}
        """By commit id."""
        self._trying: dict[Definition, None] = {}
        """All that have no status."""
        self._by_rid: dict[int, Definition] = {}
        """Of these the first one of each id."""
        self._queued: dict[Definition, None] = {}
        """Those that wait for the id of a transaction."""
        self._due: list[tuple[float, int, Definition]] = []
        """When there is something to do for each; a heap, with times that no longer hold."""

    def begin(self, definition: Definition, now: float) -> None:
        """Define a resource."""
        self._trying[definition] = None
        self._attempt(definition, now)

    def give_up(self, definition: Definition) -> None:
        """Nobody wants it any more."""
        self._withdraw(definition)
        self._stop_trying(definition)

    def result(self, peer: Peer, commit_id: int, status: int, now: float) -> None:
        """A peer has answered."""
        definition = self._asking.get(commit_id)
        if definition is None or peer.index not in definition.awaited:
            return
        if status == ResultStatus.OK:
            definition.awaited.discard(peer.index)
            self._conclude(definition)
        elif status == ResultStatus.AGAIN:
            self._lose(definition, now)
        elif status == ResultStatus.CONFLICT and self._elsewhere(definition):
            self._withdraw(definition)
            self._attempt(definition, now)
        else:
            known = ResultStatus(status) if status in set(ResultStatus) else ResultStatus.OTHER
            self._fail(definition, known, f"peer {peer.peer_id.hex()} answered {known.name}")

    def rival(self, peer: Peer, rid: int, now: float, *, final: bool) -> bool:
        """A peer defines a resource too; whether it may. `final`: it does not ask."""
        definition = self._by_rid.get(rid)
        if definition is None:
            return True
        if not final and peer.peer_id > self._own_id:
            return False
        if definition.asking:
            self._lose(definition, now)
        return True

    def welcome(self, peer: Peer, now: float) -> None:
        """One more to ask."""
        for definition in list(self._asking.values()):
            self._ask(definition, peer)

    def dismiss(self, peer: Peer) -> None:
        """One less."""
        for definition in list(self._asking.values()):
            definition.asked.pop(peer.index, None)
            definition.awaited.discard(peer.index)
            self._conclude(definition)

    def housekeep(self, now: float) -> None:
        """Try again what has waited long enough, and give up on peers that do not answer."""
        while self.due() <= now:
            _, _, definition = heappop(self._due)
            if definition.asking:
                silent = ", ".join(definition.asked[index].peer_id.hex() for index in definition.awaited)
                self._fail(definition, ResultStatus.OTHER, f"no answer came from {silent}")
            else:
                self._attempt(definition, now)

    def due(self) -> float:
        """When `housekeep` has something to do."""
        due = self._due
        while due and (due[0][2].due != due[0][0] or due[0][2] not in self._trying):
            heappop(due)
        return due[0][0] if due else inf

    def _attempt(self, definition: Definition, now: float) -> None:
        if len(self._asking) >= COMMITS:
            self._queued[definition] = None
            definition.retry_at = inf
            return
        resources, meaning = self._directory.names.resources, definition.meaning
        if definition.chosen:
            self._unlist(definition)
            definition.rid = resources.choose(meaning.uri, definition.elsewhere)
        self._by_rid.setdefault(definition.rid, definition)
        used = self._directory.uses.contradiction(definition.rid, meaning.told)
        if used is not None:
            self._conflict(definition, Meaning(resources.uri(definition.rid), used))
            return
        known = resources.get(definition.rid)
        if known is not None and not known.agrees(meaning):
            if known.tentative(now):
                self._wait(definition, now)
            else:
                self._conflict(definition, known.meaning)
            return
        self._directory.hold(OWN, definition.rid, meaning, inf)
        self._ask_all(definition, now)

    def _ask_all(self, definition: Definition, now: float) -> None:
        while self._next_commit in self._asking:
            self._next_commit = (self._next_commit + 1) % COMMITS
        definition.commit_id = self._next_commit
        self._next_commit = (self._next_commit + 1) % COMMITS
        definition.deadline = now + self._settings.answer_within
        self._schedule(definition)
        self._asking[definition.commit_id] = definition
        for book in self._directory.books.values():
            if book.peer.announced:
                self._ask(definition, book.peer)
        self._conclude(definition)

    def _ask(self, definition: Definition, peer: Peer) -> None:
        definition.asked[peer.index] = peer
        definition.awaited.add(peer.index)
        self._errands.declare(peer, (definition.declaration(), Commit(definition.commit_id)), committed=False)

    def _conclude(self, definition: Definition) -> None:
        if definition.awaited:
            return
        self._forget_commit(definition)
        self._directory.hold(OWN, definition.rid, definition.meaning, -inf)
        self._settle(definition, ResultStatus.OK)

    def _lose(self, definition: Definition, now: float) -> None:
        self._withdraw(definition)
        self._wait(definition, now)

    def _wait(self, definition: Definition, now: float) -> None:
        settings = self._settings
        definition.tries += 1
        pause = min(settings.retry_first * 2 ** min(definition.tries - 1, 16), settings.retry_longest)
        definition.retry_at = now + pause * (0.5 + self._random.random())
        self._schedule(definition)

    def _schedule(self, definition: Definition) -> None:
        if len(self._due) > 2 * len(self._trying) + LEFT_OVER:
            self._due = [each for each in self._due if each[2].due == each[0] and each[2] in self._trying]
            heapify(self._due)
        heappush(self._due, (definition.due, next(self._order), definition))
        self._errands.wake()

    def _go_on(self, now: float) -> None:
        """An id of a transaction is free again."""
        with self._directory.changing:
            while self._queued and len(self._asking) < COMMITS:
                definition = next(iter(self._queued))
                del self._queued[definition]
                self._attempt(definition, now)

    def _stop_trying(self, definition: Definition) -> None:
        self._trying.pop(definition, None)
        self._queued.pop(definition, None)
        self._unlist(definition)

    def _unlist(self, definition: Definition) -> None:
        if self._by_rid.get(definition.rid) is definition:
            del self._by_rid[definition.rid]

    def _withdraw(self, definition: Definition) -> None:
        """Take back what peers were asked for."""
        if definition.asking:
            for peer in definition.asked.values():
                self._errands.declare(peer, [ForgetResource(definition.rid)])
            self._forget_commit(definition)
            self._directory.release(OWN, definition.rid)

    def _forget_commit(self, definition: Definition) -> None:
        del self._asking[definition.commit_id]
        definition.commit_id = -1
        if self._queued:
            self._errands.do(self._go_on)
        definition.retry_at = inf
        definition.asked.clear()
        definition.awaited.clear()

    def _elsewhere(self, definition: Definition) -> bool:
        """Whether there is another id to try."""
        known: Iterable[int] = self._directory.names.resources.exactly(definition.uri)
        if not definition.chosen or any(rid != definition.rid for rid in known):
            return False
        definition.elsewhere += 1
        return definition.elsewhere <= MOST_TRIES_ELSEWHERE

    def _conflict(self, definition: Definition, first: Meaning) -> None:
        self._errands.note(
            DeclarationEvent(
                DeclarationChange.CONFLICT,
                DeclarationKind.RESOURCE,
                b"",
                definition.rid,
                definition.uri,
                "it contradicts what is known of the resource: define it alike, or take another id",
                first,
                definition.meaning,
            )
        )
        self._settle(definition, ResultStatus.CONFLICT, "it contradicts what is known of the resource")

    def _fail(self, definition: Definition, status: ResultStatus, reason: str) -> None:
        self._withdraw(definition)
        self._errands.note(
            DeclarationEvent(
                DeclarationChange.REFUSED, DeclarationKind.RESOURCE, b"", definition.rid, definition.uri, reason
            )
        )
        self._settle(definition, status, reason)

    def _settle(self, definition: Definition, status: ResultStatus, reason: str = "") -> None:
        self._stop_trying(definition)
        definition.retry_at = inf
        definition.status = status
        definition.reason = reason
        self._settled(definition)
