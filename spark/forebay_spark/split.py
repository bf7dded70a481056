"""Compaction of an owner too large for one task: split by message-id to find repeats, then by arrival to be written.

Every entry is shuffled twice, and none passes the driver.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.datasource import InputPartition

from forebay.spill.compactionplan import Plan
from forebay_spark.columns import schema_of
from forebay_spark.errors import AbortedError
from forebay_spark.judgement import JUDGED, READ, Batches, Budgets, cut, judged
from forebay_spark.owners import ATTEMPTS, KINDS, Work, tally_of
from forebay_spark.sources.spill import SpillReader, SpillWriter
from forebay_spark.staged import Staged
from forebay_spark.tally import Tally, failure, lack
from forebay_spark.tokens import HEAD

PART_BYTES = 32_000_000
"""Octets of entries of one task."""
PROBLEM = re.compile(r"^(?:\w+\.)*(\w+Error: .*)$", re.MULTILINE)
"""The last line of a traceback from Python."""


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
        except PySparkException as error:
            return failure(owner, problem_of(error))
    return failure(owner, problem)


def problem_of(error: PySparkException) -> str:
    """What an error says, of whose text most is where in Spark it came from."""
    found = PROBLEM.findall(str(error))
    return found[-1] if found else str(error).partition("\n")[0]


class Split:
    """One plan, carried out by many tasks."""

    def __init__(self, spark: SparkSession, plan: Plan, work: Work) -> None:
        self._spark = spark
        self._plan = plan
        self._rules = work.rules
        self._reader = SpillReader(work.place, READ, [plan])
        self._writer = SpillWriter(work.place, plan, work.rotate_bytes)
        octets = sum(part.bytes for part in plan.inputs)
        self._parts = max(spark.sparkContext.defaultParallelism, -(-octets // PART_BYTES))

    def compact(self) -> Tally:
        """Carry it out. Raises `AbortedError`, `SpillError` and `PySparkException`."""
        staged = self._staged() if self._plan.inputs else []
        tally = sum((each.tally for each in staged), sum(map(tally_of, self._plan.inputs), Tally(owners=1)))
        if tally.lacking:
            self._writer.abort(staged)
            raise AbortedError(lack(tally))
        self._writer.commit(staged)
        return tally

    def _staged(self) -> list[Staged]:
        rows = self._ordered(self._judged())
        if self._rules.max_bytes is None:
            return self._write(rows)
        # Counted first, then written: both must see the same partitions.
        rows = rows.persist(StorageLevel.DISK_ONLY)
        try:
            budgets = self._budgets(rows, self._rules.max_bytes)
            return self._write(rows.mapInArrow(partial(cut, budgets=budgets), JUDGED))
        finally:
            rows.unpersist()

    def _judged(self) -> DataFrame:
        partitions = self._reader.partitions()
        numbers = self._spark.range(0, len(partitions), 1, len(partitions))
        rows = numbers.mapInArrow(partial(read, reader=self._reader, partitions=partitions), schema_of(READ))
        message_id = sf.expr(f"substring(entry, {HEAD.itemsize + 1})")
        parts = rows.withColumn("place", sf.monotonically_increasing_id()).repartition(self._parts, "kind", message_id)
        return parts.mapInArrow(partial(judged, rules=replace(self._rules, max_bytes=None)), JUDGED)

    def _ordered(self, rows: DataFrame) -> DataFrame:
        ranges = rows.repartitionByRange(self._parts, "kind", "arrival", "seq")
        return ranges.sortWithinPartitions("kind", "reason", "arrival", "seq", "rank")

    def _budgets(self, rows: DataFrame, max_bytes: int) -> Budgets:
        octets, droppable = sf.length("entry"), sf.length("entry") > HEAD.itemsize
        sums = rows.where("reason IS NULL").groupBy(sf.spark_partition_id().alias("part"), "kind")
        found = sums.agg(
            sf.sum(octets).alias("all"), sf.sum(sf.when(droppable, octets).otherwise(0)).alias("droppable")
        )
        return budgets_of(found.collect(), max_bytes)

    def _write(self, rows: DataFrame) -> list[Staged]:
        staged = rows.mapInArrow(partial(write, writer=self._writer), "staged string").collect()
        return [Staged.parse(row["staged"]) for row in staged]


def read(batches: Batches, reader: SpillReader, partitions: Sequence[InputPartition]) -> Batches:
    """Read the partitions whose numbers are in the batches."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from reader.read(partitions[number])


def write(batches: Batches, writer: SpillWriter) -> Batches:
    """Write one partition, and tell what was written."""
    yield pa.RecordBatch.from_pydict({"staged": [writer.write(batches).text()]})


def budgets_of(sums: Iterable[Row], max_bytes: int) -> Budgets:
    """Octets that are to go from each partition; a row has what a `part` has of a `kind`: `all`, and `droppable`."""
    ordered = sorted(sums, key=itemgetter("part"))
    budgets = {}
    for kind in KINDS:
        mine = [row for row in ordered if row["kind"] == kind]
        excess = sum(row["all"] for row in mine) - max_bytes
        for row in mine:
            if excess > 0:
                budgets[row["part"], kind.value] = excess
            excess -= row["droppable"]
    return budgets
