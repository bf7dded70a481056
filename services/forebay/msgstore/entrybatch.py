"""Entries of a queue index as columns: consecutive sequence numbers, as they come and go."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

from forebay.msgstore.queuerecord import QueueEntry


class EntryBatch(NamedTuple):
    """Messages with consecutive sequence numbers in one queue; see `QueueEntry` for what the columns say."""

    first: int
    """Sequence number of the first."""
    ids: list[bytes]
    sizes: "array[int]"
    expiries: "array[int] | None" = None
    """None when all are 0."""
    bodies: Sequence[bytes | None] | None = None
    """None when no message is embedded."""
    persistent: bool = True
    deliveries: "array[int] | None" = None
    """None when all are 0."""

    @property
    def seqs(self) -> range:
        """All sequence numbers."""
        return range(self.first, self.first + len(self.ids))

    def part(self, start: int, stop: int) -> "EntryBatch":
        """The entries from position `start` to before `stop`, counted from 0."""
        if start <= 0 and stop >= len(self.ids):
            return self
        return EntryBatch(
            self.first + start,
            self.ids[start:stop],
            self.sizes[start:stop],
            self.expiries[start:stop] if self.expiries else None,
            self.bodies[start:stop] if self.bodies else None,
            self.persistent,
            self.deliveries[start:stop] if self.deliveries else None,
        )

    def entries(self) -> Iterator[QueueEntry]:
        """One by one."""
        columns = zip(
            self.seqs,
            self.ids,
            self.sizes,
            self.expiries or repeat(0),
            repeat(self.persistent),
            self.bodies or repeat(None),
            self.deliveries or repeat(0),
            strict=False,
        )
        return map(QueueEntry._make, columns)


def batches_of(entries: Iterable[QueueEntry]) -> Iterator[EntryBatch]:
    """Entries as batches; a gap in their numbers, or a change of what is persistent, begins another."""
    group: list[QueueEntry] = []
    for entry in entries:
        if group and (entry.seq != group[-1].seq + 1 or entry.persistent != group[-1].persistent):
            yield _batch(group)
            group = []
        group.append(entry)
    if group:
        yield _batch(group)


def _batch(entries: list[QueueEntry]) -> EntryBatch:
    seqs, ids, sizes, expiries, persistent, bodies, deliveries = zip(*entries, strict=True)
    return EntryBatch(
        seqs[0],
        list(ids),
        array("I", sizes),
        array("Q", expiries) if any(expiries) else None,
        None if all(body is None for body in bodies) else bodies,
        persistent[0],
        array("H", deliveries) if any(deliveries) else None,
    )
