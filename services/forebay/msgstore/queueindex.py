"""The index of one queue: a journal of all that happens, and segments that it is worked into now and then.

    queue folder   0000000007.journal     records in the order of events, of all segments alike
                   0000000002.segment     records of the sequence numbers 2 * 16384 to 3 * 16384 - 1

`sync` makes the journal durable, which is enough to confirm. `checkpoint` writes what is still true of the journal
to the segments, syncs them, and only then deletes the journal; a segment that is acknowledged whole goes without
being read. A crash at any point leaves some records twice, which changes nothing, and never one too few. A journal
begins with the marks and with the first number that was never used, for the messages before it may all be gone.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

from forebay.msgstore.checkpoint import Checkpoint
from forebay.msgstore.disk import Disk
from forebay.msgstore.diskhealth import DiskHealth
from forebay.msgstore.entrybatch import EntryBatch, batches_of
from forebay.msgstore.entryreader import EntryReader
from forebay.msgstore.errors import DiskFullError
from forebay.msgstore.indexfile import IndexFolder
from forebay.msgstore.indexrecovery import IndexRecovery
from forebay.msgstore.journal import Journal
from forebay.msgstore.journalbuffer import JournalBuffer, Taken, joined_records
from forebay.msgstore.queuemarks import QueueMarks
from forebay.msgstore.queuerecord import (
    QueueEntry,
    encode_acknowledge,
    encode_deliver,
    encode_heads,
    encode_horizon,
    encode_mark,
    joined,
)
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.segment import Journaled
from forebay.msgstore.segmenttable import SegmentTable
from forebay.msgstore.stats import QueueIndexStats

if TYPE_CHECKING:
    from array import array

JOURNAL_LIMIT = 32768
"""Records in the journal from which a checkpoint is due."""

JOURNAL_OCTETS = 64 << 20
"""Octets of the journal from which a checkpoint is due."""

UNSAVED_OCTETS = 16 << 20
"""Octets of messages that the journal alone has, and memory till then, from which a checkpoint is due."""


class QueueIndex:
    """Index of one queue; opening it recovers it, and blocks.

    `publish`, `deliver`, `acknowledge`, `mark` and `take` never touch the disk and belong to one thread. `write`,
    `sync`, `checkpoint`, `read`, `references`, `close` and `erase` block and may run in others meanwhile. Entries that
    are not persistent are forgotten at the start. Raises `FormatError` for files of a newer release.
    """

    def __init__(self, disk: Disk, folder: str) -> None:
        begun = perf_counter()
        self.report = RecoveryReport()
        """What the start has found."""
        self.stats = QueueIndexStats()
        self._files = IndexFolder(disk, folder)
        self._codec = self._files.codec
        self._table = SegmentTable()
        self._buffer = JournalBuffer()
        self._marks = QueueMarks()
        self._buffer_lock = Lock()
        self._disk_lock = Lock()
        self._health = DiskHealth(folder, self.stats)
        recovery = IndexRecovery(self._files, self._table, self._marks)
        self._journal = Journal(self._files, recovery.run(self.report), self._health)
        self._checkpoint = Checkpoint(self._files, self._journal, self._health, self.stats)
        self._reader = EntryReader(self._files, self._table, self.stats, self._buffer_lock, self._disk_lock)
        self.next_seq = recovery.next_seq()
        """Sequence number behind the highest that was published; it never falls, whatever is acknowledged."""
        self.octets_found = recovery.octets()
        """Octets of the messages that the start has found."""
        with suppress(DiskFullError):
            self.checkpoint()
        self.report.messages = len(self)
        self.report.seconds = perf_counter() - begun

    def __len__(self) -> int:
        with self._buffer_lock:
            return len(self._table)

    @property
    def low_seq(self) -> int:
        """The lowest sequence number that is not acknowledged; `next_seq` when there is none."""
        with self._buffer_lock:
            lowest = self._table.lowest()
            return self.next_seq if lowest is None else lowest

    @property
    def unsaved_octets(self) -> int:
        """Octets of messages that are kept in memory until the next checkpoint."""
        with self._buffer_lock:
            return self._table.unsaved_octets

    @property
    def checkpoint_due(self) -> bool:
        """The journal is long, or what only it has is much."""
        return (
            self._buffer.journaled >= JOURNAL_LIMIT
            or self._journal.size() >= JOURNAL_OCTETS
            or self.unsaved_octets >= UNSAVED_OCTETS
        )

    # What happens
    def publish(self, entries: Sequence[QueueEntry]) -> None:
        """Messages came in; durable after the next `sync`."""
        for batch in batches_of(entries):
            self.publish_batch(batch)

    def publish_batch(self, batch: EntryBatch) -> None:
        """As `publish`, and fast; a number that was published before is passed over."""
        first, ids, sizes, expiries, bodies, persistent, _ = batch
        heads = encode_heads(self._codec, first, ids, sizes, expiries, bodies, persistent=persistent)
        with self._buffer_lock:
            self._table.publish(Journaled(batch, heads))
            self._buffer.add(joined(heads, bodies), len(heads))
            self.next_seq = max(self.next_seq, first + len(ids))

    def deliver(self, seqs: range, deliveries: int) -> None:
        """Messages were handed out for the n-th time."""
        with self._buffer_lock:
            self._table.deliver(seqs, deliveries)
            self._buffer.add([encode_deliver(self._codec, seqs, deliveries)], 1)

    def acknowledge(self, seqs: range) -> None:
        """The queue is done with these messages; those acknowledged already are passed over."""
        with self._buffer_lock:
            self._table.acknowledge(seqs)
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

    # Writing
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
            self._health.check()
            self._append(taken)
            if sync:
                self._journal.sync()

    def _append(self, taken: Taken) -> None:
        with self._buffer_lock:
            stolen = self._buffer.steal(taken)
        if not stolen:
            return
        try:
            self._journal.append(joined_records(stolen))
        except OSError as error:
            with self._buffer_lock:
                self._buffer.give_back(stolen)
            raise self._health.trouble(error) from error
        self.stats.journal_writes += sum(happening.records for happening in stolen)

    @property
    def unsynced(self) -> bool:
        """Something was written and is not durable yet."""
        return self._journal.unsynced

    def sync(self) -> None:
        """Make durable what happened before; errors as those of `write`."""
        with self._buffer_lock:
            taken = self._buffer.mark()
        self.write(taken)

    def checkpoint(self) -> None:
        """Work the journal into the segments; errors as those of `sync`, and the journal stays."""
        with self._disk_lock:
            self._health.check()
            with self._buffer_lock:
                stolen = self._buffer.steal(self._buffer.mark())
                work = self._table.begin_saving()
                start = self._start()
                journaled, self._buffer.journaled = self._buffer.journaled, 0
            saved = False
            try:
                self._checkpoint.save(work, start)
                saved = True
            except OSError as error:
                raise self._health.trouble(error) from error
            finally:
                with self._buffer_lock:
                    self._table.end_saving(work, saved=saved)
                    if not saved:
                        self._buffer.give_back(stolen)
                        self._buffer.journaled += journaled
            self.stats.checkpoints += 1

    def _start(self) -> bytes:
        """Records that a new journal begins with."""
        horizon = [encode_horizon(self._codec, self.next_seq)] if self.next_seq else []
        return b"".join([*horizon, *self._marks.records(self._codec)])

    # Reading
    def read(self, seqs: range) -> list[QueueEntry]:
        """Entries of that range that are not acknowledged, in order."""
        return [entry for batch in self.read_batches(seqs) for entry in batch.entries()]

    def read_batches(self, seqs: range) -> list[EntryBatch]:
        """As `read`."""
        return self._reader.batches(seqs)

    def holding(self, seqs: range) -> list[range]:
        """The numbers of that range that are not acknowledged."""
        with self._buffer_lock:
            return self._table.holding(seqs)

    def soonest(self, seqs: range) -> int:
        """When the first message of that range expires, or a time before it; 0 for never."""
        with self._buffer_lock:
            return self._table.soonest(seqs)

    def take_expired(self, seqs: range, now: int) -> list[int]:
        """Numbers of that range whose messages have expired; each is told once."""
        with self._buffer_lock:
            return self._table.take_expired(seqs, now)

    def set_expiries(self, first: int, expiries: "array[int]") -> None:
        """Tell again when these consecutive messages expire."""
        with self._buffer_lock:
            self._table.set_expiries(first, expiries)

    def references(self) -> Iterator[tuple[bytes, int]]:
        """Message ids this queue needs from the message store, with the number of references; for a recount."""
        return self._reader.references()

    # The end
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
            self._files.erase()
