"""Tells an article that no peer can swallow from a peer that is wrong altogether."""

from dataclasses import dataclass

from forebay.outfeed.token import Token

WRONG_AFTER = 20
"""So many failures in a row, and it is not the articles."""
SUSPECTS = 10_000
"""Articles that are remembered at most to have failed while others did not."""


@dataclass(frozen=True)
class GivingUp:
    """When an article is given up."""

    failures: int = 3
    """After so many failures."""
    deferrals: int | None = None
    """After it was put off so many times; None: never."""
    deferral_age: float | None = None
    """When it is put off so many seconds after its arrival; None: never."""


class PoisonTest:
    """Judges the failures (5xx and the like) of one peer.

    A failure counts against its article, until so many came in a row that the peer itself must be wrong; from then on
    no failure counts until the peer gave one good answer. Articles that failed between others which did not are
    suspects: put off together they come together, and the row that they make then tells nothing of the peer.
    """

    def __init__(self, limits: GivingUp) -> None:
        self.limits = limits
        self._row: list[int] = []
        """Seqs of the last failures in a row, suspects apart; `WRONG_AFTER` at most."""
        self._suspects: set[int] = set()
        self._breakers: list[Token] = []
        """At which the connection broke since the last good answer; `WRONG_AFTER` at most."""

    @property
    def peer_is_wrong(self) -> bool:
        """The peer fails at everything."""
        return len(self._row) >= WRONG_AFTER

    def good_answer(self) -> None:
        """The peer took or turned down an article in an orderly way."""
        self._row.clear()
        if self._breakers:
            self.suspect(self._breakers)
            self._breakers = []

    def suspect(self, tokens: list[Token]) -> None:
        """The peer failed at these, before this call or right after it, between proper answers to others."""
        if len(self._suspects) + len(tokens) > SUSPECTS:
            self._suspects.clear()
        self._suspects.update(token.seq for token in tokens)
        self._row = [seq for seq in self._row if seq not in self._suspects]

    def failed(self, tokens: list[Token]) -> tuple[list[Token], list[Token]]:
        """Split tokens that failed into those to be tried again and those to be given up."""
        row = [token.seq for token in tokens if token.seq not in self._suspects]
        self._row += row[: WRONG_AFTER - len(self._row)]
        if self.peer_is_wrong:
            return tokens, []
        again, given_up = _judge(tokens, self.limits.failures)
        self._suspects.difference_update(token.seq for token in given_up)
        return again, given_up

    def broke(self, tokens: list[Token]) -> tuple[list[Token], list[Token]]:
        """The same of tokens at which the connection broke: it counts only against one after a good answer."""
        known = all(token.seq in self._suspects for token in tokens)
        counts = known or not self._row
        if not known:
            room = WRONG_AFTER - len(self._row)
            self._row += [token.seq for token in tokens[:room]]
            self._breakers += tokens[:room]
        return _judge(tokens, self.limits.failures) if counts else (tokens, [])

    def deferred(self, tokens: list[Token], now: int) -> tuple[list[Token], list[Token]]:
        """Split tokens that were put off into those to be tried again and those to be given up.

        `now` is in milliseconds since the epoch.
        """
        self.good_answer()
        again, given_up = _judge(tokens, self.limits.deferrals)
        if self.limits.deferral_age is None:
            return again, given_up
        earliest = now - int(self.limits.deferral_age * 1000)
        old = [token for token in again if token.arrival < earliest]
        return [token for token in again if token.arrival >= earliest], given_up + old


def _judge(tokens: list[Token], limit: int | None) -> tuple[list[Token], list[Token]]:
    tried = [token.again() for token in tokens]
    if limit is None:
        return tried, []
    return [token for token in tried if token.tries < limit], [token for token in tried if token.tries >= limit]
