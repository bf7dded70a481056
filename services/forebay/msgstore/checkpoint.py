"""A checkpoint of a queue index: what the journal has goes to the segments, then the journal begins anew."""

from collections.abc import Sequence

from forebay.msgstore.disk import File
from forebay.msgstore.diskhealth import DiskHealth
from forebay.msgstore.indexfile import IndexFolder, Kind
from forebay.msgstore.journal import Journal
from forebay.msgstore.segment import Segment
from forebay.msgstore.segmenttable import Saving
from forebay.msgstore.stats import QueueIndexStats


class Checkpoint:
    """Writes the files of segments. Its user locks."""

    def __init__(self, files: IndexFolder, journal: Journal, health: DiskHealth, stats: QueueIndexStats) -> None:
        self._files = files
        self._journal = journal
        self._health = health
        self._stats = stats

    def save(self, work: Sequence[Saving], start: bytes) -> None:
        """Segments first, then a new journal with that start. Raises `OSError` and `StoreFailedError`."""
        for saving in work:
            if saving.done:
                self._delete(saving.segment)
            else:
                self._write(saving)
        self._journal.replace(start)

    def _delete(self, segment: Segment) -> None:
        if segment.filed:
            name = self._files.name(Kind.SEGMENT, segment.number)
            if self._files.disk.exists(name):
                self._files.disk.unlink(name)
            segment.filed = False
            self._stats.segments_deleted += 1

    def _write(self, saving: Saving) -> None:
        segment = saving.segment
        records = segment.records(saving.unsaved, self._files.codec)
        if not records.number:
            return
        file = self._open(segment)
        segment.filed = True
        try:
            offset = file.append([b"".join(records.pieces)])
            self._health.sync(file)
        finally:
            file.close()
        segment.saved_at(offset, records)
        self._stats.segment_writes += records.number

    def _open(self, segment: Segment) -> File:
        name = self._files.name(Kind.SEGMENT, segment.number)
        if segment.filed and self._files.disk.exists(name):
            return self._files.disk.open(name)
        return self._files.create(Kind.SEGMENT, segment.number)
