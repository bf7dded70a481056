"""Who still needs what: the bits of all live segments, the checkpoints, and the releases not yet on disk."""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import NamedTuple

from forebay.feedlog.logsegment import SEGMENT_BITS, SLOT_MASK
from forebay.feedlog.segmentbits import SegmentBits
from forebay.outfeed.log.segmentindex import INDEX_STEP
from forebay.outfeed.token import Token

READ_SPAN = 4096
"""Records that may be gone through for one read."""


class Written(NamedTuple):
    """Records of one segment that became durable, in the form memory keeps them."""

    number: int
    bits: bytes
    width: int
    groups: list[bytes]


@dataclass(slots=True)
class Pending:
    """What changed since the last flush."""

    releases: defaultdict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    """Slots by segment and peer."""
    checkpoints: dict[int, int] = field(default_factory=dict)
    """Seq by peer."""
    keys: list[bytes] = field(default_factory=list)
    """References that may go once this is durable."""

    def __bool__(self) -> bool:
        return bool(self.releases or self.checkpoints or self.keys)


class GroupNames:
    """Small numbers for the names of groups. Number 0 is no name, and all names beyond the limit."""

    def __init__(self) -> None:
        self._names = [b""]
        self._numbers = {b"": 0}

    def number(self, name: bytes) -> int:
        """The number of a name; a new one gets the next."""
        number = self._numbers.get(name)
        if number is None:
            number = self._add(name)
        return number

    def names(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """The opposite, for many."""
        return map(self._names.__getitem__, numbers)

    def _add(self, name: bytes) -> int:
        if len(self._names) > 0xFFFF:
            return 0
        self._names.append(name)
        self._numbers[name] = len(self._names) - 1
        return len(self._names) - 1


class Ownership:
    """All bits. Used by the event loop alone, so that nothing here needs a lock."""

    def __init__(self) -> None:
        self.segments: dict[int, SegmentBits] = {}
        """By number, in rising order."""
        self.checkpoints: dict[int, int] = {}
        """By peer: everything up to this seq belongs to the spill streams, if to anything."""
        self.groups = GroupNames()
        self.touched: set[int] = set()
        """Segments in which bits were cleared since they were last looked at by whoever tidies up."""
        self._pending = Pending()
        self._fronts: dict[int, int] = {}

    @property
    def head(self) -> int:
        """Above every seq there is, or ever was: the newest segment is kept even when nothing is in it."""
        newest = next(reversed(self.segments.values()), None)
        if newest is None:
            return 0
        return newest.base + (newest.slots[-1] + 1 if newest.slots else 0)

    def admit(self, written: Written) -> None:
        """Records became durable."""
        segment = self.segments.get(written.number)
        if segment is None:
            segment = SegmentBits(written.number, range(0), b"", written.width, array("H"))
            self.segments[written.number] = segment
        segment.extend(written.bits, written.width, map(self.groups.number, written.groups))

    def release(self, peer: int, tokens: Sequence[Token]) -> list[Token]:
        """The peer needs these no more; returns those that it still needed until now."""
        released: list[Token] = []
        for number, some in _by_segment(tokens):
            released += self._release(peer, number, some)
        self._pending.keys += [token.key for token in released]
        return released

    def _release(self, peer: int, number: int, tokens: Sequence[Token]) -> Sequence[Token]:
        segment = self.segments.get(number)
        if segment is None:
            return []
        slots = [token.seq & SLOT_MASK for token in tokens]
        cleared = segment.clear(peer, slots)
        if not cleared:
            return []
        self._pending.releases[number, peer] += cleared
        self.touched.add(number)
        if len(cleared) == len(tokens):
            return tokens
        by_slot = dict(zip(slots, tokens, strict=True))
        return [by_slot[slot] for slot in cleared]

    def release_rest(self, peer: int) -> None:
        """Clear all bits of a peer; for articles whose records cannot be read any more, so without keys."""
        for number, segment in self.segments.items():
            if slots := list(segment.owed(peer)):
                segment.clear_run(peer, 0, SLOT_MASK + 1)
                self._pending.releases[number, peer] += slots
                self.touched.add(number)

    def enrol(self, peer: int) -> None:
        """A peer is new: nothing that the log holds by now is for it."""
        self.checkpoints.setdefault(peer, -1)
        self.advance(peer, self.head - 1)

    def advance(self, peer: int, seq: int) -> None:
        """Raise the peer's checkpoint; a lower one is ignored."""
        if seq > self.checkpoints.get(peer, -1):
            self.checkpoints[peer] = self._pending.checkpoints[peer] = seq

    def drop(self, peer: int) -> None:
        """Forget the checkpoint of a peer that has no bits any more."""
        for checkpoints in (self.checkpoints, self._pending.checkpoints, self._fronts):
            checkpoints.pop(peer, None)

    def holds(self, peer: int, seq: int) -> bool:
        """Whether the peer still needs the article."""
        segment = self.segments.get(seq >> SEGMENT_BITS)
        return segment is not None and segment.holds(peer, seq & SLOT_MASK)

    def holds_all(self, peer: int, seqs: Sequence[int]) -> bool:
        """Whether the peer still needs each of the articles."""
        slots: defaultdict[int, list[int]] = defaultdict(list)
        for seq in seqs:
            slots[seq >> SEGMENT_BITS].append(seq & SLOT_MASK)
        segments = self.segments
        return all(number in segments and segments[number].holds_all(peer, some) for number, some in slots.items())

    def groups_of(self, seqs: Iterable[int]) -> list[bytes]:
        """First group of each article; empty where its record is gone."""
        names: list[bytes] = []
        for number, run in groupby(seqs, SEGMENT_BITS.__rrshift__):
            slots = [seq & SLOT_MASK for seq in run]
            segment = self.segments.get(number)
            names += [b""] * len(slots) if segment is None else self.groups.names(segment.groups_of(slots))
        return names

    def owed(self, peer: int, start: int) -> Iterator[int]:
        """Seqs from `start` on whose bit is set; what changes while it runs may or may not be seen."""
        for segment, slot in self._from(start):
            for owed in segment.owed(peer, slot):
                yield segment.base + owed

    def count_owed(self, peer: int, start: int) -> int:
        """How many seqs from `start` on have their bit set."""
        return sum(segment.count_owed(peer, slot) for segment, slot in self._from(start))

    def wanted(self, peer: int, start: int, limit: int) -> tuple[list[tuple[int, list[int]]], int]:
        """Slots from `start` on by segment, and the seq below which that is all the peer needs.

        They are up to `limit`, and no more than lie close enough to each other to be read at once.
        """
        wanted: list[tuple[int, list[int]]] = []
        span = READ_SPAN
        for segment, slot in self._from(start):
            if near := list(islice(segment.owed(peer, slot), limit)):
                slots = near[: bisect_right(near, near[0] + span)]
                wanted.append((segment.number, slots))
                limit -= len(slots)
                span -= max(slots[-1] - slots[0], INDEX_STEP)
                if not limit or span <= 0 or len(slots) < len(near):
                    return wanted, segment.base + slots[-1] + 1
        return wanted, max(start, self.head)

    def front(self) -> int | None:
        """The first seq that any peer still needs and that is above its checkpoint: where the log's backlog begins."""
        fronts = [front for peer in self.checkpoints if (front := self._front(peer)) is not None]
        return min(fronts, default=None)

    def _front(self, peer: int) -> int | None:
        # It only ever moves on, so the search goes on from where it stopped.
        start = max(self._fronts.get(peer, 0), self.checkpoints[peer] + 1)
        if not self.holds(peer, start):
            start = next(self.owed(peer, start), self.head)
        self._fronts[peer] = start
        return start if start < self.head else None

    def take(self) -> Pending:
        """What is to be made durable now."""
        pending, self._pending = self._pending, Pending()
        return pending

    def restore(self, pending: Pending) -> None:
        """It could not be made durable: it is part of the next flush."""
        later, self._pending = self._pending, pending
        for place, slots in later.releases.items():
            pending.releases[place] += slots
        pending.checkpoints.update(later.checkpoints)
        pending.keys += later.keys

    def _from(self, start: int) -> Iterable[tuple[SegmentBits, int]]:
        """Segments that can hold seqs from `start` on, each with the slot to begin at."""
        first, slot = start >> SEGMENT_BITS, start & SLOT_MASK
        for segment in list(self.segments.values()):
            if segment.number >= first:
                yield segment, slot if segment.number == first else 0


def _by_segment(tokens: Sequence[Token]) -> Iterable[tuple[int, Sequence[Token]]]:
    if not tokens:
        return []
    seqs = [token.seq for token in tokens]
    number = min(seqs) >> SEGMENT_BITS
    if max(seqs) >> SEGMENT_BITS == number:
        return [(number, tokens)]
    parts: defaultdict[int, list[Token]] = defaultdict(list)
    for token in tokens:
        parts[token.seq >> SEGMENT_BITS].append(token)
    return parts.items()
