"""The folder in which outcomes are kept as Parquet: `<table>/day=…/peer=…/rows.parquet`.

A file is only ever replaced whole, by a rename, with one that holds its rows and more. So a reader sees every row once
at any time, and rows that are merged again, because a run was killed before it removed its input, double nothing.
Driver, executors and readers must see the same file system.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyarrow.parquet import read_metadata  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

from forebay_spark.errors import BusyError
from forebay_spark.outcomes import Table, tidied

FILE = "rows.parquet"
STAGING = "_staging"
"""Spark passes over names that begin so."""
LOCK = "_lock"


@dataclass(frozen=True)
class Merge:
    """Rows that are ready to be put in place."""

    files: dict[Path, Path]
    """Staged file by the place where it belongs."""
    rows_before: int
    """Of the files that are replaced."""
    rows_after: int
    octets: int
    """Of the staged files."""


class OutcomeStore:
    """One such folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out, for two that merge at once would lose rows; and sweep what a killed one left.

        Raises `BusyError` while another one runs.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / LOCK).open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BusyError(f"another run writes to {self._folder}: wait until it has ended") from error
            self._sweep()
            yield
            self._sweep()

    def read(self, session: SparkSession, table: Table) -> DataFrame:
        """All rows of a table."""
        folder = self._folder / table.name
        if not folder.exists():
            return session.createDataFrame([], table.schema)
        return session.read.schema(table.schema).parquet(str(folder))

    def merge(self, session: SparkSession, table: Table, rows: DataFrame) -> Merge:
        """Stage rows, gathered as by `tidied`, together with those that are kept for the same days and peers."""
        fresh, merged = (self._folder / STAGING / step / table.name for step in ("fresh", "merged"))
        files = _write(rows, fresh)
        grown = [place for place in files if self._place(table, place).exists()]
        before = [self._place(table, place) for place in grown]
        if grown:
            kept = _read(session, table, self._folder / table.name, before)
            new = _read(session, table, fresh, [files[place] for place in grown])
            files |= _write(tidied(table, kept.unionByName(new)), merged)
        staged = list(files.values())
        in_place = {self._place(table, place): file for place, file in files.items()}
        return Merge(in_place, _count(before), _count(staged), sum(file.stat().st_size for file in staged))

    def put(self, merge: Merge) -> None:
        """Put staged rows in place, durably, a file at a time; a run killed in between is made good by the next one."""
        for place, staged in merge.files.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            _sync(staged)
            staged.replace(place)
        folders = {folder for place in merge.files for folder in place.parents if folder.is_relative_to(self._folder)}
        for folder in folders:
            _sync(folder)

    def _place(self, table: Table, partition: Path) -> Path:
        return self._folder / table.name / partition / FILE

    def _sweep(self) -> None:
        shutil.rmtree(self._folder / STAGING, ignore_errors=True)


def _write(rows: DataFrame, folder: Path) -> dict[Path, Path]:
    """Write rows that are gathered by day and peer; the file of each, by the partition's folder."""
    rows.write.option("maxRecordsPerFile", 0).partitionBy("day", "peer").parquet(str(folder))
    return {file.parent.relative_to(folder): file for file in folder.glob("day=*/peer=*/*.parquet")}


def _read(session: SparkSession, table: Table, folder: Path, files: Sequence[Path]) -> DataFrame:
    paths = [str(file) for file in files]
    return session.read.schema(table.schema).option("basePath", str(folder)).parquet(*paths)


def _count(files: Sequence[Path]) -> int:
    return sum(read_metadata(file).num_rows for file in files)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
