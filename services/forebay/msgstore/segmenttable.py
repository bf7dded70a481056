"""The segments of a queue index in memory."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from forebay.msgstore.segment import Journaled, Segment, Unsaved, number_of, parts

if TYPE_CHECKING:
    from array import array


class Saving(NamedTuple):
    """A segment that a checkpoint writes."""

    segment: Segment
    unsaved: Unsaved
    done: bool
    """Nothing of the segment is needed any more."""


class SegmentTable:
    """Segments by number; a range of sequence numbers goes to those that it touches. Its user locks."""

    def __init__(self) -> None:
        self._segments: dict[int, Segment] = {}

    def __len__(self) -> int:
        return sum(segment.live for segment in self._segments.values())

    def numbers(self) -> list[int]:
        """Those of all segments, ascending."""
        return sorted(self._segments)

    def segment(self, number: int) -> Segment:
        """The segment of that number, made when it is missing."""
        segment = self._segments.get(number)
        if segment is None:
            segment = self._segments[number] = Segment(number)
        return segment

    def known(self, seqs: range) -> Iterator[tuple[Segment, range]]:
        """The segments that hold some of these numbers, with the part of each."""
        for part in parts(seqs):
            if segment := self._segments.get(number_of(part.start)):
                yield segment, part

    # What happens
    def publish(self, journaled: Journaled) -> None:
        """Messages came in."""
        first = journaled.batch.first
        for part in parts(journaled.batch.seqs):
            self.segment(number_of(part.start)).publish(journaled.part(part.start - first, part.stop - first))

    def deliver(self, seqs: range, times: int, *, saved: bool = False) -> None:
        """Messages were delivered for the n-th time. saved: the files say so already."""
        for segment, part in self.known(seqs):
            segment.deliver(part, times, saved=saved)

    def acknowledge(self, seqs: range, *, saved: bool = False) -> None:
        """Messages are done with."""
        for segment, part in self.known(seqs):
            segment.acknowledge(part, saved=saved)

    # What is there
    def lowest(self) -> int | None:
        """The lowest sequence number that is held."""
        return min((segment.lowest() for segment in self._segments.values() if segment.live), default=None)

    def highest(self) -> int:
        """The highest sequence number that is known, acknowledged or not; -1 without any."""
        return max((segment.highest() for segment in self._segments.values()), default=-1)

    def holding(self, seqs: range) -> list[range]:
        """The numbers of that range that are held."""
        return [held for segment, part in self.known(seqs) for held in segment.holding(part)]

    @property
    def unsaved_octets(self) -> int:
        """Octets of messages that the journal alone has."""
        return sum(segment.unsaved.octets for segment in self._segments.values())

    def soonest(self, seqs: range) -> int:
        """When the first message of that range expires, or a time before it; 0 for never."""
        times = [segment.soonest(part) for segment, part in self.known(seqs)]
        return min(filter(None, times), default=0)

    def take_expired(self, seqs: range, now: int) -> list[int]:
        """Numbers of that range whose messages have expired; each is told once."""
        return [seq for segment, part in self.known(seqs) for seq in segment.take_expired(part, now)]

    def set_expiries(self, first: int, expiries: "array[int]") -> None:
        """Tell again when these consecutive messages expire."""
        for segment, part in self.known(range(first, first + len(expiries))):
            segment.set_expiries(part.start, expiries[part.start - first : part.stop - first])

    # Saving
    def begin_saving(self) -> list[Saving]:
        """What the files do not say yet, of each segment that has something of the kind."""
        touched = [segment for segment in self._segments.values() if segment.unsaved or not segment.live]
        return [Saving(segment, segment.begin_saving(), not segment.live) for segment in touched]

    def end_saving(self, work: list[Saving], *, saved: bool) -> None:
        """It was written, or was not after all."""
        for segment, unsaved, done in work:
            if not saved:
                segment.give_back(unsaved)
            elif done and not (segment.live or segment.unsaved):
                del self._segments[segment.number]
