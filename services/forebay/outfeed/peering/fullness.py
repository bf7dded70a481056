"""How full a peer's memory queue was, looked at once a second."""

from __future__ import annotations

BUCKETS = ("empty", "below 25 %", "below 50 %", "below 75 %", "below 100 %", "full")
"""What each bucket stands for; the limits are those of innfeed's status file."""


class Fullness:
    """Looks at a queue since the start of the service."""

    def __init__(self) -> None:
        self.looks = [0] * len(BUCKETS)
        """How often the queue was found so full, by bucket."""
        self.longest = 0
        """Articles in it at the most."""
        self._sum = 0

    @property
    def mean(self) -> float:
        """Articles in it on the average."""
        looks = sum(self.looks)
        return self._sum / looks if looks else 0.0

    def look(self, length: int, size: int) -> None:
        """The queue has `length` articles now, and room for `size`."""
        self.looks[bucket(length, size)] += 1
        self.longest = max(self.longest, length)
        self._sum += length


def bucket(length: int, size: int) -> int:
    """The place in `BUCKETS`."""
    if not length:
        return 0
    return 5 if length >= size else 1 + 4 * length // size
