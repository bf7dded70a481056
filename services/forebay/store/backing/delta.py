"""The part of a queue that is on disk alone."""

from dataclasses import dataclass


@dataclass(slots=True)
class Delta:
    """Messages of which nothing is in memory but that they are there.

    Each message of the queue with a number in the range is one of them, but for those that are held.
    """

    start: int = 0
    stop: int = 0
    """Behind the last number."""
    count: int = 0
    octets: int = 0
    insertions: int = 0
    """How often messages came in that were not the last: a read that was going on may lack them."""

    def __len__(self) -> int:
        return self.count

    @property
    def seqs(self) -> range:
        """All numbers that may be in it."""
        return range(self.start, self.stop)

    def add(self, first: int, count: int, octets: int) -> None:
        """Consecutive messages leave the memory."""
        if self.count and first < self.stop:
            self.insertions += 1
        self.start = min(self.start, first) if self.count else first
        self.stop = max(self.stop, first + count) if self.count else first + count
        self.count += count
        self.octets += octets

    def clear(self) -> None:
        """Nothing is left."""
        self.start = self.stop = self.count = self.octets = 0
