"""The segment files of the feed log: reading records back, compacting and deleting."""

from collections.abc import Container, Iterable, Iterator, Sequence
from threading import Lock

from forebay.feedlog.frames import HEADER_SIZE, Gap, content_start, header
from forebay.feedlog.logsegment import (
    FOLDER,
    KIND,
    SLOT_MASK,
    Entry,
    entries,
    segment_name,
)
from forebay.msgstore.disk import Disk
from forebay.outfeed.log.diskfiles import read_file, write_fresh
from forebay.outfeed.log.segmentindex import SegmentIndex
from forebay.outfeed.token import Token, message_key


class LogFiles:
    """All segment files. The event loop reads them, one thread appends (`LogWriter`), one compacts and deletes."""

    def __init__(self, disk: Disk) -> None:
        self.indexes: dict[int, SegmentIndex] = {}
        """By number of the segment."""
        self.damage: dict[str, None] = {}
        """What could not be read, for people: each place once, however often it is come across."""
        self._disk = disk
        self._swap = Lock()

    def load(self, number: int) -> tuple[list[Entry], bytes, list[Gap]]:
        """Read a segment whole and index it; also its content, and where that is damaged.

        Raises `FormatError` when it was written by a newer release.
        """
        name = segment_name(number)
        data = read_file(self._disk, name)
        gaps: list[Gap] = []
        found: list[Entry] = []
        slots: list[int] = []
        starts: list[int] = []
        for begin, _, entry in entries(data, gaps, content_start(data, KIND, name)):
            slots.append(entry.seq & SLOT_MASK)
            starts.append(begin)
            found.append(entry)
        index = self.indexes[number] = SegmentIndex()
        index.add(slots, starts, 0, len(data))
        return found, data, gaps

    def read(self, number: int) -> Iterator[Entry]:
        """All sound records of a segment; damage was told of by `load`."""
        name = segment_name(number)
        data = read_file(self._disk, name)
        for _, _, entry in entries(data, [], content_start(data, KIND, name)):
            yield entry

    def tokens(self, wanted: Iterable[tuple[int, Sequence[int]]]) -> list[Token]:
        """Tokens for slots, which are in rising order, by segment; damaged records are left out."""
        found: list[Token] = []
        for number, slots in wanted:
            found += self._tokens(number, slots[0], slots[-1], frozenset(slots))
        return found

    def _tokens(self, number: int, first: int, last: int, slots: Container[int]) -> Iterator[Token]:
        with self._swap:
            offset, end = self.indexes[number].span(first, last)
            data = read_file(self._disk, segment_name(number), offset, end)
        gaps: list[Gap] = []
        for _, _, entry in entries(data, gaps, 0):
            if entry.seq & SLOT_MASK in slots:
                yield Token(entry.message_id, message_key(entry.message_id), entry.seq, entry.arrival, entry.size, 0)
        self.note(segment_name(number), gaps, offset)

    def note(self, name: str, gaps: Iterable[Gap], offset: int = 0) -> None:
        """Remember damage found in the piece of a file that begins at `offset`."""
        self.damage.update(dict.fromkeys(gap.describe(name, offset) for gap in gaps))

    def compact(self, number: int, slots: Container[int]) -> None:
        """Rewrite a segment that is not appended to any more, with these records only.

        Raises `OSError` when it stays as it was.
        """
        name = segment_name(number)
        pieces, kept, starts, at = [header(KIND, number)], [], [], HEADER_SIZE
        data = read_file(self._disk, name)
        for begin, end, entry in entries(data, [], content_start(data, KIND, name)):
            if entry.seq & SLOT_MASK in slots:
                kept.append(entry.seq & SLOT_MASK)
                starts.append(at)
                pieces.append(data[begin:end])
                at += end - begin
        write_fresh(self._disk, f"{name}.new", [b"".join(pieces)])
        index = SegmentIndex()
        index.add(kept, starts, 0, at)
        with self._swap:
            self._disk.rename(f"{name}.new", name)
            self.indexes[number] = index
        # Before a new journal no longer tells of the records that are gone from here.
        self._disk.sync_folder(FOLDER)

    def delete(self, numbers: Iterable[int]) -> None:
        """Remove segments, durably."""
        for number in numbers:
            if number in self.indexes:
                self._disk.unlink(segment_name(number))
                del self.indexes[number]
        self._disk.sync_folder(FOLDER)

    def octets_from(self, number: int, slot: int) -> int:
        """Octets of all segments from a slot of one on; exact to a few hundred records."""
        later = sum(index.size for other, index in list(self.indexes.items()) if other > number)
        index = self.indexes.get(number)
        return later if index is None else later + index.size - index.span(slot, slot)[0]
