"""Finds the article at which a peer breaks its connections, so that what stands behind it goes out all the same."""

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.outfeed.token import Token

CAREFUL_AFTER = 3
"""Connections that break with the same article on them, until articles go one by one."""
REMEMBERED = 10_000
"""Articles of which such breaks are remembered."""


class Breaks:
    """The breaks of one peer's connections.

    A window that breaks does not tell at which of its articles: answers may be lost with it. So the articles of one
    that broke again and again go out one at a time, on any connection, until all were answered or one was alone on a
    connection that broke.
    """

    def __init__(self) -> None:
        self._left = 0
        self._times: dict[int, int] = {}
        """How often an article was on a connection that broke, by seq, the latest last."""

    @property
    def careful(self) -> bool:
        """A connection may have only one article at a time."""
        return self._left > 0

    def answered(self, tokens: "list[Token]") -> None:
        """The peer answered about these."""
        self._left = max(0, self._left - len(tokens))
        if self._times:
            for token in tokens:
                self._times.pop(token.seq, None)

    def broke(self, tokens: "list[Token]") -> bool:
        """A connection broke with these on it; whether it broke at the one that there is."""
        if self.careful and len(tokens) == 1:
            self._left = 0
            return True
        times = {token.seq: self._times.pop(token.seq, 0) + 1 for token in tokens}
        self._times.update(times)
        for seq in list(islice(self._times, max(0, len(self._times) - REMEMBERED))):
            del self._times[seq]
        if max(times.values()) >= CAREFUL_AFTER:
            self._left = len(tokens)
        return False
