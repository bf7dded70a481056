"""The delay of a peer: how long articles rest in the feed log after they came in."""

from collections.abc import Callable

from forebay.outfeed.token import Token


class Delay:
    """Tells which articles have rested long enough; they come in the order in which they came in."""

    def __init__(self, seconds: float, now: Callable[[], int]) -> None:
        """`now` is the wall clock, milliseconds since the epoch."""
        self._length = int(seconds * 1000)
        self._now = now
        self._due_at = 0

    def __bool__(self) -> bool:
        return self._length > 0

    @property
    def holds_some(self) -> bool:
        """At the last look some had not rested long enough."""
        return self._due_at > 0

    @property
    def holds_all(self) -> bool:
        """None has rested long enough since."""
        return self._now() < self._due_at

    def resting(self, tokens: list[Token]) -> list[Token]:
        """Those at the end that have not rested long enough."""
        if not self:
            return []
        latest = self._now() - self._length
        first = next((place for place, token in enumerate(tokens) if token.arrival > latest), len(tokens))
        self._due_at = tokens[first].arrival + self._length if first < len(tokens) else 0
        return tokens[first:]
