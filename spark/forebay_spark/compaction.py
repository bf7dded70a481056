"""Compaction of the entries of one owner and kind, in memory: which stay, in what order, and why the others go.

An entry goes when its article arrived too long ago, when another entry has the same message-id, or when there are too
many octets; the oldest go first. What is no token has neither arrival nor message-id: it stays, in the place that the
time when it was appended gives it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forebay.spill.compactionplan import Reason
from forebay_spark.tokens import HEAD, heads_of, message_id, signed, with_tries

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


STEPS: tuple[Reason, ...] = ("limit-age", "duplicate", "limit-bytes")
"""Reasons to go, in the order in which they are looked for."""


@dataclass(frozen=True)
class Rules:
    """What is too much. None: no limit."""

    oldest: int | None = None
    """Articles that arrived before that go, milliseconds since the epoch."""
    max_bytes: int | None = None
    """Octets of entries that may stay, of one owner and kind."""


@dataclass(frozen=True)
class Compacted:
    """What has become of entries."""

    entries: list[bytes]
    """Those that stay, oldest first."""
    appended: Numbers
    """When each of them was appended first, milliseconds since the epoch."""
    arrival: Numbers
    """What each of them is ordered by, milliseconds since the epoch."""
    seq: Numbers
    """What settles a tie: the place in the feed log."""
    dropped: dict[Reason, int]
    """How many went."""
    released: dict[Reason, list[bytes]]
    """Those that went and stand for an article which nothing else stands for: one for each place in the feed log."""
    corrupt: int
    """How many of those that stay are no tokens."""
    changed: bool
    """Whether anything differs from what was given: entries or their order."""


def compact(entries: Sequence[bytes], appended: Numbers, rules: Rules) -> Compacted:
    """Compact entries that come in the order of their streams, with the times when they were appended."""
    table = Table(entries, appended)
    order = np.lexsort((table.seq, table.arrival))
    dropped = {}
    for reason in STEPS:
        gone = table.gone(reason, order, rules)
        dropped[reason] = order[gone]
        order = order[~gone]
    return Compacted(
        table.take(order),
        table.appended[order],
        table.arrival[order],
        table.seq[order],
        {reason: len(rows) for reason, rows in dropped.items()},
        {reason: table.take(rows) for reason, rows in table.unheld(order, dropped).items()},
        int(np.count_nonzero(~table.sound[order])),
        changed=table.patched or not np.array_equal(order, np.arange(len(entries))),
    )


class Table:
    """Entries and what they say, in columns. Methods take rows by their numbers, in the order of what is to be kept."""

    def __init__(self, entries: Sequence[bytes], appended: Numbers) -> None:
        heads = heads_of(entries)
        self.entries = list(entries)
        self.sizes = np.fromiter(map(len, entries), np.int64, len(entries))
        self.sound = self.sizes > HEAD.itemsize
        self.appended = appended.copy()
        self.arrival = np.where(self.sound, signed(heads["arrival"]), appended)
        self.seq = np.where(self.sound, signed(heads["seq"]), 0)
        self.tries = heads["tries"].astype(np.int64)
        self.patched = False

    def take(self, rows: Numbers) -> list[bytes]:
        """The entries of rows."""
        entries = self.entries
        return [entries[row] for row in rows.tolist()]

    def unheld(self, kept: Numbers, dropped: Mapping[Reason, Numbers]) -> dict[Reason, Numbers]:
        """Of the rows that went, the first of each place in the feed log that no row which is kept has."""
        held, rows = self.seq[kept[self.sound[kept]]], {}
        for reason, gone in dropped.items():
            _, first = np.unique(self.seq[gone], return_index=True)
            alone = gone[np.sort(first)]
            rows[reason] = alone[~np.isin(self.seq[alone], held)]
            held = np.concatenate((held, self.seq[alone]))
        return rows

    def gone(self, reason: Reason, order: Numbers, rules: Rules) -> Mask:
        """Which of the rows go for a reason."""
        if reason == "limit-age":
            return self._expired(order, rules.oldest)
        if reason == "duplicate":
            return self._repeats(order)
        sizes = self.sizes[order]
        return surplus(sizes, self.sound[order], 0 if rules.max_bytes is None else int(sizes.sum()) - rules.max_bytes)

    def _expired(self, order: Numbers, oldest: int | None) -> Mask:
        mask: Mask = self.sound[order] & (self.arrival[order] < (0 if oldest is None else oldest))
        return mask

    def _repeats(self, order: Numbers) -> Mask:
        """All but the first of each message-id, which takes over what the others say."""
        seen: dict[bytes | int, int] = {}
        rows = order.tolist()
        # What is no token is known by its row, and so never seen before.
        names = map(message_id, self.take(order))
        first = np.array([seen.setdefault(name or row, row) for name, row in zip(names, rows, strict=True)], np.int64)
        again: Mask = first != order
        self._merge(first[again], order[again])
        return again

    def _merge(self, first: Numbers, again: Numbers) -> None:
        """Give each first row the highest number of tries, and the earliest time, of those that repeat it."""
        before = self.tries[first]
        np.maximum.at(self.tries, first, self.tries[again])
        np.minimum.at(self.appended, first, self.appended[again])
        for row in np.unique(first[self.tries[first] != before]).tolist():
            self.entries[row] = with_tries(self.entries[row], int(self.tries[row]))
            self.patched = True


def surplus(sizes: Numbers, droppable: Mask, excess: int) -> Mask:
    """Which entries, given by their octets from the oldest on, go so that at least `excess` octets go."""
    octets = np.where(droppable, sizes, 0)
    gone: Mask = droppable & (np.cumsum(octets) - octets < excess)
    return gone
