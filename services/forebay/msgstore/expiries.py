"""When the messages of a segment expire, all in memory: what expires is found without reading the disk."""

from array import array
from collections.abc import Iterator

BLOCK = 1024
"""Places whose first expiry is remembered together."""

HELD = 1
"""State of a place whose message is still there."""


class Expiries:
    """Expiry of each place of a segment, in milliseconds since the epoch, 0 for never."""

    __slots__ = ("_all", "_soonest")

    def __init__(self, places: int) -> None:
        self._all = array("Q", bytes(8 * places))
        self._soonest = [0] * (places // BLOCK + 1)

    def set(self, place: int, expiries: "array[int]") -> None:
        """Messages came in, or are to be told again."""
        stop = place + len(expiries)
        self._all[place:stop] = expiries
        for block in range(place // BLOCK, (stop - 1) // BLOCK + 1):
            known = self._soonest[block]
            news = self._all[max(place, block * BLOCK) : min(stop, (block + 1) * BLOCK)]
            first = min(filter(None, news), default=0)
            self._soonest[block] = min(known, first) if known and first else known or first

    def soonest(self, state: bytearray, start: int, stop: int) -> int:
        """The first expiry of the places in that range that are held, or one before it; 0 for none."""
        found = 0
        for block, first, last in _blocks(start, stop):
            soonest = self._soonest[block]
            if soonest and last - first < BLOCK:
                soonest = min(self._held(state, first, last), default=0)
            if soonest and (not found or soonest < found):
                found = soonest
        return found

    def take(self, state: bytearray, start: int, stop: int, now: int) -> list[int]:
        """The held places in that range that have expired by now; each is told once."""
        found: list[int] = []
        for block, first, last in _blocks(start, stop):
            if 0 < self._soonest[block] <= now:
                places = range(first, last)
                expired = [place for place in places if 0 < self._all[place] <= now and state[place] == HELD]
                for place in expired:
                    self._all[place] = 0
                found += expired
                whole = block * BLOCK
                self._soonest[block] = min(self._held(state, whole, whole + BLOCK), default=0)
        return found

    def _held(self, state: bytearray, start: int, stop: int) -> Iterator[int]:
        pairs = zip(self._all[start:stop], state[start:stop], strict=False)
        return (expiry for expiry, held in pairs if expiry and held == HELD)


def _blocks(start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Number and bounds of each block's part of the range."""
    for block in range(start // BLOCK, (stop - 1) // BLOCK + 1):
        yield block, max(start, block * BLOCK), min(stop, (block + 1) * BLOCK)
