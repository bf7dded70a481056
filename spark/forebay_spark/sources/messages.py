"""The data source `forebay.messages`: what is in the data folder of a service, or in a copy of it, as rows.

    spark.read.format("forebay.messages").option("path", "/var/lib/forebay").option("table", "records").load()

The option `table` is one of `TABLES`, and `parts` says into how many partitions it is cut at least. Nothing is written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from forebay_spark.datafolder import DataFolder
from forebay_spark.errors import OptionError
from forebay_spark.sources.facts import Facts
from forebay_spark.sources.messagefiles import MessageFiles
from forebay_spark.sources.messagequeues import QueueEntries
from forebay_spark.sources.messagereferences import FeedReferences
from forebay_spark.sources.messagesnapshot import MessageSnapshot

FORMAT = "forebay.messages"
RECORDS = "records"
INDEX = "index"
REFERENCES = "references"
ENTRIES = "entries"
TABLES: Mapping[str, type[MessageFiles | MessageSnapshot | FeedReferences | QueueEntries]] = {
    RECORDS: MessageFiles,
    INDEX: MessageSnapshot,
    REFERENCES: FeedReferences,
    ENTRIES: QueueEntries,
}


class Table(Protocol):
    """A kind of rows."""

    def parts(self, count: int) -> Sequence[Any]:
        """What tasks are to read, in so many parts or more."""

    def read(self, part: Any) -> Iterator[pa.RecordBatch]:
        """The rows of a part."""

    def pieces(self, part: Any) -> Iterator[Facts | pa.RecordBatch]:
        """The same, where that is quicker as facts."""


class MessagesSource(DataSource):
    """Registered by `spark.dataSource.register`."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return FORMAT

    def schema(self) -> str:
        """All columns of the table. Raises `OptionError`."""
        return self._table().schema

    def reader(self, schema: StructType) -> DataSourceReader:
        """Raises `OptionError`."""
        folder = DataFolder(Path(self._option("path")))
        return MessagesReader(self._table()(folder), int(self.options.get("parts", "1")))

    def _table(self) -> type[MessageFiles | MessageSnapshot | FeedReferences | QueueEntries]:
        name = self.options.get("table", RECORDS)
        if name not in TABLES:
            raise OptionError(f"table: {name}: there are {', '.join(TABLES)}")
        return TABLES[name]

    def _option(self, name: str) -> str:
        if name not in self.options:
            raise OptionError(f"{name}: not given, but it says what is read")
        return self.options[name]


@dataclass(frozen=True)
class Part(InputPartition):
    """What one task reads."""

    content: Any


class MessagesReader(DataSourceReader):
    """Reads one table."""

    def __init__(self, table: Table, count: int) -> None:
        self._table = table
        self._count = count

    def partitions(self) -> Sequence[InputPartition]:
        """The parts."""
        return [Part(content) for content in self._table.parts(self._count)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part; of a table without parts Spark asks for one of its own making."""
        if isinstance(partition, Part):
            yield from self._table.read(partition.content)
