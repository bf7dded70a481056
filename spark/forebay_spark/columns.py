"""Entries of spill streams as columns of Arrow."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from forebay_spark.times import times_of
from forebay_spark.tokens import HEAD, heads_of, message_id, signed


class Origin(NamedTuple):
    """Where entries are from."""

    owner: str
    kind: str
    """`B` or `D`."""
    segment: int


class Columns:
    """Entries with their ids, of one segment. What only a token can tell is null for what is none."""

    def __init__(self, origin: Origin, ids: Sequence[bytes], entries: Sequence[bytes]) -> None:
        self.origin = origin
        self.ids = ids
        self.entries = entries

    def batch(self, names: Sequence[str]) -> pa.RecordBatch:
        """The columns of these names, which are keys of `COLUMNS`."""
        return pa.RecordBatch.from_arrays([COLUMNS[name].make(self) for name in names], names=list(names))

    def same(self, value: object, kind: pa.DataType) -> pa.Array:
        """One value for all."""
        return pa.repeat(pa.scalar(value, kind), len(self.entries))

    def head(self, name: str) -> pa.Array:
        """A field of the heads of tokens."""
        return pa.array(signed(self._heads[name].astype(np.uint64)), pa.int64(), mask=self._corrupt)

    def message_ids(self) -> pa.Array:
        """Message-ids."""
        return pa.array([message_id(entry) or None for entry in self.entries], pa.binary())

    @cached_property
    def _heads(self) -> NDArray[Any]:
        return heads_of(self.entries)

    @cached_property
    def _corrupt(self) -> NDArray[np.bool_]:
        return np.fromiter(map(len, self.entries), np.int64, len(self.entries)) <= HEAD.itemsize


class Column(NamedTuple):
    """How a column is made."""

    type: str
    """As Spark writes it."""
    make: Callable[[Columns], pa.Array]


COLUMNS = {
    "owner": Column("string", lambda columns: columns.same(columns.origin.owner, pa.string())),
    "kind": Column("string", lambda columns: columns.same(columns.origin.kind, pa.string())),
    "segment": Column("long", lambda columns: columns.same(columns.origin.segment, pa.int64())),
    "appended": Column("long", lambda columns: pa.array(times_of(columns.ids), pa.int64())),
    "arrival": Column("long", lambda columns: columns.head("arrival")),
    "seq": Column("long", lambda columns: columns.head("seq")),
    "size": Column("long", lambda columns: columns.head("size")),
    "tries": Column("long", lambda columns: columns.head("tries")),
    "message_id": Column("binary", Columns.message_ids),
    "entry": Column("binary", lambda columns: pa.array(columns.entries, pa.binary())),
}
"""By name. Times are milliseconds since the epoch, sizes octets."""


def schema_of(names: Iterable[str]) -> str:
    """Names and types of columns, as Spark writes a schema."""
    return ", ".join(f"{name} {COLUMNS[name].type}" for name in names)
