"""The table `entries`: what waits in the queues of a data folder, from their indexes, and damage of those.

Messages that are not persistent are left out, for the next start forgets them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]

from forebay.msgstore.indexfile import Kind
from forebay.msgstore.queuerecord import (
    ACKNOWLEDGE,
    DELIVER,
    PUBLISH,
    QueueEntry,
    decode_acknowledge,
    decode_deliver,
    decode_publish,
)
from forebay.msgstore.record import FILE_HEAD_SIZE, Codec, decode_file_head
from forebay.msgstore.scan import Scanner, guess_marker
from forebay.msgstore.segment import ENTRIES
from forebay_spark.datafolder import DataFolder
from forebay_spark.readfile import ReadFile

_COLUMNS = ["queue", "seq", "id", "size", "expiry", "embedded", "deliveries", "damage"]
_OF_MESSAGES = {PUBLISH, DELIVER, ACKNOWLEDGE}


class Record(NamedTuple):
    """A record about messages of a queue."""

    kind: int
    stamp: int
    id: bytes
    body: bytes


@dataclass(frozen=True)
class Queue:
    """A queue that one task reads."""

    folder: Path


class QueueEntries:
    """The queues of a folder."""

    schema = (
        "queue string, seq bigint, id binary, size bigint, expiry bigint, embedded boolean, deliveries bigint,"
        " damage string"
    )

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder

    def parts(self, count: int) -> list[Queue]:
        """A part for each queue."""
        return [Queue(folder) for folder in self._folder.queues]

    def read(self, part: Queue) -> Iterator[pa.RecordBatch]:
        """The rows of a queue. Raises `FormatError` for an index of a newer release."""
        index = _Index(self._folder, part.folder)
        name = str(part.folder.relative_to(self._folder.path))
        for entries in index.segments():
            yield _batch(name, entries)
        yield _damages(name, index.damage)

    def pieces(self, part: Queue) -> Iterator[pa.RecordBatch]:
        """The same; there are too few to be told of in another way."""
        return self.read(part)


class _Index:
    """The index of a queue that is read once; `damage` tells what could not be."""

    def __init__(self, folder: DataFolder, queue: Path) -> None:
        self.damage: list[str] = []
        self._folder = folder
        self._queue = queue

    def segments(self) -> Iterator[list[QueueEntry]]:
        """What waits, a segment at a time."""
        journaled: defaultdict[int, list[Record]] = defaultdict(list)
        for file in sorted(self._queue.glob(f"*.{Kind.JOURNAL.value}")):
            for record in self._records(file, Kind.JOURNAL):
                for number in _segments_of(record):
                    journaled[number].append(record)
        files = {int(file.stem): file for file in self._queue.glob(f"*.{Kind.SEGMENT.value}")}
        for number in sorted(files.keys() | journaled.keys()):
            segment = _Segment(number)
            if number in files:
                segment.add(self._records(files[number], Kind.SEGMENT))
            segment.add(journaled[number])
            yield segment.waiting()

    def _records(self, path: Path, kind: Kind) -> list[Record]:
        """The whole records of a file; none when it was deleted, as its records are in another one by now."""
        try:
            file = self._folder.open(path)
        except FileNotFoundError:
            return []
        with file:
            marker = self._marker(file, kind)
            scanner = Scanner(file, Codec(marker))
            records = [
                Record(found.kind, found.stamp, found.id, scanner.body(found))
                for block in scanner.blocks()
                for found in block
                if found.kind in _OF_MESSAGES
            ]
            damages = [damage for damage in scanner.damages if not damage.torn]
            self.damage += [f"{file.name}: {size} octets at {at} are damaged" for _, at, size, _, _ in damages]
        return records

    def _marker(self, file: ReadFile, kind: Kind) -> bytes:
        head = decode_file_head(file.pread(FILE_HEAD_SIZE, 0), file.name, kind.magic)
        if head is not None:
            return head.marker
        if file.size() > FILE_HEAD_SIZE:
            self.damage.append(f"{file.name}: {FILE_HEAD_SIZE} octets at 0 are damaged")
        return guess_marker(file) or b""


class _Segment:
    """What waits in one segment, made of records in the order of events."""

    def __init__(self, number: int) -> None:
        self._seqs = range(number * ENTRIES, (number + 1) * ENTRIES)
        self._waiting: dict[int, QueueEntry] = {}
        self._known: set[int] = set()
        self._delivered: dict[int, int] = {}

    def add(self, records: Sequence[Record]) -> None:
        """A message counts once, however many records publish it, and no more once it was acknowledged."""
        for kind, stamp, id, body in records:
            if kind == PUBLISH:
                self._publish(decode_publish(stamp, id, body))
            elif kind == DELIVER:
                seqs, times = decode_deliver(stamp, body)
                self._delivered |= dict.fromkeys(self._mine(seqs), times)
            else:
                for seq in self._mine(decode_acknowledge(stamp, body)):
                    self._waiting.pop(seq, None)

    def waiting(self) -> list[QueueEntry]:
        """All that was not acknowledged."""
        delivered = self._delivered
        return [entry._replace(deliveries=delivered.get(seq, 0)) for seq, entry in sorted(self._waiting.items())]

    def _publish(self, entry: QueueEntry) -> None:
        if entry.seq not in self._known:
            self._known.add(entry.seq)
            if entry.persistent:
                self._waiting[entry.seq] = entry

    def _mine(self, seqs: range) -> range:
        return range(max(seqs.start, self._seqs.start), min(seqs.stop, self._seqs.stop))


def _segments_of(record: Record) -> range:
    kind, stamp, _, body = record
    seqs = range(stamp, stamp + 1)
    if kind == DELIVER:
        seqs, _ = decode_deliver(stamp, body)
    elif kind != PUBLISH:
        seqs = decode_acknowledge(stamp, body)
    return range(seqs.start // ENTRIES, (seqs.stop - 1) // ENTRIES + 1)


def _batch(queue: str, entries: Sequence[QueueEntry]) -> pa.RecordBatch:
    columns = [
        pa.repeat(queue, len(entries)),
        pa.array([entry.seq for entry in entries], pa.int64()),
        pa.array([entry.id for entry in entries], pa.binary()),
        pa.array([entry.size for entry in entries], pa.int64()),
        pa.array([entry.expiry for entry in entries], pa.int64()),
        pa.array([entry.body is not None for entry in entries], pa.bool_()),
        pa.array([entry.deliveries for entry in entries], pa.int64()),
        pa.nulls(len(entries), pa.string()),
    ]
    return pa.record_batch(columns, _COLUMNS)


def _damages(queue: str, damage: Sequence[str]) -> pa.RecordBatch:
    count = len(damage)
    types = [pa.int64(), pa.binary(), pa.int64(), pa.int64(), pa.bool_(), pa.int64()]
    columns = [pa.repeat(queue, count), *(pa.nulls(count, kind) for kind in types), pa.array(damage, pa.string())]
    return pa.record_batch(columns, _COLUMNS)
