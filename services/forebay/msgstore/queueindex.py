"""The index of one queue: a journal of all that happens, and segments that it is worked into now and then.

    queue folder   0000000007.journal     records in the order of events, of all segments alike
                   0000000002.segment     records of the sequence numbers 2 * 16384 to 3 * 16384 - 1

`sync` makes the journal durable, which is enough to confirm. `checkpoint` writes what is still true of the journal
to the segments, syncs them, and only then deletes the journal; a segment that is acknowledged whole goes without
being read. A crash at any point leaves some records twice, which changes nothing, and never one too few.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from time import perf_counter
from typing import NamedTuple

from forebay.msgstore.disk import Disk, File
from forebay.msgstore.errors import DiskFullError, MessageStoreError, StoreFailedError
from forebay.msgstore.indexfile import IndexFolder, Kind, Record
from forebay.msgstore.queuerecord import (
    DELIVER,
    PUBLISH,
    QueueEntry,
    decode_acknowledge,
    decode_deliver,
    decode_publish,
    encode_acknowledge,
    encode_deliver,
    encode_publish,
)
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.segment import ENTRIES, Segment, Unsaved
from forebay.msgstore.writer import NO_SPACE

log = logging.getLogger(__name__)

JOURNAL_LIMIT = 32768
"""Records in the journal from which a checkpoint is due."""


@dataclass(slots=True)
class QueueIndexStats:
    """What an index has done since it was opened."""

    journal_writes: int = 0
    """Records written to the journal."""
    segment_writes: int = 0
    """Records written to segments."""
    segments_deleted: int = 0
    checkpoints: int = 0
    syncs: int = 0
    sync_seconds: float = 0.0
    damaged: int = 0
    """Entries set aside after the start, which has its own report."""


class _Saving(NamedTuple):
    segment: Segment
    unsaved: Unsaved
    done: bool
    """Nothing of the segment is needed any more."""


class QueueIndex:
    """Index of one queue; opening it recovers it, and blocks.

    `publish`, `deliver` and `acknowledge` never touch the disk and belong to one thread. `sync`, `checkpoint`, `read`,
    `references`, `close` and `erase` block and may run in others meanwhile. Entries that are not persistent are
    forgotten at the start. Raises `FormatError` for files of a newer release.
    """

    def __init__(self, disk: Disk, folder: str) -> None:
        self.report = RecoveryReport()
        """What the start has found."""
        self.stats = QueueIndexStats()
        self._files = IndexFolder(disk, folder)
        self._disk = disk
        self._codec = self._files.codec
        self._segments: dict[int, Segment] = {}
        self._buffer: list[bytes] = []
        self._buffer_lock = Lock()
        self._disk_lock = Lock()
        self._failed: StoreFailedError | None = None
        self._journaled = 0
        self._journals: list[int] = []
        self._journal: File
        self.next_seq = 0
        """Sequence number of the next entry to be published."""
        self._recover()

    def __len__(self) -> int:
        with self._buffer_lock:
            return sum(segment.live for segment in self._segments.values())

    @property
    def low_seq(self) -> int:
        """The lowest sequence number that is not acknowledged; `next_seq` when there is none."""
        with self._buffer_lock:
            alive = [segment for segment in self._segments.values() if segment.live]
            return min((segment.lowest() for segment in alive), default=self.next_seq)

    @property
    def checkpoint_due(self) -> bool:
        """The journal is long."""
        return self._journaled >= JOURNAL_LIMIT

    def publish(self, entries: Sequence[QueueEntry]) -> None:
        """Messages came in; durable after the next `sync`. Sequence numbers grow from `next_seq`."""
        with self._buffer_lock:
            for entry in entries:
                self._segment(entry.seq).publish(entry)
            self._write(encode_publish(self._codec, entry) for entry in entries)
            if entries:
                self.next_seq = entries[-1].seq + 1

    def deliver(self, seqs: range, deliveries: int) -> None:
        """Messages were handed out for the n-th time."""
        with self._buffer_lock:
            for segment, part in self._known(seqs):
                segment.deliver(part, deliveries)
            self._write([encode_deliver(self._codec, seqs, deliveries)])

    def acknowledge(self, seqs: range) -> None:
        """The queue is done with these messages; those acknowledged already are passed over."""
        with self._buffer_lock:
            for segment, part in self._known(seqs):
                segment.acknowledge(part)
            self._write([encode_acknowledge(self._codec, seqs)])

    def sync(self) -> None:
        """Make durable what happened before.

        Raises `DiskFullError`: try again, nothing is lost; and `StoreFailedError`, which is final.
        """
        with self._disk_lock:
            self._check()
            with self._buffer_lock:
                buffer, self._buffer = self._buffer, []
            if not buffer:
                return
            try:
                self._journal.append([b"".join(buffer)])
            except OSError as error:
                with self._buffer_lock:
                    self._buffer[:0] = buffer
                raise self._trouble(error) from error
            self._sync(self._journal)
            self.stats.journal_writes += len(buffer)

    def checkpoint(self) -> None:
        """Work the journal into the segments; errors as those of `sync`, and the journal stays."""
        with self._disk_lock:
            self._check()
            with self._buffer_lock:
                buffer, self._buffer = self._buffer, []
                work = [_Saving(segment, segment.begin_saving(), not segment.live) for segment in self._touched()]
                journaled, self._journaled = self._journaled, 0
            saved = False
            try:
                self._save(work)
                saved = True
            except OSError as error:
                raise self._trouble(error) from error
            finally:
                with self._buffer_lock:
                    self._end_saving(work, saved=saved)
                    if not saved:
                        self._buffer[:0] = buffer
                        self._journaled += journaled
            self.stats.checkpoints += 1

    def read(self, seqs: range) -> list[QueueEntry]:
        """Entries of that range that are not acknowledged, in order."""
        with self._disk_lock:
            return [entry for segment, part in self._known(seqs) for entry in self._read_part(segment, part)]

    def references(self) -> Iterator[tuple[bytes, int]]:
        """Message ids this queue needs from the message store, with the number of references; for a recount."""
        for number in sorted(self._segments):
            for entry in self.read(range(number * ENTRIES, (number + 1) * ENTRIES)):
                if entry.body is None:
                    yield entry.id, 1

    def close(self) -> None:
        """Make all durable and leave a short journal behind; where the disk is full, the long one is as good."""
        try:
            self.sync()
            with suppress(DiskFullError):
                self.checkpoint()
        finally:
            self._journal.close()

    def erase(self) -> None:
        """Delete the queue's files; the index is of no use afterwards."""
        with self._disk_lock:
            self._journal.close()
            folder = self._files.folder
            for name in self._disk.names(folder):
                self._disk.unlink(f"{folder}/{name}")
            self._disk.remove_folder(folder)

    # Memory; under the buffer's lock
    def _segment(self, seq: int) -> Segment:
        number = seq // ENTRIES
        segment = self._segments.get(number)
        if segment is None:
            segment = self._segments[number] = Segment(number)
        return segment

    def _known(self, seqs: range) -> Iterator[tuple[Segment, range]]:
        """The segments that hold some of these numbers, with the part of each."""
        for part in _parts(seqs):
            if segment := self._segments.get(part.start // ENTRIES):
                yield segment, part

    def _write(self, records: Iterable[bytes]) -> None:
        before = len(self._buffer)
        self._buffer += records
        self._journaled += len(self._buffer) - before

    def _touched(self) -> list[Segment]:
        return [segment for segment in self._segments.values() if segment.unsaved or not segment.live]

    def _end_saving(self, work: list[_Saving], *, saved: bool) -> None:
        for segment, unsaved, done in work:
            if not saved:
                segment.give_back(unsaved)
            elif done and not (segment.live or segment.unsaved):
                del self._segments[segment.number]

    # Disk; under the disk's lock
    def _check(self) -> None:
        if self._failed:
            raise self._failed

    def _last_journal(self) -> File:
        return self._disk.open(self._files.name(Kind.JOURNAL, self._journals[-1]))

    def _new_journal(self) -> File:
        number = self._journals[-1] + 1 if self._journals else 0
        journal = self._files.create(Kind.JOURNAL, number)
        self._journals.append(number)
        try:
            self._disk.sync_folder(self._files.folder)
        except OSError:
            journal.close()
            raise
        return journal

    def _save(self, work: list[_Saving]) -> None:
        """Segments first, then a new journal and the new names, and last the end of the old journals."""
        for saving in work:
            self._save_segment(saving)
        old, journal = list(self._journals), self._journal
        self._journal = self._new_journal()
        journal.close()
        for number in old:
            self._disk.unlink(self._files.name(Kind.JOURNAL, number))
            self._journals.remove(number)
        # An old journal that came back would publish again what nobody remembers to be acknowledged.
        self._disk.sync_folder(self._files.folder)

    def _save_segment(self, saving: _Saving) -> None:
        segment, unsaved, done = saving
        name = self._files.name(Kind.SEGMENT, segment.number)
        if done:
            if segment.filed:
                self._disk.unlink(name)
                segment.filed = False
                self.stats.segments_deleted += 1
            return
        records = unsaved.records(self._codec)
        file = self._disk.open(name) if segment.filed else self._files.create(Kind.SEGMENT, segment.number)
        segment.filed = True
        try:
            file.append([b"".join(records)])
            self._sync(file)
        finally:
            file.close()
        self.stats.segment_writes += len(records)

    def _sync(self, file: File) -> None:
        begun = perf_counter()
        try:
            file.datasync()
        except OSError as error:
            raise self._fail(error) from error
        self.stats.syncs += 1
        self.stats.sync_seconds += perf_counter() - begun

    def _trouble(self, error: OSError) -> MessageStoreError:
        if error.errno in NO_SPACE:
            return DiskFullError(f"no room for {self._files.folder} ({error}): free space or enlarge the volume")
        return self._fail(error)

    def _fail(self, error: OSError) -> StoreFailedError:
        if self._failed is None:
            self._failed = StoreFailedError(f"the disk failed under {self._files.folder} ({error}): check it, restart")
        return self._failed

    def _read_part(self, segment: Segment, seqs: range) -> Iterator[QueueEntry]:
        if not segment.live:
            return
        found, delivered = self._read_file(segment, seqs)
        with self._buffer_lock:
            unsaved = segment.unsaved
            found |= {seq: entry for seq, entry in unsaved.published.items() if seq in seqs}
            delivered |= unsaved.delivered
            entries = [found[seq] for seq in sorted(found) if segment.holds(seq)]
            self._set_aside(segment, seqs, found)
        for entry in entries:
            yield entry._replace(deliveries=delivered.get(entry.seq, 0))

    def _set_aside(self, segment: Segment, seqs: range, found: dict[int, QueueEntry]) -> None:
        """Acknowledge entries whose record turned out damaged, and say so."""
        for seq in segment.holding(seqs):
            if seq not in found:
                segment.acknowledge(range(seq, seq + 1))
                self.stats.damaged += 1
                log.error("entry %d of %s is damaged and set aside", seq, self._files.folder)

    def _read_file(self, segment: Segment, seqs: range) -> tuple[dict[int, QueueEntry], dict[int, int]]:
        found: dict[int, QueueEntry] = {}
        delivered: dict[int, int] = {}
        if segment.filed:
            file = self._disk.open(self._files.name(Kind.SEGMENT, segment.number))
            try:
                for kind, stamp, id, body in self._files.scan(file):
                    if kind == PUBLISH and stamp in seqs:
                        found[stamp] = decode_publish(stamp, id, body)
                    elif kind == DELIVER:
                        part, times = decode_deliver(stamp, body)
                        delivered |= dict.fromkeys(part, times)
            finally:
                file.close()
        return found, delivered

    # Start
    def _recover(self) -> None:
        begun = perf_counter()
        for file in self._files.found:
            if file.kind is Kind.SEGMENT:
                segment = self._segments[file.number] = Segment(file.number)
                segment.filed = True
                self._replay(self._files.recover(file, self.report), saved=True)
        for file in self._files.found:
            if file.kind is Kind.JOURNAL:
                self._journals.append(file.number)
                self._replay(self._files.recover(file, self.report), saved=False)
        self.next_seq = max((segment.highest() + 1 for segment in self._segments.values()), default=0)
        self._journal = self._last_journal() if self._journals else self._new_journal()
        with suppress(DiskFullError):
            self.checkpoint()
        self.report.messages = len(self)
        self.report.seconds = perf_counter() - begun

    def _replay(self, records: Iterable[Record], *, saved: bool) -> None:
        for kind, stamp, id, body in records:
            if kind == PUBLISH:
                entry = decode_publish(stamp, id, body)
                segment = self._segment(stamp)
                segment.publish(entry, saved=saved)
                if not entry.persistent:
                    segment.acknowledge(range(stamp, stamp + 1))
            elif kind == DELIVER and not saved:
                seqs, times = decode_deliver(stamp, body)
                for segment, part in self._known(seqs):
                    segment.deliver(part, times)
            elif kind != DELIVER:
                for segment, part in self._known(decode_acknowledge(stamp, body)):
                    segment.acknowledge(part, saved=saved)


def _parts(seqs: range) -> Iterator[range]:
    """A range cut at the bounds of segments."""
    start = seqs.start
    while start < seqs.stop:
        stop = min(seqs.stop, (start // ENTRIES + 1) * ENTRIES)
        yield range(start, stop)
        start = stop
