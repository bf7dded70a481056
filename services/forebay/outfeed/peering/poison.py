"""Tells an article that no peer can swallow from a peer that is wrong altogether."""

from forebay.outfeed.token import Token

WRONG_AFTER = 20
"""So many failures in a row, and it is not the articles."""


class PoisonTest:
    """Judges the failures (5xx and the like) of one peer.

    A failure counts against its article, until so many came in a row that the peer itself must be wrong; from then on
    no failure counts until the peer gave one good answer.
    """

    def __init__(self, max_failures: int, max_deferrals: int | None) -> None:
        """After how many failures, or put-offs if that is not None, an article is given up."""
        self.max_failures = max_failures
        self.max_deferrals = max_deferrals
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
        return _judge(tokens, self.max_failures)

    def deferred(self, tokens: list[Token]) -> tuple[list[Token], list[Token]]:
        """Split tokens that were put off into those to be tried again and those to be given up."""
        self.good_answer()
        return _judge(tokens, self.max_deferrals)


def _judge(tokens: list[Token], limit: int | None) -> tuple[list[Token], list[Token]]:
    tried = [token.again() for token in tokens]
    if limit is None:
        return tried, []
    return [token for token in tried if token.tries < limit], [token for token in tried if token.tries >= limit]
