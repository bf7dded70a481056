"""What each outcome does to a peer's accounts, its backlog, and the feed log."""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING

import structlog

from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.token import Token
from forebay.spill import Dropped, Kind

if TYPE_CHECKING:
    from forebay.outfeed.peering.flow import Shared
    from forebay.outfeed.peering.peerfeed import Peerfeed

log = structlog.stdlib.get_logger(__name__)

_size = attrgetter("size")

BROKE = "the connection broke at this article"
"""What stands for the answer then."""


class Settler:
    """Settles what the lines of a peer report."""

    def __init__(self, feed: "Peerfeed", shared: "Shared") -> None:
        self._feed = feed
        self._shared = shared
        self._settlers: dict[Outcome, Callable[[list[Token], str], None]] = {
            Outcome.ACCEPTED: self._accepted,
            Outcome.REFUSED: self._refused,
            Outcome.REJECTED: self._rejected,
            Outcome.DEFERRED: self._deferred,
            Outcome.FAILED: self._failed,
            Outcome.MISSING: self._missing,
        }

    def settle(self, outcome: Outcome, tokens: list[Token], reply: str) -> None:
        """An answer, or what stands for one."""
        self._settlers[outcome](tokens, reply)
        self._feed.replies.add(outcome, reply, len(tokens))
        if reply:
            self._feed.ledger.answers[reply[:3]] += len(tokens)
        self._shared.outcomes.add(self._feed.name, outcome.value, reply, tokens)

    def discard(self, tokens: list[Token], reason: str) -> None:
        """Queued articles that are not kept for the peer."""
        self._feed.ledger.drop(len(tokens), reason)
        self._finish(tokens)
        self._shared.outcomes.add(self._feed.name, "dropped", reason, tokens)

    def dropped(self, dropped: Dropped, tokens: list[Token]) -> None:
        """A limit or a compaction removed these from Redis."""
        tokens = self._shared.feedlog.release(self._feed.number, tokens)
        if not tokens:
            return
        ledger, expired = self._feed.ledger, dropped.reason == "limit-age"
        if dropped.kind is Kind.DEFERRED:
            ledger.recall(len(tokens))
        if expired:
            ledger.expire(len(tokens))
        else:
            ledger.drop(len(tokens), dropped.reason)
        self._shared.outcomes.add(self._feed.name, "expired" if expired else "dropped", dropped.reason, tokens)

    def _accepted(self, tokens: list[Token], reply: str) -> None:
        self._feed.ledger.accept(len(tokens), _octets(tokens))
        self._answered(tokens)

    def _refused(self, tokens: list[Token], reply: str) -> None:
        self._feed.ledger.refuse(len(tokens), _octets(tokens))
        self._answered(tokens)

    def _rejected(self, tokens: list[Token], reply: str) -> None:
        self._feed.ledger.reject(len(tokens), _octets(tokens))
        if reply.startswith("431"):
            log.warning("a 431 to TAKETHIS counts as rejected", peer=self._feed.name, articles=len(tokens), reply=reply)
        self._answered(tokens)

    def _answered(self, tokens: list[Token]) -> None:
        self._feed.poison.good_answer()
        self._finish(tokens)

    def _finish(self, tokens: list[Token]) -> None:
        self._feed.disown([token.seq for token in self._feed.backlog.finish(tokens)])
        self._shared.feedlog.release(self._feed.number, tokens)

    def _missing(self, tokens: list[Token], reply: str) -> None:
        self._feed.ledger.lose(len(tokens), "missing")
        names = [token.message_id.decode("ascii", "replace") for token in tokens[:10]]
        log.error("bodies are gone: not sent", peer=self._feed.name, articles=len(tokens), first=names)
        self._finish(tokens)

    def _deferred(self, tokens: list[Token], reply: str) -> None:
        again, given_up = self._feed.poison.deferred(tokens, self._shared.now())
        self._put_off(again)
        self._bury(given_up, reply)

    def _failed(self, tokens: list[Token], reply: str) -> None:
        again, given_up = self._feed.poison.failed(tokens)
        self._put_off(again)
        self._bury(given_up, reply)
        if self._feed.poison.peer_is_wrong:
            self._feed.lines.fail(f"the peer answers nothing but errors: {reply}")

    def broke(self, token: Token) -> None:
        """The peer broke the connection at this article: it makes way for the others."""
        self._feed.replies.add(Outcome.FAILED, BROKE, 1)
        self._shared.outcomes.add(self._feed.name, Outcome.FAILED.value, BROKE, [token])
        again, given_up = self._feed.poison.broke([token])
        self._put_off(again)
        self._bury(given_up, BROKE)

    def _bury(self, tokens: list[Token], reply: str) -> None:
        if tokens:
            log.warning("articles are given up", peer=self._feed.name, articles=len(tokens), reply=reply)
            self._feed.ledger.bury(len(tokens))
            self._feed.backlog.bury(tokens, reply)
            self._shared.outcomes.add(self._feed.name, "dead-lettered", reply, tokens)

    def _put_off(self, tokens: list[Token]) -> None:
        self._feed.ledger.defer(len(tokens), _octets(tokens))
        self._feed.backlog.defer(tokens)


def _octets(tokens: Iterable[Token]) -> int:
    return sum(map(_size, tokens))
