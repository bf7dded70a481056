"""Tells an article that no peer can swallow from a peer that is wrong altogether."""

from dataclasses import dataclass

from forebay.outfeed.token import Token

WRONG_AFTER = 20
"""So many failures in a row, and it is not the articles."""


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
    no failure counts until the peer gave one good answer.
    """

    def __init__(self, limits: GivingUp) -> None:
        self.limits = limits
        self._streak = 0

    @property
    def peer_is_wrong(self) -> bool:
        """The peer fails at everything."""
        return self._streak >= WRONG_AFTER

    def good_answer(self) -> None:
        """The peer took or turned down an article in an orderly way."""
        self._streak = 0

    def failed(self, tokens: list[Token]) -> tuple[list[Token], list[Token]]:
        """Split tokens that failed into those to be tried again and those to be given up."""
        self._streak += len(tokens)
        if self.peer_is_wrong:
            return tokens, []
        return _judge(tokens, self.limits.failures)

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
