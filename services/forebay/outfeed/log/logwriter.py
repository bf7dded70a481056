"""Appending to the feed log: what gathers meanwhile is written at once and synced once."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from forebay.feedlog.frames import header
from forebay.feedlog.logsegment import (
    FOLDER,
    KIND,
    SEGMENT_BITS,
    SEGMENT_ENTRIES,
    Encoded,
    LogRecord,
    encode,
    segment_name,
)
from forebay.msgstore.disk import Disk, File
from forebay.msgstore.errors import DiskFullError, StoreFailedError
from forebay.outfeed.log.diskfiles import FULL
from forebay.outfeed.log.logfiles import LogFiles
from forebay.outfeed.log.ownership import Written
from forebay.outfeed.log.segmentindex import SegmentIndex


@dataclass(slots=True)
class Batch:
    """Records to append; `first` becomes the seq of the first of them."""

    records: Sequence[LogRecord]
    first: int = -1


@dataclass(slots=True)
class _Open:
    number: int
    file: File
    count: int = 0


class _Piece(NamedTuple):
    number: int
    first_slot: int
    offset: int
    encoded: Encoded


class LogWriter:
    """Appends to the newest segment and begins the next. Used by one thread."""

    def __init__(self, disk: Disk, files: LogFiles, next_number: int, reserve: int) -> None:
        """reserve: octets of free disk below which nothing is appended, so that releases still can be."""
        self.octets = 0
        """Octets appended so far."""
        self.written: deque[Written] = deque()
        """What became durable and is not yet in the bits; taken by the event loop."""
        self._disk = disk
        self._files = files
        self._next_number = next_number
        self._reserve = reserve
        self._current: _Open | None = None
        self._failed = False

    def commit(self, batches: list[Batch]) -> None:
        """Append all batches durably, or none.

        Raises `DiskFullError` when there is no room; `StoreFailedError` when the disk failed, and ever after.
        """
        if self._failed:
            raise StoreFailedError("feed log: an earlier write or sync failed; restart after checking the disk")
        if self._disk.free_bytes() < self._reserve:
            raise DiskFullError(f"feed log: less than {self._reserve} octets of disk are free; free some")
        touched = [self._current] if self._current else []
        try:
            pieces = self._write(list(chain.from_iterable(batch.records for batch in batches)), touched)
        except OSError as error:
            if error.errno in FULL and not self._failed:
                raise DiskFullError("feed log: the disk is full; free some of it") from error
            self._failed = True
            raise StoreFailedError(f"feed log: write failed ({error}); restart after checking the disk") from error
        self._sync(touched)
        self._publish(pieces)
        seq = (pieces[0].number << SEGMENT_BITS) + pieces[0].first_slot
        for batch in batches:
            batch.first = seq
            seq += len(batch.records)

    def close(self) -> None:
        """Close the newest segment."""
        if self._current:
            self._current.file.close()
            self._current = None

    def _write(self, records: list[LogRecord], touched: list[_Open]) -> list[_Piece]:
        before = [(segment, segment.count, segment.file.size()) for segment in touched]
        pieces: list[_Piece] = []
        done = 0
        try:
            while done < len(records):
                segment = self._open_segment(touched)
                some = records[done : done + SEGMENT_ENTRIES - segment.count]
                encoded = encode(some, (segment.number << SEGMENT_BITS) + segment.count)
                offset = segment.file.append([encoded.data])
                pieces.append(_Piece(segment.number, segment.count, offset, encoded))
                segment.count += len(some)
                done += len(some)
        except BaseException:
            self._roll_back(before, touched[len(before) :])
            raise
        return pieces

    def _open_segment(self, touched: list[_Open]) -> _Open:
        if self._current is None or self._current.count == SEGMENT_ENTRIES:
            number = self._next_number if self._current is None else self._current.number + 1
            self._current = _Open(number, self._disk.create(segment_name(number)))
            touched.append(self._current)
            self._current.file.append([header(KIND, number)])
        return self._current

    def _roll_back(self, before: list[tuple[_Open, int, int]], fresh: list[_Open]) -> None:
        """Leave everything as it was before the commit."""
        self._failed = True
        self._current = None
        for segment in fresh:
            segment.file.close()
            self._disk.unlink(segment_name(segment.number))
        for segment, count, size in before:
            segment.file.truncate(size)
            segment.count = count
            self._current = segment
        self._failed = False

    def _sync(self, touched: list[_Open]) -> None:
        try:
            for segment in touched:
                segment.file.datasync()
            if len(touched) > 1 or self._files.indexes.get(touched[0].number) is None:
                self._disk.sync_folder(FOLDER)
        except OSError as error:
            self._failed = True
            raise StoreFailedError(f"feed log: sync failed ({error}); restart after checking the disk") from error
        for segment in touched[:-1]:
            segment.file.close()

    def _publish(self, pieces: list[_Piece]) -> None:
        for number, first_slot, offset, encoded in pieces:
            index = self._files.indexes.setdefault(number, SegmentIndex())
            slots = range(first_slot, first_slot + len(encoded.starts))
            index.add(slots, encoded.starts, offset, offset + len(encoded.data))
            self.octets += len(encoded.data)
            self.written.append(Written(number, encoded.bits, encoded.width, encoded.groups))
