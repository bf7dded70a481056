"""An allowance: how many articles may go now, where there is a most a second."""

import sys

SMALLEST = 2.0
"""Articles that it grows to however low the rate is, so that what a late look would cost is not lost."""


class Allowance:
    """Grows with the time, up to what a second allows, or to `SMALLEST`."""

    def __init__(self, rate: float | None, now: int) -> None:
        """`rate` is in articles a second, None sets no limit; times are in milliseconds of one clock."""
        self._rate = rate
        self._left = 0.0
        self._at = now

    def room(self, now: int) -> int:
        """How many may go now."""
        if self._rate is None:
            return sys.maxsize
        grown = self._left + self._rate * max(0, now - self._at) / 1000
        self._left = min(max(SMALLEST, self._rate), grown)
        self._at = now
        return int(self._left)

    def spend(self, count: int) -> None:
        """So many went."""
        self._left -= count
