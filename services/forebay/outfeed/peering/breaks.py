"""Finds the article at which a peer breaks its connections, so that what stands behind it goes out all the same."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.outfeed.token import Token

CAREFUL_AFTER = 3
"""Connections that break with the same article as the first without an answer, until articles go one by one."""
REMEMBERED = 100
"""Articles of which such breaks are remembered."""


class Breaks:
    """The breaks of one peer's connections.

    A window that breaks does not tell at which of its articles: answers may be lost with it. So the articles of one
    that broke again and again go out one at a time, on any connection, until all were answered or one was alone on a
    connection that broke.
    """

    def __init__(self) -> None:
        self._left = 0
        self._firsts: dict[int, int] = {}
        """How often an article was the first one, by seq."""

    @property
    def careful(self) -> bool:
        """A connection may have only one article at a time."""
        return self._left > 0

    def answered(self, count: int) -> None:
        """The peer answered about so many articles."""
        self._left = max(0, self._left - count)

    def broke(self, tokens: "list[Token]") -> bool:
        """A connection broke with these on it, the oldest first; whether it broke at the one that there is."""
        if self.careful and len(tokens) == 1:
            self._left = 0
            return True
        first = tokens[0].seq
        times = self._firsts.pop(first, 0) + 1
        if len(self._firsts) >= REMEMBERED:
            del self._firsts[next(iter(self._firsts))]
        self._firsts[first] = times
        if times >= CAREFUL_AFTER:
            self._left = len(tokens)
        return False
