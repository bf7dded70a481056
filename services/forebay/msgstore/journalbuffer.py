"""What happened to a queue and is not in its journal yet."""

from itertools import chain
from typing import NamedTuple


class Taken(NamedTuple):
    """What happened up to one instant; it stays good however often its write fails."""

    upto: int
    """Happenings, counted from when the index was opened."""


class Happening(NamedTuple):
    """Records of one call."""

    pieces: list[bytes]
    """Octets of the records, end to end."""
    records: int


class JournalBuffer:
    """Happenings in their order. Its user locks."""

    def __init__(self) -> None:
        self._waiting: list[Happening] = []
        self._gone = 0
        self.journaled = 0
        """Records since the last checkpoint, written or not."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, pieces: list[bytes], records: int) -> None:
        """Something happened."""
        self._waiting.append(Happening(pieces, records))
        self.journaled += records

    def mark(self) -> Taken:
        """All that happened up to now."""
        return Taken(self._gone + len(self._waiting))

    def steal(self, taken: Taken) -> list[Happening]:
        """Take out what is covered and still waits."""
        count = max(0, taken.upto - self._gone)
        stolen, self._waiting = self._waiting[:count], self._waiting[count:]
        self._gone += len(stolen)
        return stolen

    def give_back(self, stolen: list[Happening]) -> None:
        """It was not written after all."""
        self._waiting[:0] = stolen
        self._gone -= len(stolen)


def joined_records(happenings: list[Happening]) -> bytes:
    """All their records as one piece."""
    return b"".join(chain.from_iterable(happening.pieces for happening in happenings))
