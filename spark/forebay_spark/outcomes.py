"""The lines of an outcome log as rows: what became of articles at peers, and samples of the peers' backlogs.

    {"time":…,"peer":…,"outcome":…,"reason":…,"message_id":…,"group":…,"size":…}
    {"time":…,"peer":…,"backlog":{"queued":…,"deferred":…,"in_flight":…}}

Times are milliseconds since the epoch in the lines and instants in the rows; days are those of UTC.
"""

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

WHOLE = "*.jsonl"
"""Names of files that the service is done with; the one it writes ends otherwise."""
DAY_MS = 86_400_000
PARTS = 4
"""Parts for each core, so that cores end at about the same time."""
_LINE = """
    time long, peer string, outcome string, reason string, message_id string, `group` string, size long,
    backlog struct<queued: long, deferred: long, in_flight: long>
"""
_KEY = ("day", "peer")


@dataclass(frozen=True)
class Table:
    """Rows of one kind as Parquet, one file a day and peer."""

    name: str
    """Its folder."""
    columns: tuple[str, ...]
    """Name and type of each column of a file."""
    order: tuple[str, ...]
    """Columns that a file is sorted by."""

    @property
    def schema(self) -> str:
        """The columns, with those that are in the names of the folders."""
        return ", ".join((*self.columns, "day date", "peer string"))


OUTCOMES = Table(
    "outcomes",
    ("time timestamp", "outcome string", "reason string", "message_id string", "`group` string", "size long"),
    ("time", "message_id", "outcome", "reason"),
)
"""Each answer of a peer, or what stands for one; `size` in octets."""
BACKLOGS = Table("backlogs", ("time timestamp", "queued long", "deferred long", "in_flight long"), ("time",))
"""How many articles waited for a peer."""


def read_lines(session: SparkSession, folder: Path) -> DataFrame:
    """The lines of all whole files of a folder, parsed, each with the name of its file.

    Files that their service deletes meanwhile are passed over.
    """
    text = session.read.option("ignoreMissingFiles", "true").text(str(folder), pathGlobFilter=WHOLE)
    return text.select(sf.from_json("value", _LINE).alias("line"), sf.col("_metadata.file_name").alias("file"))


def is_damaged() -> Column:
    """Whether a line that was read is neither an outcome nor a sample."""
    incomplete = sf.col("line.message_id").isNull() | sf.col("line.outcome").isNull()
    return sf.col("line.time").isNull() | sf.col("line.peer").isNull() | (incomplete & sf.col("line.backlog").isNull())


def rows_of(table: Table, lines: DataFrame) -> DataFrame:
    """The rows of a table that are in lines, each once, gathered by day and peer and sorted."""
    sound = lines.filter(~is_damaged())
    if table is BACKLOGS:
        rows = sound.filter("line.backlog is not null").select("line.time", "line.peer", "line.backlog.*")
    else:
        rows = sound.filter("line.backlog is null").select("line.*").drop("backlog")
    day = sf.date_from_unix_date(sf.floor(sf.col("time") / DAY_MS).cast("int"))
    return tidied(table, rows.withColumn("day", day).withColumn("time", sf.timestamp_millis("time")))


def tidied(table: Table, rows: DataFrame) -> DataFrame:
    """Rows of a table, each once, gathered by day and peer and sorted."""
    parts = rows.sparkSession.sparkContext.defaultParallelism * PARTS
    return rows.repartition(parts, *_KEY).dropDuplicates().sortWithinPartitions(*_KEY, *table.order)
