"""Reading a data folder with Spark, and judging what is in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from forebay_spark.datafolder import DataFolder
from forebay_spark.errors import OptionError
from forebay_spark.findings import Broken, verdict_of
from forebay_spark.progress import progress
from forebay_spark.sources.messagefiles import LARGEST, MessageFiles
from forebay_spark.sources.messages import ENTRIES, FORMAT, INDEX, RECORDS, REFERENCES, MessagesSource
from forebay_spark.verdict import LINES, Verdict
from forebay_spark.verification import Tables, judge, lost, stretches

PARTS = 4
"""Partitions for each core, so that cores end at about the same time."""


class Inspection:
    """One look at a folder."""

    def __init__(self, spark: SparkSession, folder: DataFolder) -> None:
        spark.dataSource.register(MessagesSource)
        self._spark = spark
        self._folder = folder
        octets = sum(folder.sizes().values())
        self._parts = max(spark.sparkContext.defaultParallelism * PARTS, octets // LARGEST)
        # Many more, as is Spark's way, would be files without a row.
        spark.conf.set("spark.sql.shuffle.partitions", self._parts)
        self._sizes: dict[int, int] = {}
        self._kept: list[DataFrame] = []

    def verdict(self) -> Verdict:
        """Read everything.

        Raises `OptionError` when there is nothing to be read, and `FormatError` and `SnapshotError` of the store.
        """
        folder = self._folder
        if folder.feed is None and not folder.queues:
            raise OptionError(f"{folder.path} has neither a feed log nor queues: name the data folder of a service")
        # While the service runs, owners are asked before the files are read and again afterwards: who needed a message
        # all the time must find it. After a clean stop once is enough, if the folder stays as it was.
        closing = folder.closing
        owners = self._owners()
        records = self._records()
        is_quiet = closing is not None and closing == folder.closing
        index, later = (self._table(INDEX), None) if is_quiet else (None, self._owners())
        broken = Broken.of(stretches(records))
        tables = Tables(records, owners, later, index, lost(broken.rows, index) if broken.counts else None)
        damage = {row["damage"] for found in (owners, later) if found is not None for row in _damage(found)}
        return verdict_of(judge(tables), broken, self._sizes, sorted(damage))

    def close(self) -> None:
        """Let go of what executors keep."""
        for frame in self._kept:
            frame.unpersist()
        self._kept.clear()

    def _owners(self) -> DataFrame:
        """Who needs which message, and damage of what tells so."""
        owners = self._table(REFERENCES)
        if self._folder.queues:
            one = sf.when(~sf.col("embedded"), 1).cast("bigint").alias("owners")
            owners = owners.unionByName(self._table(ENTRIES).select("id", one, "damage"))
        return self._keep(owners)

    def _records(self) -> DataFrame:
        """What message files hold. Garbage collection may move records meanwhile, always to files of higher numbers."""
        records = self._scan(0)
        while later := [number for number in self._folder.sizes() if number > max(self._sizes, default=0)]:
            records = records.union(self._scan(later[0]))
        return records

    def _scan(self, first: int) -> DataFrame:
        self._sizes |= {number: size for number, size in self._folder.sizes().items() if number >= first}
        parts = len(MessageFiles(self._folder, first).parts(self._parts))
        with self._told("parts of the message files", parts):
            return self._keep(self._table(RECORDS, first=first))

    def _table(self, name: str, first: int = 0) -> DataFrame:
        reader = self._spark.read.format(FORMAT).option("path", str(self._folder.path)).option("table", name)
        return reader.option("parts", self._parts).option("first", first).load()

    def _keep(self, frame: DataFrame) -> DataFrame:
        """Read it now, and never again."""
        kept = frame.persist(StorageLevel.DISK_ONLY)
        self._kept.append(kept)
        kept.count()
        return kept

    @contextmanager
    def _told(self, what: str, total: int) -> Iterator[None]:
        """Tell how many of so many tasks are done."""
        context = self._spark.sparkContext
        tracker = context.statusTracker()

        def done() -> int:
            jobs = (tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(what))
            stages = (tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds)
            return min(sum(stage.numCompletedTasks for stage in stages if stage), total)

        context.setJobGroup(what, what)
        try:
            with progress(what, total, done):
                yield
        finally:
            context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]  # None clears it


def _damage(owners: DataFrame) -> list[Row]:
    return owners.filter("damage is not null").select("damage").limit(LINES).collect()
