"""Compact an outcome log: its files become Parquet by day and peer, sorted, without repeats.

The files that the service has closed are read, and removed when all they hold is in place. A run that is killed leaves
every outcome in the files, in the Parquet or in both; the next one makes it one again.
"""

import argparse
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

from forebay_spark.errors import OptionError
from forebay_spark.figures import Figures
from forebay_spark.outcomes import BACKLOGS, OUTCOMES, is_damaged, read_lines, rows_of
from forebay_spark.outcomestore import OutcomeStore

DAMAGED = ".damaged"
"""Ends the names of files whose sound lines were taken, and which are kept for the others."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--outcomes", type=Path, required=True, metavar="DIR", help="folder of the outcome log")
    parser.add_argument(
        "--to", type=Path, required=True, metavar="DIR", help="folder of the Parquet; made when missing"
    )


def run(options: argparse.Namespace, spark: SparkSession) -> Figures:
    """Compact. Raises `OptionError`, `BusyError` and `OSError`."""
    if not options.outcomes.is_dir():
        raise OptionError(
            f"--outcomes {options.outcomes} is no folder: name the folder `outcomes` of an outfeed's data"
        )
    store = OutcomeStore(options.to.absolute())
    with store.locked():
        lines = read_lines(spark, options.outcomes.absolute())
        inputs = [Path(unquote(urlsplit(uri).path)) for uri in lines.inputFiles()]
        octets = sum(map(_size, inputs))
        # The lines are read once: what the service deletes later is in all that follows, or in nothing of it.
        lines.persist(StorageLevel.DISK_ONLY)
        try:
            return _compact(spark, store, lines, inputs, octets)
        finally:
            lines.unpersist()


def _compact(
    spark: SparkSession, store: OutcomeStore, lines: DataFrame, inputs: Sequence[Path], octets: int
) -> Figures:
    entries = lines.count()
    damaged = {row["file"]: row["count"] for row in lines.filter(is_damaged()).groupBy("file").count().collect()}
    merges = [store.merge(spark, table, rows_of(table, lines)) for table in (OUTCOMES, BACKLOGS)]
    for merge in merges:
        store.put(merge)
    _remove(inputs, damaged)
    added = sum(merge.rows_after - merge.rows_before for merge in merges)
    lost = sum(damaged.values())
    return Figures(
        {
            "filesIn": len(inputs),
            "bytesIn": octets,
            "entriesIn": entries,
            "entriesOut": added,
            "dropped": {"repeat": entries - lost - added, "damaged": lost},
            "filesOut": sum(len(merge.files) for merge in merges),
            "bytesOut": sum(merge.octets for merge in merges),
        },
        [f"{name} has damaged lines and is kept as {name}{DAMAGED}" for name in sorted(damaged)],
    )


def _remove(inputs: Sequence[Path], damaged: Collection[str]) -> None:
    for file in inputs:
        with suppress(FileNotFoundError):  # the service keeps within its bounds
            if file.name in damaged:
                file.rename(file.with_name(file.name + DAMAGED))
            else:
                file.unlink()


def _size(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0
