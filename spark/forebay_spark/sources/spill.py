"""The data source `forebay.spill`: the closed backlog and deferred segments of a service's owners, as rows.

    spark.read.format("forebay.spill").options(urlFile=…, service="outfeed", uid=…).load()

The option `owner` leaves other owners out. Where a schema is given, only the columns that it names are made. Writing
replaces what a plan has, which is an option too (see `forebay_spark.plans`); so it is done whole or not at all.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from forebay.spill import Kind
from forebay.spill.compactionplan import Input, Output, Plan, Reason
from forebay_spark.columns import COLUMNS, Columns, Origin, schema_of
from forebay_spark.errors import AbortedError, OptionError
from forebay_spark.place import SpillPlace
from forebay_spark.plans import parse_plan
from forebay_spark.staged import Staged
from forebay_spark.times import times_of
from forebay_spark.tokens import HEAD

FORMAT = "forebay.spill"
READ = 10_000
"""Entries of one batch."""
PARTITION = 250_000
"""Entries of one partition, if they were appended at an even rate."""
LAST = 2**64 - 1
"""The highest second part of an id."""
WRITTEN = "kind:string,appended:bigint,entry:binary,reason:string"
"""Schema of what is written, in the order of partitions and rows: entries that stay, without a reason, and entries that
are dropped, with one. Of those, null ones need not be released. Rows of the same kind and reason follow each other."""

Row = tuple[str, Reason | None, int, bytes | None]
"""Kind, reason, time of the append, entry."""


class SpillSource(DataSource):
    """Registered by `spark.dataSource.register`."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return FORMAT

    def schema(self) -> str:
        """All columns."""
        return schema_of(COLUMNS)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Raises `OptionError`."""
        unknown = set(schema.names) - set(COLUMNS)
        if unknown:
            raise OptionError(f"schema: {', '.join(sorted(unknown))}: there are only {', '.join(COLUMNS)}")
        place = SpillPlace.of(self.options)
        return SpillReader(place, schema.names, plans_of(place, self.options.get("owner")))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Raises `OptionError`."""
        if schema.simpleString() != f"struct<{WRITTEN}>":
            raise OptionError(f"schema: give the columns {WRITTEN}")
        missing = [name for name in ("plan", "rotateBytes") if name not in self.options]
        if missing:
            raise OptionError(f"{', '.join(missing)}: not given, but says what is replaced, and how large streams are")
        plan, rotate = parse_plan(self.options["plan"]), int(self.options["rotateBytes"])
        return SpillWriter(SpillPlace.of(self.options), plan, rotate)


@dataclass(frozen=True)
class SpillPartition(InputPartition):
    """Entries of one stream, those behind one id and up to another."""

    owner: str
    part: Input
    after: bytes | None
    until: bytes | None


class SpillReader(DataSourceReader):
    """Reads what plans have; what has been drained or dropped since they were made is left out."""

    def __init__(self, place: SpillPlace, columns: Sequence[str], plans: Sequence[Plan]) -> None:
        self._place = place
        self._columns = columns
        self._plans = plans

    def partitions(self) -> Sequence[InputPartition]:
        """One or more for each segment, oldest first."""
        return [
            SpillPartition(plan.owner, part, after, until)
            for plan in self._plans
            for part in plan.inputs
            for after, until in ranges(part, PARTITION)
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Raises `SpillError`."""
        if not isinstance(partition, SpillPartition):
            # Spark makes one of its own where there are none.
            return
        part = partition.part
        origin = Origin(partition.owner, part.kind.value, part.segment)
        with self._place.connect() as compactor:
            for batch in compactor.batches(part.stream, READ, partition.after, partition.until):
                yield Columns(origin, batch.ids, batch.entries).batch(self._columns)


def plans_of(place: SpillPlace, owner: str | None) -> list[Plan]:
    """Plans of one owner, or of all. Raises `SpillError`."""
    with place.connect() as compactor:
        return [compactor.plan(name) for name in (compactor.owners() if owner is None else [owner])]


def ranges(part: Input, most: int) -> list[tuple[bytes | None, bytes | None]]:
    """Cut a stream by time into pieces of about `most` entries: behind which id each begins, and with which it ends."""
    pieces = max(1, -(-part.entries // most))
    first, last = times_of([part.first, part.last]).tolist() if part.first else (0, 0)
    cuts = sorted({first + (last - first) * piece // pieces for piece in range(1, pieces)})
    ends = [b"%d-%d" % (cut, LAST) for cut in cuts]
    return list(zip([None, *ends], [*ends, None], strict=True))


class SpillWriter(DataSourceArrowWriter):
    """Writes temporary streams, which take the place of what a plan has when all are there."""

    def __init__(self, place: SpillPlace, plan: Plan, rotate_bytes: int) -> None:
        self._place = place
        self._plan = plan
        self._rotate_bytes = rotate_bytes

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        """Write the rows of a partition, which are as `WRITTEN` says. Raises `SpillError`."""
        staged = Staged()
        with self._place.connect() as compactor:
            for (kind, reason), rows in groupby(_rows(iterator), lambda row: row[:2]):
                if reason is None:
                    kept = _counted(rows, staged)
                    staged.outputs += compactor.stage(self._plan, Kind(kind), kept, self._rotate_bytes)
                    continue
                gone = [entry for *_, entry in rows]
                staged.gone[reason] += len(gone)
                if released := [entry for entry in gone if entry is not None]:
                    staged.dropped += compactor.stage_dropped(self._plan, Kind(kind), reason, released)
        return staged

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Replace what the plan has. Raises `AbortedError`, and `SpillError`; nothing is changed by the former."""
        outputs, dropped = _gathered(messages)
        with self._place.connect() as compactor:
            commit = compactor.commit(self._plan, sorted(outputs, key=lambda output: output.kind), dropped)
        if not commit.done:
            self.abort(messages)
            raise AbortedError(commit.reason)

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Delete what was written. Raises `SpillError`."""
        outputs, dropped = _gathered(messages)
        with self._place.connect() as compactor:
            compactor.abandon([*outputs, *dropped])


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("kind", "reason", "appended", "entry"))
        yield from zip(*columns, strict=True)


def _counted(rows: Iterable[Row], staged: Staged) -> Iterator[tuple[int, bytes]]:
    """Rows that stay; those that are no tokens are counted."""
    for *_, appended, entry in rows:
        if entry is not None:
            staged.corrupt += len(entry) <= HEAD.itemsize
            yield appended, entry


def _gathered(messages: Iterable[WriterCommitMessage | None]) -> tuple[list[Output], list[Output]]:
    staged = [message for message in messages if isinstance(message, Staged)]
    outputs = [output for message in staged for output in message.outputs]
    return outputs, [output for message in staged for output in message.dropped]
