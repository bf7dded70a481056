"""Where the records of one segment of the feed log lie in its file."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence

INDEX_STEP = 256
"""Of so many records the place of one is kept in memory."""


class SegmentIndex:
    """Where the records of one segment lie: the slot and the offset of every 256th of them."""

    def __init__(self) -> None:
        self.size = 0
        """Octets of the file."""
        self._count = 0
        self._slots = array("H")
        self._offsets = array("I")

    def add(self, slots: Sequence[int], starts: Sequence[int], base: int, size: int) -> None:
        """Records were appended: their slots, and offsets relative to `base`; `size` is the file's since then."""
        for position in range(-self._count % INDEX_STEP, len(slots), INDEX_STEP):
            self._slots.append(slots[position])
            self._offsets.append(base + starts[position])
        self._count += len(slots)
        self.size = size

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Begin and end of the piece of the file that holds these slots and those between."""
        block = bisect_right(self._slots, first) - 1
        following = bisect_right(self._slots, last)
        end = self._offsets[following] if following < len(self._slots) else self.size
        return self._offsets[max(block, 0)] if self._slots else self.size, end
