"""Reading a data folder with Spark, and judging what is in it.

Tasks read files and share out by message what they find; others put together what is known of each message.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

import numpy as np
from pyspark import RDD, Accumulator, StorageLevel
from pyspark.sql import SparkSession

from forebay.msgstore.errors import SnapshotError
from forebay.runtime.collection import collection_paused
from forebay_spark.datafolder import DataFolder
from forebay_spark.errors import JobError, OptionError
from forebay_spark.findings import Findings
from forebay_spark.messagejudge import Judge
from forebay_spark.messagerows import ROW, Kind, Packed, Rows, findings_of, rows_of, shared, unpacked
from forebay_spark.progress import progress
from forebay_spark.sources.messagefiles import MessageFiles
from forebay_spark.sources.messagequeues import QueueEntries
from forebay_spark.sources.messagereferences import FeedReferences
from forebay_spark.sources.messages import Table
from forebay_spark.sources.messagesnapshot import MessageSnapshot
from forebay_spark.verdict import Verdict

CHASES = 10
"""Times that files are read which were made while others were read."""
PARTS = 2
"""Parts of a table, and buckets of messages, for each core: enough for cores to end at about the same time."""
AT_ONCE = 1 << 20
"""Rows that a task holds, about, before it shares them out."""
BUCKET = 1 << 30
"""Octets of message files, at most, for each bucket; what is known of their messages fits a worker's memory."""
Shares = RDD[tuple[int, Packed | Findings]]
"""What tasks found, by bucket of messages; what is found in no message is in the first."""


@dataclass(frozen=True)
class Work:
    """What one task reads."""

    kind: Kind
    table: Table
    part: object

    def do(self, buckets: int) -> Iterator[tuple[int, Packed | Findings]]:
        """Read it."""
        rows: list[Rows] = [np.empty(0, ROW)]
        with collection_paused():
            for piece in self.table.pieces(self.part):
                rows.append(rows_of(piece, self.kind))
                if (found := findings_of(piece)) != Findings():
                    yield 0, found
                if sum(map(len, rows)) >= AT_ONCE:
                    yield from shared(np.concatenate(rows), buckets)
                    rows = rows[:1]
        yield from shared(np.concatenate(rows), buckets)


class Inspection:
    """One look at a folder."""

    def __init__(self, spark: SparkSession, folder: DataFolder) -> None:
        self._context = spark.sparkContext
        self._folder = folder
        self._sizes = folder.sizes()
        self._parts = self._context.defaultParallelism * PARTS
        self._buckets = max(self._parts, sum(self._sizes.values()) // BUCKET)
        self._kept: list[Shares] = []

    def verdict(self) -> Verdict:
        """Read everything and judge.

        Raises `OptionError` when there is nothing to be read, `JobError` and, of the store, `FormatError`.
        """
        if self._folder.feed is None and not self._folder.queues:
            raise OptionError(
                f"{self._folder.path} has neither a feed log nor queues: name the data folder of a service"
            )
        closing = self._folder.closing
        try:
            findings = self._of_closed() if closing else self._of_running()
        except SnapshotError as error:
            told = Findings(damage=frozenset({f"{self._folder.snapshot}: {error}"}))
            findings = self._of_running() + told
        if closing != self._folder.closing:  # a service was started meanwhile
            findings = self._of_running()
        return findings.verdict(self._sizes)

    def close(self) -> None:
        """Let go of what executors keep."""
        for shares in self._kept:
            shares.unpersist()

    def _of_closed(self) -> Findings:
        """Nothing changes, so that everything can be read at once, and the index is as true as the files."""
        work = [*self._owners(Kind.OWNERS), *self._records(0), *self._work(Kind.COUNTED, MessageSnapshot(self._folder))]
        shares, done = self._shares(work)
        with progress("parts", len(work), lambda: done.value):
            return self._judged(Judge(asks_twice=False, has_index=True), shares)

    def _of_running(self) -> Findings:
        """Owners are asked before the files are read and afterwards: who needs a message all the time finds it."""
        shares, _ = self._read(self._owners(Kind.OWNERS))
        records = list(self._all_records())
        later, _ = self._read(self._owners(Kind.LATER))
        return self._judged(Judge(asks_twice=True, has_index=False), self._context.union([shares, *records, later]))

    def _all_records(self) -> Iterator[Shares]:
        """Read files until none was deleted before it was read: its records are in files of higher numbers by then."""
        first = 0
        for _ in range(CHASES):
            sizes = {number: size for number, size in self._folder.sizes().items() if number >= first}
            self._sizes |= sizes
            shares, findings = self._read(self._records(first))
            yield shares
            if not findings.gone:
                return
            first = max(sizes) + 1
        raise JobError(
            f"{self._folder.path}: messages are moved faster than they can be read: verify a snapshot of the volume"
        )

    def _owners(self, kind: Kind) -> list[Work]:
        return self._work(kind, FeedReferences(self._folder)) + self._work(kind, QueueEntries(self._folder))

    def _records(self, first: int) -> list[Work]:
        return self._work(Kind.RECORD, MessageFiles(self._folder, first))

    def _work(self, kind: Kind, table: Table) -> list[Work]:
        return [Work(kind, table, part) for part in table.parts(self._parts)]

    def _read(self, work: list[Work]) -> tuple[Shares, Findings]:
        """Read now, and never again; also returns what is found in no message."""
        shares, done = self._shares(work)
        self._kept.append(shares.persist(StorageLevel.DISK_ONLY))
        with progress("parts", len(work), lambda: done.value):
            return shares, reduce(add, shares.values().filter(_is_findings).collect(), Findings())

    def _shares(self, work: list[Work]) -> tuple[Shares, Accumulator[int]]:
        """What tasks will find, and how many of them are done."""
        done = self._context.accumulator(0)
        return self._context.parallelize(work, len(work) or 1).flatMap(partial(_do, self._buckets, done)), done

    def _judged(self, judge: Judge, shares: Shares) -> Findings:
        return reduce(
            add, shares.partitionBy(self._buckets, int).mapPartitions(partial(_judge, judge)).collect(), Findings()
        )


def _do(buckets: int, done: Accumulator[int], work: Work) -> Iterator[tuple[int, Packed | Findings]]:
    yield from work.do(buckets)
    done.add(1)


def _is_findings(piece: Packed | Findings) -> bool:
    return isinstance(piece, Findings)


def _judge(judge: Judge, bucket: Iterable[tuple[int, Packed | Findings]]) -> Iterator[Findings]:
    findings, rows = Findings(), []
    for _, piece in bucket:
        if isinstance(piece, Findings):
            findings += piece
        else:
            rows.append(unpacked(piece))
    yield findings + judge.judge(rows) if rows else findings
