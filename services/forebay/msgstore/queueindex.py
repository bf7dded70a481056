"""The index of one queue: a journal of all that happens, and segments that it is worked into now and then.

    queue folder   0000000007.journal     records in the order of events, of all segments alike
                   0000000002.segment     records of the sequence numbers 2 * 16384 to 3 * 16384 - 1

`sync` makes the journal durable, which is enough to confirm. `checkpoint` writes what is still true of the journal
to the segments, syncs them, and only then deletes the journal; a segment that is acknowledged whole goes without
being read. A crash at any point leaves some records twice, which changes nothing, and never one too few.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from forebay.msgstore.disk import Disk, File
from forebay.msgstore.entrybatch import EntryBatch, batches_of
from forebay.msgstore.errors import DiskFullError, MessageStoreError, StoreFailedError
from forebay.msgstore.indexfile import IndexFolder, Kind
from forebay.msgstore.indexrecovery import IndexRecovery
from forebay.msgstore.journalbuffer import JournalBuffer, Taken, joined_records
from forebay.msgstore.queuemarks import QueueMarks
from forebay.msgstore.queuerecord import (
    QueueEntry,
    encode_acknowledge,
    encode_deliver,
    encode_heads,
    encode_mark,
    joined,
)
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.segment import ENTRIES, Journaled, Segment, Unsaved, parts
from forebay.msgstore.segmentreader import read_entries
from forebay.msgstore.writer import NO_SPACE

if TYPE_CHECKING:
    from array import array

log = logging.getLogger(__name__)

JOURNAL_LIMIT = 32768
"""Records in the journal from which a checkpoint is due."""

JOURNAL_OCTETS = 64 << 20
"""Octets of the journal from which a checkpoint is due."""

UNSAVED_OCTETS = 16 << 20
"""Octets of messages that the journal alone has, and memory till then, from which a checkpoint is due."""

READ_AT_ONCE = 2048
"""Entries in memory at once while all are gone through."""


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

    `publish`, `deliver`, `acknowledge`, `mark` and `take` never touch the disk and belong to one thread. `write`,
    `sync`, `checkpoint`, `read`, `references`, `close` and `erase` block and may run in others meanwhile. Entries that
    are not persistent are forgotten at the start. Raises `FormatError` for files of a newer release.
    """

    def __init__(self, disk: Disk, folder: str) -> None:
        self.report = RecoveryReport()
        """What the start has found."""
        self.stats = QueueIndexStats()
        self._files = IndexFolder(disk, folder)
        self._disk = disk
        self._codec = self._files.codec
        self._segments: dict[int, Segment] = {}
        self._buffer = JournalBuffer()
        self._marks = QueueMarks()
        self._buffer_lock = Lock()
        self._disk_lock = Lock()
        self._failed: StoreFailedError | None = None
        self._unsynced = False
        self._journals: list[int] = []
        self._journal: File
        self.next_seq = 0
        """Sequence number behind the highest that was published."""
        self.octets_found = 0
        """Octets of the messages that the start has found."""
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
    def unsaved_octets(self) -> int:
        """Octets of messages that are kept in memory until the next checkpoint."""
        with self._buffer_lock:
            return sum(segment.unsaved.octets for segment in self._segments.values())

    @property
    def checkpoint_due(self) -> bool:
        """The journal is long, or what only it has is much."""
        return (
            self._buffer.journaled >= JOURNAL_LIMIT
            or self._journal.size() >= JOURNAL_OCTETS
            or self.unsaved_octets >= UNSAVED_OCTETS
        )

    def publish(self, entries: Sequence[QueueEntry]) -> None:
        """Messages came in; durable after the next `sync`."""
        for batch in batches_of(entries):
            self.publish_batch(batch)

    def publish_batch(self, batch: EntryBatch) -> None:
        """As `publish`, and fast; a number that was published before is passed over."""
        first, ids, sizes, expiries, bodies, persistent, _ = batch
        heads = encode_heads(self._codec, first, ids, sizes, expiries, bodies, persistent=persistent)
        journaled = Journaled(batch, heads)
        with self._buffer_lock:
            for part in parts(batch.seqs):
                self._segment(part.start).publish(journaled.part(part.start - first, part.stop - first))
            self._buffer.add(joined(heads, bodies), len(heads))
            self.next_seq = max(self.next_seq, first + len(ids))

    def deliver(self, seqs: range, deliveries: int) -> None:
        """Messages were handed out for the n-th time."""
        with self._buffer_lock:
            for segment, part in self._known(seqs):
                segment.deliver(part, deliveries)
            self._buffer.add([encode_deliver(self._codec, seqs, deliveries)], 1)

    def acknowledge(self, seqs: range) -> None:
        """The queue is done with these messages; those acknowledged already are passed over."""
        with self._buffer_lock:
            for segment, part in self._known(seqs):
                segment.acknowledge(part)
            self._buffer.add([encode_acknowledge(self._codec, seqs)], 1)

    def mark(self, name: bytes, value: int) -> None:
        """Keep a small fact: the highest value of that name, durable with what was published before it.

        There may be 10,000 names; beyond that the one not set for longest goes.
        """
        with self._buffer_lock:
            self._marks.set(name, value)
            self._buffer.add([encode_mark(self._codec, name, value)], 1)

    def marks(self) -> dict[bytes, int]:
        """The value of each mark."""
        with self._buffer_lock:
            return self._marks.values()

    def behind_marks(self) -> list[range]:
        """Sequence numbers that the start found published behind the last mark: a mark about them may be lost."""
        return list(self._marks.behind)

    def take(self) -> Taken | None:
        """What happened up to now, for `write`; None when all of it was written."""
        with self._buffer_lock:
            return self._buffer.mark() if self._buffer else None

    def write(self, taken: Taken, *, sync: bool = True) -> None:
        """Append what happened up to then to the journal. sync: and make it durable.

        Nothing remains to be done for what a checkpoint has covered meanwhile.
        Raises `DiskFullError`: try again, or `take` again, nothing is lost; and `StoreFailedError`, which is final.
        """
        with self._disk_lock:
            self._check()
            with self._buffer_lock:
                stolen = self._buffer.steal(taken)
            if stolen:
                try:
                    self._journal.append([joined_records(stolen)])
                except OSError as error:
                    with self._buffer_lock:
                        self._buffer.give_back(stolen)
                    raise self._trouble(error) from error
                self._unsynced = True
                self.stats.journal_writes += sum(happening.records for happening in stolen)
            if sync and self._unsynced:
                self._sync(self._journal)
                self._unsynced = False

    @property
    def unsynced(self) -> bool:
        """Something was written and is not durable yet."""
        return self._unsynced

    def sync(self) -> None:
        """Make durable what happened before; errors as those of `write`."""
        with self._buffer_lock:
            taken = self._buffer.mark()
        self.write(taken)

    def checkpoint(self) -> None:
        """Work the journal into the segments; errors as those of `sync`, and the journal stays."""
        with self._disk_lock:
            self._check()
            with self._buffer_lock:
                stolen = self._buffer.steal(self._buffer.mark())
                work = [_Saving(segment, segment.begin_saving(), not segment.live) for segment in self._touched()]
                marks = b"".join(self._marks.records(self._codec))
                journaled, self._buffer.journaled = self._buffer.journaled, 0
            saved = False
            try:
                self._save(work, marks)
                saved = True
            except OSError as error:
                raise self._trouble(error) from error
            finally:
                with self._buffer_lock:
                    self._end_saving(work, saved=saved)
                    if not saved:
                        self._buffer.give_back(stolen)
                        self._buffer.journaled += journaled
            self._unsynced = False
            self.stats.checkpoints += 1

    def read(self, seqs: range) -> list[QueueEntry]:
        """Entries of that range that are not acknowledged, in order."""
        return [entry for batch in self.read_batches(seqs) for entry in batch.entries()]

    def read_batches(self, seqs: range) -> list[EntryBatch]:
        """As `read`."""
        with self._disk_lock:
            batches = [batch for segment, part in self._known(seqs) for batch in self._read_part(segment, part)]
        return sorted(batches, key=lambda batch: batch.first)

    def holding(self, seqs: range) -> list[range]:
        """The numbers of that range that are not acknowledged."""
        with self._buffer_lock:
            return [held for segment, part in self._known(seqs) for held in segment.holding(part)]

    def soonest(self, seqs: range) -> int:
        """When the first message of that range expires, or a time before it; 0 for never."""
        with self._buffer_lock:
            times = [segment.soonest(part) for segment, part in self._known(seqs)]
        return min(filter(None, times), default=0)

    def take_expired(self, seqs: range, now: int) -> list[int]:
        """Numbers of that range whose messages have expired; each is told once."""
        with self._buffer_lock:
            return [seq for segment, part in self._known(seqs) for seq in segment.take_expired(part, now)]

    def set_expiries(self, first: int, expiries: "array[int]") -> None:
        """Tell again when these consecutive messages expire."""
        with self._buffer_lock:
            for segment, part in self._known(range(first, first + len(expiries))):
                segment.set_expiries(part.start, expiries[part.start - first : part.stop - first])

    def references(self) -> Iterator[tuple[bytes, int]]:
        """Message ids this queue needs from the message store, with the number of references; for a recount."""
        for number in sorted(self._segments):
            for first in range(number * ENTRIES, (number + 1) * ENTRIES, READ_AT_ONCE):
                for entry in self.read(range(first, min(first + READ_AT_ONCE, (number + 1) * ENTRIES))):
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
        for part in parts(seqs):
            if segment := self._segments.get(part.start // ENTRIES):
                yield segment, part

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

    def _new_journal(self, marks: bytes = b"") -> File:
        number = self._journals[-1] + 1 if self._journals else 0
        journal = self._files.create(Kind.JOURNAL, number)
        self._journals.append(number)
        try:
            if marks:
                journal.append([marks])
                self._sync(journal)
            self._disk.sync_folder(self._files.folder)
        except (OSError, StoreFailedError):
            journal.close()
            raise
        return journal

    def _save(self, work: list[_Saving], marks: bytes) -> None:
        """Segments first, then a new journal and the new names, and last the end of the old journals."""
        for saving in work:
            self._save_segment(saving)
        old, journal = list(self._journals), self._journal
        self._journal = self._new_journal(marks)
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
        records = segment.records(unsaved, self._codec)
        if not records.number:
            return
        file = self._disk.open(name) if segment.filed else self._files.create(Kind.SEGMENT, segment.number)
        segment.filed = True
        try:
            offset = file.append([b"".join(records.pieces)])
            self._sync(file)
        finally:
            file.close()
        segment.saved_at(offset, records)
        self.stats.segment_writes += records.number

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

    def _read_part(self, segment: Segment, seqs: range) -> list[EntryBatch]:
        with self._buffer_lock:
            saved = list(segment.saved(seqs))
            batches = list(segment.journaled(seqs))
            numbers = {number for number, _ in saved}
        for batch in self._read_saved(segment, saved):
            numbers.difference_update(batch.seqs)
            batches.append(batch)
        with self._buffer_lock:
            self._set_aside(segment, numbers)
            return [batch._replace(deliveries=segment.deliveries(batch.seqs)) for batch in batches]

    def _read_saved(self, segment: Segment, saved: list[tuple[int, int]]) -> list[EntryBatch]:
        if not saved:
            return []
        file = self._disk.open(self._files.name(Kind.SEGMENT, segment.number))
        try:
            return list(read_entries(file, self._codec, saved))
        finally:
            file.close()

    def _set_aside(self, segment: Segment, seqs: set[int]) -> None:
        """Acknowledge entries whose record turned out damaged, and say so."""
        for seq in sorted(seqs):
            if segment.holds(range(seq, seq + 1)):
                segment.acknowledge(range(seq, seq + 1))
                self.stats.damaged += 1
                log.error("entry %d of %s is damaged and set aside", seq, self._files.folder)

    # Start
    def _recover(self) -> None:
        begun = perf_counter()
        recovery = IndexRecovery(self._files, self._codec, self._segments, self._marks)
        self._journals = recovery.run(self.report)
        self.next_seq = max((segment.highest() + 1 for segment in self._segments.values()), default=0)
        self.octets_found = recovery.octets()
        self._journal = self._last_journal() if self._journals else self._new_journal()
        with suppress(DiskFullError):
            self.checkpoint()
        self.report.messages = len(self)
        self.report.seconds = perf_counter() - begun
