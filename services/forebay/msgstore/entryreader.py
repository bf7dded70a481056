"""Entries of a queue index, read from where they are: the files of segments, or memory till the next checkpoint."""

import logging
from collections.abc import Iterator
from itertools import repeat
from threading import Lock

from forebay.msgstore.disk import File
from forebay.msgstore.entrybatch import EntryBatch
from forebay.msgstore.indexfile import IndexFolder, Kind
from forebay.msgstore.segment import Segment, seqs_of
from forebay.msgstore.segmentreader import read_entries, read_stored
from forebay.msgstore.segmenttable import SegmentTable
from forebay.msgstore.stats import QueueIndexStats

READ_AT_ONCE = 2048
"""Entries in memory at once while all are gone through."""

log = logging.getLogger(__name__)


class EntryReader:
    """Reads, and sets aside what is damaged. memory: guards the table; disk: held while files are read."""

    def __init__(
        self, files: IndexFolder, table: SegmentTable, stats: QueueIndexStats, memory: Lock, disk: Lock
    ) -> None:
        self._files = files
        self._table = table
        self._stats = stats
        self._memory = memory
        self._disk = disk

    def batches(self, seqs: range) -> list[EntryBatch]:
        """Entries of that range that are held, in order."""
        with self._disk:
            with self._memory:
                known = list(self._table.known(seqs))
            batches = [batch for segment, part in known for batch in self._read_part(segment, part)]
        return sorted(batches, key=lambda batch: batch.first)

    def references(self) -> Iterator[tuple[bytes, int]]:
        """Ids that are needed of the message store, each with one reference."""
        with self._memory:
            numbers = [number for number in self._table.numbers() if self._table.segment(number).stored]
        for number in numbers:
            seqs = seqs_of(number)
            for first in range(seqs.start, seqs.stop, READ_AT_ONCE):
                for id in self._stored(range(first, min(first + READ_AT_ONCE, seqs.stop))):
                    yield id, 1

    def _stored(self, seqs: range) -> list[bytes]:
        """Ids of the messages in a part of one segment that are held and not embedded."""
        found: list[bytes] = []
        with self._disk:
            with self._memory:
                known = [
                    (segment, list(segment.saved(part)), list(segment.journaled(part)))
                    for segment, part in self._table.known(seqs)
                ]
            for segment, saved, journaled in known:
                for batch in journaled:
                    bodies = batch.bodies or repeat(None)
                    found += [id for id, body in zip(batch.ids, bodies, strict=False) if body is None]
                if saved and (file := self._open(segment)):
                    try:
                        found += read_stored(file, self._files.codec, saved)
                    finally:
                        file.close()
        return found

    def _read_part(self, segment: Segment, seqs: range) -> list[EntryBatch]:
        with self._memory:
            saved = list(segment.saved(seqs))
            batches = list(segment.journaled(seqs))
        missing = {number for number, _ in saved}
        for batch in self._read_saved(segment, saved):
            missing.difference_update(batch.seqs)
            batches.append(batch)
        with self._memory:
            self._set_aside(segment, missing)
            return [batch._replace(deliveries=segment.deliveries(batch.seqs)) for batch in batches]

    def _read_saved(self, segment: Segment, saved: list[tuple[int, int]]) -> list[EntryBatch]:
        file = self._open(segment) if saved else None
        if file is None:
            return []
        try:
            return list(read_entries(file, self._files.codec, saved))
        finally:
            file.close()

    def _open(self, segment: Segment) -> File | None:
        """The file of a segment; None when it has vanished."""
        try:
            return self._files.disk.open(self._files.name(Kind.SEGMENT, segment.number))
        except FileNotFoundError:
            return None

    def _set_aside(self, segment: Segment, seqs: set[int]) -> None:
        """Acknowledge entries whose record turned out damaged, and say so."""
        for seq in sorted(seqs):
            if segment.holds(range(seq, seq + 1)):
                segment.acknowledge(range(seq, seq + 1))
                self._stats.damaged += 1
                log.error("entry %d of %s is damaged and set aside", seq, self._files.folder)
