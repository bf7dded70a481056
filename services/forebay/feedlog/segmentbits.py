"""The bits of one segment in memory: which peer still needs which article's body."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import compress
from operator import or_
from re import compile as pattern

from forebay.feedlog.logsegment import SEGMENT_BITS

_TEST = [bytes(value >> bit & 1 for value in range(256)) for bit in range(8)]
_CLEAR = [bytes(value & ~(1 << bit) for value in range(256)) for bit in range(8)]
_COUNT = bytes(value.bit_count() for value in range(256))
_CLEAR_RUN = pattern(rb"\0+")


class SegmentBits:
    """A bitmap of peers and a group number for each entry of a segment.

    Entries are found by their slot, the low 14 bits of their seq. `slots` is a plain range until entries are left out.
    All that touches many entries runs over octets in C: of one peer's octet in every entry, a column is made of it.
    """

    def __init__(
        self, number: int, slots: Sequence[int], bits: bytes | bytearray, width: int, groups: "array[int]"
    ) -> None:
        """bits: `width` octets an entry, little-endian. slots: rising."""
        self.number = number
        self.slots = slots
        self.width = width
        self.groups = groups
        self._bits = bytearray(bits)

    def __len__(self) -> int:
        """Entries, owed or not."""
        return len(self.slots)

    @property
    def base(self) -> int:
        """Seq of slot 0."""
        return self.number << SEGMENT_BITS

    @property
    def peers(self) -> range:
        """Every number a peer with a bit here can have."""
        return range(self.width * 8)

    @property
    def dead(self) -> bool:
        """No bit is set."""
        return self._bits.count(0) == len(self._bits)

    def extend(self, bits: bytes, width: int, groups: Iterable[int]) -> None:
        """Entries were appended to a segment that has every slot up to its end."""
        if width > self.width:
            self._bits = bytearray(_widen(self._bits, self.width, width))
            self.width = width
        self._bits += _widen(bits, width, self.width)
        self.groups.extend(groups)
        self.slots = range(len(self._bits) // self.width)

    def holds(self, peer: int, slot: int) -> bool:
        """Whether the peer still needs the article."""
        ordinal = self._ordinal(slot)
        return ordinal >= 0 and peer in self.peers and bool(self._bits[self._at(peer, ordinal)] >> (peer & 7) & 1)

    def holds_all(self, peer: int, slots: list[int]) -> bool:
        """Whether the peer still needs each of the articles."""
        if peer not in self.peers:
            return not slots
        return self._owes_run(peer, slots) or all(self.holds(peer, slot) for slot in slots)

    def group(self, slot: int) -> int:
        """Number of the article's group; 0 when it is not known."""
        ordinal = self._ordinal(slot)
        return self.groups[ordinal] if ordinal >= 0 else 0

    def groups_of(self, slots: Sequence[int]) -> Iterable[int]:
        """As `group` for each."""
        if isinstance(self.slots, range) and max(slots, default=0) < len(self.slots):
            return map(self.groups.__getitem__, slots)
        return map(self.group, slots)

    def clear(self, peer: int, slots: list[int]) -> list[int]:
        """Clear the peer's bit of each; returns the slots where it was set, each once."""
        if peer not in self.peers:
            return []
        if self._owes_run(peer, slots):
            self.clear_run(peer, slots[0], slots[-1] + 1)
            return slots
        bits, width, octet, mask = self._bits, self.width, peer >> 3, 1 << (peer & 7)
        cleared: list[int] = []
        for slot, ordinal in self._places(slots):
            at = ordinal * width + octet
            if bits[at] & mask:
                bits[at] ^= mask
                cleared.append(slot)
        return cleared

    def _owes_run(self, peer: int, slots: list[int]) -> bool:
        """The slots follow each other and all have the peer's bit set: the case that has to be quick."""
        count = len(slots)
        if not count or not isinstance(self.slots, range) or slots != list(range(slots[0], slots[0] + count)):
            return False
        column = self._bits[self._at(peer, slots[0]) : (slots[0] + count) * self.width : self.width]
        return column.translate(_TEST[peer & 7]).count(1) == count

    def clear_run(self, peer: int, start: int, stop: int) -> None:
        """Clear the peer's bit of all slots from `start` up to `stop`, itself not included."""
        if peer not in self.peers:
            return
        first, last = bisect_left(self.slots, start), bisect_left(self.slots, stop)
        column = slice(self._at(peer, first), last * self.width, self.width)
        self._bits[column] = self._bits[column].translate(_CLEAR[peer & 7])

    def owed(self, peer: int, start: int = 0) -> Iterator[int]:
        """Slots from `start` on where the peer's bit is set."""
        first = bisect_left(self.slots, start)
        return compress(self.slots[first:], self._column(peer, first))

    def count_owed(self, peer: int, start: int = 0) -> int:
        """How many slots from `start` on have the peer's bit set."""
        return self._column(peer, bisect_left(self.slots, start)).count(1)

    def clear_runs(self, peer: int) -> list[tuple[int, int]]:
        """Runs of slots where the peer's bit is clear, as (start, stop); what was left out may be inside of them."""
        spans = (match.span() for match in _CLEAR_RUN.finditer(self._column(peer, 0)))
        return [(self.slots[start], self.slots[stop - 1] + 1) for start, stop in spans]

    def counts(self) -> Iterator[tuple[int, int]]:
        """Each slot with how many bits are set there."""
        columns = [self._bits[octet :: self.width].translate(_COUNT) for octet in range(self.width)]
        counts = columns[0] if len(columns) == 1 else map(sum, zip(*columns, strict=True))
        return zip(self.slots, counts, strict=True)

    def live(self) -> list[int]:
        """Slots where any bit is set."""
        columns = (int.from_bytes(self._bits[octet :: self.width], "little") for octet in range(self.width))
        return list(compress(self.slots, reduce(or_, columns).to_bytes(len(self), "little")))

    def copy(self) -> "SegmentBits":
        """A copy that stays as it is."""
        return SegmentBits(self.number, self.slots, self._bits, self.width, self.groups)

    def keep(self, slots: Sequence[int]) -> "SegmentBits":
        """A copy that has these entries only."""
        width = self.width
        places = [ordinal for _, ordinal in self._places(slots)]
        bits = b"".join(self._bits[ordinal * width : (ordinal + 1) * width] for ordinal in places)
        groups = array("H", map(self.groups.__getitem__, places))
        return SegmentBits(self.number, array("H", slots), bits, width, groups)

    def _column(self, peer: int, first: int) -> bytes:
        """One octet for each entry from ordinal `first` on: 1 where the peer's bit is set."""
        if peer not in self.peers:
            return bytes(len(self) - first)
        return bytes(self._bits[self._at(peer, first) :: self.width]).translate(_TEST[peer & 7])

    def _at(self, peer: int, ordinal: int) -> int:
        return ordinal * self.width + (peer >> 3)

    def _ordinal(self, slot: int) -> int:
        if isinstance(self.slots, range):
            return slot if slot < len(self.slots) else -1
        ordinal = bisect_left(self.slots, slot)
        return ordinal if ordinal < len(self.slots) and self.slots[ordinal] == slot else -1

    def _places(self, slots: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The slots that have an entry, each with its ordinal."""
        if isinstance(self.slots, range):
            known = [slot for slot in slots if slot < len(self.slots)]
            return zip(known, known, strict=True)
        return ((slot, ordinal) for slot in slots if (ordinal := self._ordinal(slot)) >= 0)


def _widen(bits: bytes | bytearray, width: int, wider: int) -> bytes | bytearray:
    if width == wider:
        return bits
    wide = bytearray(len(bits) // width * wider)
    for octet in range(width):
        wide[octet::wider] = bits[octet::width]
    return wide
