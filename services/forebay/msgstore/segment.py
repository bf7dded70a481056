"""A segment of a queue index in memory: what is published and acknowledged, and what its file does not say yet."""

from itertools import groupby

from forebay.msgstore.queuerecord import (
    QueueEntry,
    encode_acknowledge,
    encode_deliver,
    encode_publish,
    ranges,
)
from forebay.msgstore.record import Codec

ENTRIES = 16384
"""Sequence numbers a segment."""

_NONE, _PUBLISHED, _ACKNOWLEDGED = 0, 1, 2


class Unsaved:
    """What happened to a segment since its file was last written; keys are sequence numbers."""

    __slots__ = ("acknowledged", "delivered", "published")

    def __init__(self) -> None:
        self.published: dict[int, QueueEntry] = {}
        self.delivered: dict[int, int] = {}
        self.acknowledged: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self.published or self.delivered or self.acknowledged)

    def records(self, codec: Codec) -> list[bytes]:
        """All of it as records for the segment's file."""
        records = [encode_publish(codec, entry) for entry in self.published.values()]
        delivered = sorted((times, seq) for seq, times in self.delivered.items())
        for times, group in groupby(delivered, key=lambda item: item[0]):
            records += [encode_deliver(codec, seqs, times) for seqs in ranges(seq for _, seq in group)]
        records += [encode_acknowledge(codec, seqs) for seqs in ranges(sorted(self.acknowledged))]
        return records

    def after(self, before: "Unsaved") -> "Unsaved":
        """This after `before`, as one."""
        before.published |= self.published
        before.delivered |= self.delivered
        before.acknowledged |= self.acknowledged
        return before


class Segment:
    """State of a segment; every change may be repeated without effect, as recovery does."""

    __slots__ = ("_state", "filed", "live", "number", "unsaved")

    def __init__(self, number: int) -> None:
        self.number = number
        self.live = 0
        """Published and not acknowledged."""
        self.filed = False
        """Its file exists."""
        self.unsaved = Unsaved()
        """What its file does not say yet."""
        self._state = bytearray(ENTRIES)

    def publish(self, entry: QueueEntry, *, saved: bool = False) -> None:
        """A message came in. saved: the file says so already."""
        place = entry.seq % ENTRIES
        if self._state[place] == _NONE:
            self._state[place] = _PUBLISHED
            self.live += 1
            if not saved:
                self.unsaved.published[entry.seq] = entry

    def deliver(self, seqs: range, times: int) -> None:
        """Messages were delivered for the n-th time."""
        self.unsaved.delivered |= {seq: times for seq in seqs if self.holds(seq)}

    def acknowledge(self, seqs: range, *, saved: bool = False) -> None:
        """Messages are done with."""
        state, unsaved = self._state, self.unsaved
        for seq in seqs:
            place = seq % ENTRIES
            if state[place] != _PUBLISHED:
                continue
            state[place] = _ACKNOWLEDGED
            self.live -= 1
            if saved:
                continue
            unsaved.delivered.pop(seq, None)
            if unsaved.published.pop(seq, None) is None:
                unsaved.acknowledged.add(seq)

    def holds(self, seq: int) -> bool:
        """Whether that message is here and not acknowledged."""
        return self._state[seq % ENTRIES] == _PUBLISHED

    def holding(self, seqs: range) -> list[int]:
        """Those of the segment's numbers in the range that are here and not acknowledged."""
        return [seq for seq in seqs if self._state[seq % ENTRIES] == _PUBLISHED]

    def highest(self) -> int:
        """The highest sequence number published, acknowledged or not; -1 without any."""
        place = max(self._state.rfind(_PUBLISHED), self._state.rfind(_ACKNOWLEDGED))
        return self.number * ENTRIES + place if place >= 0 else -1

    def lowest(self) -> int:
        """The lowest sequence number still here; only while some is."""
        return self.number * ENTRIES + self._state.index(_PUBLISHED)

    def begin_saving(self) -> Unsaved:
        """Hand out what must be written; what happens from now on is for the next time."""
        saving, self.unsaved = self.unsaved, Unsaved()
        return saving

    def give_back(self, saving: Unsaved) -> None:
        """It was not written after all."""
        self.unsaved = self.unsaved.after(saving)
