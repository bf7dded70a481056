"""The resend window: entries read from R that the checkpoint has not passed, and which of them are settled."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple


class Entry(NamedTuple):
    """One entry of a stream."""

    id: bytes
    """Its place in the stream; names the entry in `ack`, `defer` and `dead_letter`."""
    data: bytes


_entry: Callable[[Iterable[bytes]], Entry] = partial(tuple.__new__, Entry)
"""An entry of its fields; the constructor of a named tuple is Python code, which takes three times as long."""


def entries_of(reply: Iterable[tuple[bytes, Sequence[bytes]]]) -> list[Entry]:
    """What Redis answered to XRANGE, each entry with its one field."""
    return [_entry((entry_id, fields[1])) for entry_id, fields in reply]


class Passed(NamedTuple):
    """What the checkpoint may pass."""

    checkpoint: bytes
    entries: int
    bytes: int


class ResendWindow:
    """Settled entries may come in any order; the checkpoint passes only those with nothing unsettled before them."""

    def __init__(self, cursor: bytes | None = None) -> None:
        self.cursor = cursor
        """The entry read last; None before the first."""
        self._order: deque[bytes] = deque()
        self._waiting: dict[bytes, int] = {}
        self._settled: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, entries: Iterable[Entry]) -> None:
        """Entries were read, in the order of the stream."""
        sizes = {entry_id: len(data) for entry_id, data in entries}
        self._order.extend(sizes)
        self._waiting.update(sizes)
        self.cursor = self._order[-1] if sizes else self.cursor

    def __contains__(self, entry_id: bytes) -> bool:
        return entry_id in self._waiting

    @property
    def span(self) -> int:
        """How many entries lie between the checkpoint and what was read last."""
        return len(self._order)

    @property
    def unpassed(self) -> int:
        """How many entries were read, are still in R, and were not passed by the checkpoint."""
        return len(self._waiting) + len(self._settled)

    def settle(self, entry_ids: Iterable[bytes]) -> None:
        """Mark entries as done with. Unknown ones, say of before a take-over, are ignored."""
        waiting, settled = self._waiting, self._settled
        for entry_id in entry_ids:
            size = waiting.pop(entry_id, None)
            if size is not None:
                settled[entry_id] = size

    def take_out(self, entry_ids: Iterable[bytes]) -> None:
        """Entries left R for another stream."""
        for entry_id in entry_ids:
            self._waiting.pop(entry_id, None)

    def passed(self) -> Passed | None:
        """How far the checkpoint may go, and what it passes; None when it cannot move."""
        entries = octets = 0
        last = None
        for entry_id in self._order:
            if (size := self._settled.get(entry_id)) is not None:
                entries, octets = entries + 1, octets + size
            elif entry_id in self._waiting:
                break
            last = entry_id
        return None if last is None else Passed(last, entries, octets)

    def move(self, checkpoint: bytes) -> None:
        """The checkpoint was written: forget what it passed."""
        while self._order:
            entry_id = self._order.popleft()
            self._settled.pop(entry_id, None)
            if entry_id == checkpoint:
                return

    def align(self, checkpoint: bytes | None, present: Iterable[bytes]) -> None:
        """Redis was asked: forget what its checkpoint has passed, and what is not in R any more."""
        if checkpoint is not None and checkpoint in self._order:
            self.move(checkpoint)
        there = set(present)
        for gone in [entry_id for entry_id in self._order if entry_id not in there]:
            self._waiting.pop(gone, None)
            self._settled.pop(gone, None)
