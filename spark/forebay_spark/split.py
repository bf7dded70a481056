"""Compaction of an owner too large for one task: split by message-id to find repeats, then by arrival to be written.

Every entry is shuffled twice, and none passes the driver.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from pyspark import RDD, StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.datasource import InputPartition

from forebay.runtime.collection import collection_paused
from forebay.spill.compactionplan import Plan
from forebay_spark.compaction import Rules
from forebay_spark.errors import AbortedError
from forebay_spark.exchange import Piece, Place, bounds_of, frozen, ordered, ranged, samples, shared, thawed
from forebay_spark.judgement import BATCH, READ, Budgets, cut, judged
from forebay_spark.owners import ATTEMPTS, KINDS, Work, tally_of
from forebay_spark.sources.spill import SpillReader, SpillWriter
from forebay_spark.sparkfailure import SPARK_FAILURES, problem_of
from forebay_spark.staged import Staged
from forebay_spark.tally import Tally, failure, lack
from forebay_spark.tokens import HEAD

PART_BYTES = 32_000_000
"""Octets of entries of one task."""
PLACES = 1 << 32
"""More than one partition that is read has entries."""
NO_BUDGETS: Budgets = {}


class Sum(NamedTuple):
    """Octets of entries of one kind that stay in one range."""

    part: int
    kind: str
    octets: int
    droppable: int
    """Of tokens."""


def compact_split(spark: SparkSession, owner: str, work: Work) -> Tally:
    """Compact one owner. When that fails it is left as it was, which its tally tells. Raises `SpillError`."""
    problem = ""
    for _ in range(ATTEMPTS):
        with work.place.connect() as compactor:
            plan = compactor.plan(owner)
        try:
            return Split(spark, plan, work).compact()
        except AbortedError as error:
            problem = str(error)
        except SPARK_FAILURES as error:
            return failure(owner, problem_of(error))
    return failure(owner, problem)


class Split:
    """One plan, carried out by many tasks."""

    def __init__(self, spark: SparkSession, plan: Plan, work: Work) -> None:
        self._context = spark.sparkContext
        self._plan = plan
        self._rules = work.rules
        self._reader = SpillReader(work.place, READ, [plan])
        self._writer = SpillWriter(work.place, plan, work.rotate_bytes)
        octets = sum(part.bytes for part in plan.inputs)
        self._parts = max(self._context.defaultParallelism, -(-octets // PART_BYTES))

    def compact(self) -> Tally:
        """Carry it out. Raises `AbortedError`, `SpillError`, `PySparkException` and `Py4JJavaError`."""
        staged = self._staged() if self._plan.inputs else []
        tally = sum((each.tally for each in staged), sum(map(tally_of, self._plan.inputs), Tally(owners=1)))
        if tally.lacking:
            self._writer.abort(staged)
            raise AbortedError(lack(tally))
        self._writer.commit(staged)
        return tally

    def _staged(self) -> list[Staged]:
        # Sampled first, then shared out.
        parts = self._judged().persist(StorageLevel.DISK_ONLY)
        try:
            bounds = bounds_of(parts.mapPartitions(sampled).collect(), self._parts)
            return self._written(parts.mapPartitionsWithIndex(partial(spread, bounds=bounds)))
        finally:
            parts.unpersist()

    def _judged(self) -> RDD[bytes]:
        partitions = list(enumerate(self._reader.partitions()))
        read = partial(read_pieces, reader=self._reader, tasks=self._parts)
        parts = self._context.parallelize(partitions, len(partitions)).flatMap(read).partitionBy(self._parts, int)
        return parts.mapPartitions(partial(judge, rules=replace(self._rules, max_bytes=None)))

    def _written(self, pieces: RDD[Piece]) -> list[Staged]:
        ranges = pieces.partitionBy(self._parts, int).mapPartitions(arrange)
        if self._rules.max_bytes is None:
            return ranges.mapPartitions(partial(write, writer=self._writer)).collect()
        # Counted first, then written.
        ranges = ranges.persist(StorageLevel.DISK_ONLY)
        try:
            sums = ranges.mapPartitionsWithIndex(summed).collect()
            budgets = budgets_of(sums, self._rules.max_bytes)
            return ranges.mapPartitions(partial(write, writer=self._writer, budgets=budgets)).collect()
        finally:
            ranges.unpersist()


def read_pieces(numbered: tuple[int, InputPartition], reader: SpillReader, tasks: int) -> Iterator[Piece]:
    """Read one partition, and share it out."""
    number, partition = numbered
    with collection_paused():
        batches = list(reader.read(partition))
    if batches:
        table = pa.Table.from_batches(batches)
        places = pa.array(range(number * PLACES, number * PLACES + len(table)), pa.int64())
        yield from shared(table.append_column("place", places), tasks)


def judge(pieces: Iterable[Piece], rules: Rules) -> Iterator[bytes]:
    """Compact one part."""
    batches = chain.from_iterable(thawed(octets).to_batches() for _, octets in pieces)
    with collection_paused():
        yield from map(_frozen_batch, judged(batches, rules))


def sampled(part: Iterable[bytes]) -> Iterator[Place]:
    """Some places of a part."""
    return samples(map(thawed, part))


def spread(number: int, part: Iterable[bytes], bounds: Sequence[Place]) -> Iterator[Piece]:
    """Share what is left of a part out by its place in the whole."""
    return chain.from_iterable(ranged(table, bounds, number) for table in map(thawed, part))


def arrange(pieces: Iterable[Piece]) -> Iterator[bytes]:
    """Put one range in order."""
    tables = [thawed(octets) for _, octets in pieces]
    if tables:
        yield from map(_frozen_batch, ordered(tables).to_batches(BATCH))


def _frozen_batch(batch: pa.RecordBatch) -> bytes:
    # All of a part at once would be too much for the Java that passes it on.
    return frozen(pa.Table.from_batches([batch]))


def summed(number: int, batches: Iterable[bytes]) -> Iterator[Sum]:
    """Octets of what stays in one range, by kind."""
    octets: Counter[str] = Counter()
    droppable: Counter[str] = Counter()
    for table in map(thawed, batches):
        for kind in KINDS:
            kept = table.filter(pc.and_(table["reason"].is_null(), pc.equal(table["kind"], kind.value)))
            sizes = pc.binary_length(kept["entry"]).to_numpy()
            octets[kind.value] += int(sizes.sum())
            droppable[kind.value] += int(sizes[sizes > HEAD.itemsize].sum())
    yield from (Sum(number, kind, octets[kind], droppable[kind]) for kind in octets)


def write(batches: Iterable[bytes], writer: SpillWriter, budgets: Budgets = NO_BUDGETS) -> Iterator[Staged]:
    """Write one range but for what is over, and tell what was written."""
    with collection_paused():
        yield writer.write(cut(chain.from_iterable(thawed(octets).to_batches() for octets in batches), budgets))


def budgets_of(sums: Iterable[Sum], max_bytes: int) -> Budgets:
    """Octets that are to go from each range."""
    in_order = sorted(sums)
    budgets = {}
    for kind in KINDS:
        mine = [each for each in in_order if each.kind == kind]
        excess = sum(each.octets for each in mine) - max_bytes
        for each in mine:
            if excess > 0:
                budgets[each.part, kind.value] = excess
            excess -= each.droppable
    return budgets
