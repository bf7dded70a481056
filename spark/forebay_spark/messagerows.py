"""What is known of messages, as rows of numpy: where a record is, who needs it, what the index counts."""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

Rows = NDArray[np.void]
ROW = np.dtype(
    [
        ("high", "<u8"),
        ("low", "<u8"),
        ("stamp", "<i8"),
        ("file", "<i8"),
        ("place", "<i8"),
        ("octets", "<i8"),
        ("kind", "u1"),
        ("value", "<i8"),
    ]
)
"""One thing that is known of a message. `high` and `low` are the halves of its id, `value` is a number of references."""


class Kind(IntEnum):
    """What is known."""

    OWNERS = 0
    """So many need it."""
    LATER = 1
    """So many needed it when they were asked once more."""
    COUNTED = 2
    """The index has it at this place, with so many references."""
    RECORD = 3
    """A whole record of it is at this place."""


def rows_of(batch: pa.RecordBatch, kind: Kind) -> Rows:
    """The rows of a batch of one of the tables of `forebay.messages`; those without an id are left out."""
    batch = batch.filter(batch.column("id").is_valid())
    rows = np.zeros(batch.num_rows, ROW)
    ids = _ids(batch.column("id"))
    rows["high"], rows["low"] = ids[:, 0], ids[:, 1]
    rows["kind"] = kind
    rows["stamp"] = -1
    for name in ("stamp", "file", "place", "octets"):
        if name in batch.schema.names:
            rows[name] = batch.column(name).to_numpy()
    for name in ("owners", "counted"):
        if name in batch.schema.names:
            rows["value"] = batch.column(name).to_numpy()
    return rows


def id_of(row: Any) -> bytes:
    """The id of a message."""
    return int(row["high"]).to_bytes(8, "big") + int(row["low"]).to_bytes(8, "big")


def shared(rows: Rows, buckets: int) -> Iterator[tuple[int, Rows]]:
    """Share rows out; all of one message are in one bucket."""
    places = rows["low"] % np.uint64(buckets)
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(buckets + 1, dtype=np.uint64))
    for bucket in range(buckets):
        if ends[bucket] < ends[bucket + 1]:
            yield bucket, rows[order[ends[bucket] : ends[bucket + 1]]]


def _ids(column: pa.Array) -> NDArray[np.uint64]:
    """The halves of ids of 16 octets each, in two columns."""
    data = column.buffers()[2]
    first = column.offset * 16
    return np.frombuffer(data, ">u8", 2 * len(column), first).reshape(-1, 2).astype("<u8") if len(column) else np.empty((0, 2), "<u8")
