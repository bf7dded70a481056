"""What a node has declared, in its order: peers read it at their own pace, so history goes before what is fresh."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from forebay.conduit.core.wire.declarations import Declaration


class Entry(NamedTuple):
    """One declaration."""

    serial: int
    declaration: Declaration


class Chronicle:
    """Entries by serial numbers, from 1 on. One that was forgotten is told to nobody who has not read as far.

    Serials of forgotten entries are dropped from the order once they are the greater part of it.
    """

    def __init__(self) -> None:
        self.last = 0
        """Serial of the latest entry."""
        self._entries: dict[int, Declaration] = {}
        self._order: list[int] = []

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, declaration: Declaration) -> int:
        """Write an entry; returns its serial."""
        self.last += 1
        self._entries[self.last] = declaration
        self._order.append(self.last)
        return self.last

    def remove(self, serial: int) -> None:
        """Strike an entry out."""
        del self._entries[serial]
        if len(self._order) > 2 * len(self._entries) + 16:
            self._order = list(self._entries)

    def after(self, serial: int, count: int) -> list[Entry]:
        """The next so many entries behind that one."""
        order, entries = self._order, self._entries
        there = (order[place] for place in range(bisect_right(order, serial), len(order)))
        return list(islice((Entry(each, entries[each]) for each in there if each in entries), count))
