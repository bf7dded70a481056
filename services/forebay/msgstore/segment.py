"""A segment of a queue index in memory: what is published and acknowledged, and what its file does not say yet.

An octet of state, four of the place in the file, two of deliveries and eight of expiry where there are any: that is
what a message costs in memory that is on disk alone.
"""

import re
from array import array
from collections import deque
from collections.abc import Iterator
from itertools import accumulate, groupby
from operator import add
from typing import NamedTuple

from forebay.msgstore.entrybatch import EntryBatch
from forebay.msgstore.expiries import Expiries
from forebay.msgstore.queuerecord import encode_acknowledge, encode_deliver, joined
from forebay.msgstore.record import Codec

ENTRIES = 16384
"""Sequence numbers a segment."""

MOST_DELIVERIES = 0xFFFF
"""Deliveries are counted up to this."""

_NONE, _PUBLISHED, _ACKNOWLEDGED = 0, 1, 2
_HELD = re.compile(b"\x01+")


class Journaled(NamedTuple):
    """Entries with the records that the journal has of them."""

    batch: EntryBatch
    heads: list[bytes]
    """Records but for the embedded messages."""

    def part(self, start: int, stop: int) -> "Journaled":
        """Those from position `start` to before `stop`."""
        return Journaled(self.batch.part(start, stop), self.heads[start:stop])

    @property
    def octets(self) -> int:
        """What it takes in the journal, and in memory meanwhile."""
        bodies = sum(map(len, filter(None, self.batch.bodies))) if self.batch.bodies else 0
        return bodies + len(self.heads) * len(self.heads[0])


class Unsaved:
    """What happened to a segment since its file was last written. Its ranges may name what is gone by now."""

    __slots__ = ("acknowledged", "delivered", "octets", "published")

    def __init__(self) -> None:
        self.published: deque[Journaled] = deque()
        self.delivered: list[range] = []
        self.acknowledged: list[range] = []
        self.octets = 0

    def __bool__(self) -> bool:
        return bool(self.published or self.delivered or self.acknowledged)

    def after(self, before: "Unsaved") -> "Unsaved":
        """This after `before`, as one."""
        before.published += self.published
        before.delivered += self.delivered
        before.acknowledged += self.acknowledged
        before.octets += self.octets
        return before


class Records(NamedTuple):
    """What is appended to a segment's file."""

    pieces: list[bytes]
    """Records, end to end."""
    number: int
    places: list[tuple[int, list[int]]]
    """The first sequence number of each stretch, and where its records begin, counted from the first piece."""


class Segment:
    """State of a segment; every change may be repeated without effect, as recovery does. Its user locks."""

    __slots__ = (
        "_deliveries",
        "_expiries",
        "_offsets",
        "_state",
        "filed",
        "live",
        "number",
        "start",
        "stored",
        "unsaved",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        self.start = number * ENTRIES
        """Its first sequence number."""
        self.live = 0
        """Published and not acknowledged."""
        self.filed = False
        """Its file exists."""
        self.stored = False
        """The message store has the contents of some of its messages."""
        self.unsaved = Unsaved()
        """What its file does not say yet."""
        self._state = bytearray(ENTRIES)
        self._offsets = array("I", bytes(4 * ENTRIES))
        self._deliveries: array[int] | None = None
        self._expiries: Expiries | None = None

    # What happens
    def publish(self, journaled: Journaled) -> None:
        """Messages came in; those that are known already are passed over."""
        batch = journaled.batch
        start, count = batch.first - self.start, len(batch.ids)
        if self._state.count(_NONE, start, start + count) < count:
            self._publish_unknown(journaled, start)
            return
        self._enter(start, count, batch.expiries)
        self.stored |= batch.bodies is None or None in batch.bodies
        self.unsaved.published.append(journaled)
        self.unsaved.octets += journaled.octets

    def restore(self, first: int, offsets: "array[int]", expiries: "array[int] | None") -> None:
        """The file says that consecutive messages came in; their records are at these places in it."""
        start, count = first - self.start, len(offsets)
        self._offsets[start : start + count] = offsets
        if self._state.count(_NONE, start, start + count) == count:
            self._enter(start, count, expiries)
            return
        for place in range(start, start + count):
            if self._state[place] == _NONE:
                self._enter(place, 1, expiries[place - start : place - start + 1] if expiries else None)

    def deliver(self, seqs: range, times: int, *, saved: bool = False) -> None:
        """Messages were delivered for the n-th time. saved: the file says so already."""
        if self._deliveries is None:
            self._deliveries = array("H", bytes(2 * ENTRIES))
        start = seqs.start - self.start
        self._deliveries[start : start + len(seqs)] = array("H", (min(times, MOST_DELIVERIES),)) * len(seqs)
        if not saved:
            _extend(self.unsaved.delivered, seqs)

    def acknowledge(self, seqs: range, *, saved: bool = False) -> None:
        """Messages are done with."""
        state, start, stop = self._state, seqs.start - self.start, seqs.stop - self.start
        held = state.count(_PUBLISHED, start, stop)
        if not held:
            return
        if held == stop - start:
            state[start:stop] = b"\x02" * held
        else:
            state[start:stop] = state[start:stop].replace(b"\x01", b"\x02")
        self.live -= held
        if not saved:
            _extend(self.unsaved.acknowledged, seqs)
            self._forget()

    # What is there
    def holds(self, seqs: range) -> int:
        """How many of these are here and not acknowledged."""
        return self._state.count(_PUBLISHED, seqs.start - self.start, seqs.stop - self.start)

    def holding(self, seqs: range) -> list[range]:
        """Those of the segment's numbers in the range that are here and not acknowledged."""
        return self._holding(seqs.start - self.start, seqs.stop - self.start)

    def saved(self, seqs: range) -> Iterator[tuple[int, int]]:
        """Numbers in the range that are held and whose record is in the file, with its place there."""
        for part in self.holding(seqs):
            offsets = self._offsets[part.start - self.start : part.stop - self.start]
            yield from ((seq, offset) for seq, offset in zip(part, offsets, strict=True) if offset)

    def journaled(self, seqs: range) -> Iterator[EntryBatch]:
        """Entries in the range that are held and whose record is in the journal alone."""
        for batch, _ in self.unsaved.published:
            start, stop = max(batch.first, seqs.start), min(batch.first + len(batch.ids), seqs.stop)
            if start < stop:
                for part in self.holding(range(start, stop)):
                    yield batch.part(part.start - batch.first, part.stop - batch.first)

    def deliveries(self, seqs: range) -> "array[int] | None":
        """How often each of these was delivered; None when none was."""
        if self._deliveries is None:
            return None
        part = self._deliveries[seqs.start - self.start : seqs.stop - self.start]
        return part if any(part) else None

    def soonest(self, seqs: range) -> int:
        """The first expiry of the held messages in the range, or a time before it; 0 for none."""
        if self._expiries is None:
            return 0
        return self._expiries.soonest(self._state, seqs.start - self.start, seqs.stop - self.start)

    def take_expired(self, seqs: range, now: int) -> list[int]:
        """The held messages in the range that have expired; each is told once."""
        if self._expiries is None:
            return []
        places = self._expiries.take(self._state, seqs.start - self.start, seqs.stop - self.start, now)
        return [self.start + place for place in places]

    def set_expiries(self, first: int, expiries: "array[int]") -> None:
        """Tell again when these expire."""
        if self._expiries is None:
            self._expiries = Expiries(ENTRIES)
        self._expiries.set(first - self.start, expiries)

    def highest(self) -> int:
        """The highest sequence number published, acknowledged or not; -1 without any."""
        place = max(self._state.rfind(_PUBLISHED), self._state.rfind(_ACKNOWLEDGED))
        return self.start + place if place >= 0 else -1

    def lowest(self) -> int:
        """The lowest sequence number still here; only while some is."""
        return self.start + self._state.index(_PUBLISHED)

    # Saving
    def begin_saving(self) -> Unsaved:
        """Hand out what must be written; what happens from now on is for the next time."""
        saving, self.unsaved = self.unsaved, Unsaved()
        return saving

    def records(self, saving: Unsaved, codec: Codec) -> Records:
        """What is still true of that, for the segment's file."""
        pieces: list[bytes] = []
        places: list[tuple[int, list[int]]] = []
        at = count = 0
        for journaled in saving.published:
            for seqs in self.holding(journaled.batch.seqs):
                batch, heads = journaled.part(seqs.start - journaled.batch.first, seqs.stop - journaled.batch.first)
                pieces += joined(heads, batch.bodies)
                lengths = map(len, heads)
                if batch.bodies:
                    lengths = map(add, lengths, (len(body or b"") for body in batch.bodies))
                *offsets, at = accumulate(lengths, initial=at)
                places.append((seqs.start, offsets))
                count += len(heads)
        more = [*self._deliver_records(saving.delivered, codec), *self._acknowledge_records(saving.acknowledged, codec)]
        return Records(pieces + more, count + len(more), places)

    def saved_at(self, offset: int, records: Records) -> None:
        """Those were written to the file, from that offset on."""
        for first, offsets in records.places:
            place = first - self.start
            self._offsets[place : place + len(offsets)] = array("I", [offset + at for at in offsets])

    def give_back(self, saving: Unsaved) -> None:
        """It was not written after all."""
        self.unsaved = self.unsaved.after(saving)
        self._forget()

    def _deliver_records(self, ranges: list[range], codec: Codec) -> Iterator[bytes]:
        for part in _merged(ranges):
            for seqs in self.holding(part):
                counts = zip(self.deliveries(seqs) or (), seqs, strict=False)
                for times, group in groupby(counts, key=lambda item: item[0]):
                    alike = [seq for _, seq in group]
                    if times:
                        yield encode_deliver(codec, range(alike[0], alike[-1] + 1), times)

    def _acknowledge_records(self, ranges: list[range], codec: Codec) -> Iterator[bytes]:
        """Of what the file has: the others came and went without it."""
        for seqs in _merged(ranges):
            if any(self._offsets[seqs.start - self.start : seqs.stop - self.start]):
                yield from (encode_acknowledge(codec, part) for part in self._gone(seqs))

    def _gone(self, seqs: range) -> Iterator[range]:
        """The numbers in a range that are not held."""
        start = seqs.start
        for part in self.holding(seqs):
            if part.start > start:
                yield range(start, part.start)
            start = part.stop
        if start < seqs.stop:
            yield range(start, seqs.stop)

    def _enter(self, start: int, count: int, expiries: "array[int] | None") -> None:
        self._state[start : start + count] = b"\x01" * count
        self.live += count
        if self._deliveries is not None:
            self._deliveries[start : start + count] = array("H", bytes(2 * count))
        if expiries:
            self.set_expiries(self.start + start, expiries)

    def _publish_unknown(self, journaled: Journaled, start: int) -> None:
        for position in range(len(journaled.heads)):
            if self._state[start + position] == _NONE:
                self.publish(journaled.part(position, position + 1))

    def _forget(self) -> None:
        """Let go of the oldest messages of the journal that are acknowledged."""
        published = self.unsaved.published
        while published and not self.holds(published[0].batch.seqs):
            self.unsaved.octets -= published.popleft().octets

    def _holding(self, start: int, stop: int) -> list[range]:
        found = _HELD.finditer(bytes(self._state[start:stop]))
        base = self.start + start
        return [range(base + match.start(), base + match.end()) for match in found]


def number_of(seq: int) -> int:
    """Number of the segment that a sequence number belongs to."""
    return seq // ENTRIES


def seqs_of(number: int) -> range:
    """All sequence numbers of a segment."""
    return range(number * ENTRIES, (number + 1) * ENTRIES)


def parts(seqs: range) -> Iterator[range]:
    """A range cut at the bounds of segments."""
    start = seqs.start
    while start < seqs.stop:
        stop = min(seqs.stop, seqs_of(number_of(start)).stop)
        yield range(start, stop)
        start = stop


def _extend(ranges: list[range], seqs: range) -> None:
    if ranges and ranges[-1].stop == seqs.start:
        ranges[-1] = range(ranges[-1].start, seqs.stop)
    else:
        ranges.append(seqs)


def _merged(ranges: list[range]) -> list[range]:
    """The same numbers, ascending and each once."""
    merged: list[range] = []
    for seqs in sorted(ranges, key=lambda seqs: seqs.start):
        if merged and seqs.start <= merged[-1].stop:
            merged[-1] = range(merged[-1].start, max(merged[-1].stop, seqs.stop))
        else:
            merged.append(seqs)
    return merged
