"""Tells an article that no peer can swallow from a peer that is wrong altogether."""

from forebay.outfeed.token import Token

WRONG_AFTER = 20
"""So many failures in a row, and it is not the articles."""


class PoisonTest:
    """Judges the failures (5xx and the like) of one peer.

    A failure counts against its article, until so many came in a row that the peer itself must be wrong; from then on
    no failure counts until the peer gave one good answer.
    """

    def __init__(self, max_tries: int) -> None:
        self.max_tries = max_tries
        self._streak = 0

    @property
    def peer_is_wrong(self) -> bool:
        """The peer fails at everything."""
        return self._streak >= WRONG_AFTER

    def good_answer(self) -> None:
        """The peer took or turned down an article in an orderly way."""
        self._streak = 0

    def judge(self, tokens: list[Token]) -> tuple[list[Token], list[Token]]:
        """Split failed tokens into those to be tried again and those to be dead-lettered."""
        self._streak += len(tokens)
        if self.peer_is_wrong:
            return tokens, []
        tried = [token.again() for token in tokens]
        again = [token for token in tried if token.tries < self.max_tries]
        poison = [token for token in tried if token.tries >= self.max_tries]
        return again, poison
