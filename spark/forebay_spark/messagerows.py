"""What is known of messages, as rows of numpy: where records are, who needs them, what the index counts."""

from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from itertools import pairwise

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray
from pyarrow.compute import equal, invert, is_valid, not_equal  # type: ignore[import-untyped]

from forebay_spark.findings import TOLD, Findings, Stretch
from forebay_spark.sources.messagefiles import GONE, TORN, WHOLE

Rows = NDArray[np.void]
ROW = np.dtype(
    [
        ("high", "<u8"),
        ("low", "<u8"),
        ("stamp", "<i8"),
        ("file", "<i8"),
        ("place", "<i8"),
        ("octets", "<i8"),
        ("value", "<i8"),
        ("kind", "u1"),
    ]
)
"""One thing known of a message. `high` and `low` are the halves of its id, `value` is a number of references."""
_ID = np.dtype([("high", ">u8"), ("low", ">u8")])
_FIELDS = {
    **{name: name for name in ("stamp", "file", "place", "octets")},
    **dict.fromkeys(("owners", "counted"), "value"),
}
"""Fields by the columns that they are filled from."""


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
    """The rows of a batch of a table of `forebay.messages`; of records the whole ones."""
    batch = batch.filter(equal(batch.column("state"), WHOLE) if kind is Kind.RECORD else is_valid(batch.column("id")))
    rows = np.zeros(batch.num_rows, ROW)
    rows["kind"] = kind
    # Below that of any record: sorted by stamp, the newest record of a message comes last, and else the index.
    rows["stamp"] = -1 if kind is Kind.COUNTED else -2
    if batch.num_rows:
        ids = np.frombuffer(batch.column("id").buffers()[2], _ID, batch.num_rows)
        rows["high"], rows["low"] = ids["high"], ids["low"]
    for name in batch.schema.names:
        if field := _FIELDS.get(name):
            rows[field] = batch.column(name).to_numpy(zero_copy_only=False)
    if "embedded" in batch.schema.names:
        rows["value"] = invert(batch.column("embedded")).to_numpy(zero_copy_only=False)
    return rows


def findings_of(batch: pa.RecordBatch) -> Findings:
    """What a batch tells of damage."""
    if "damage" in batch.schema.names:
        return Findings(damage=frozenset(batch.column("damage").drop_null().to_pylist()))
    if "state" not in batch.schema.names:
        return Findings()
    broken = batch.filter(not_equal(batch.column("state"), WHOLE)).to_pylist()
    gone = frozenset(row["file"] for row in broken if row["state"] == GONE)
    stretches = [
        Stretch(row["file"], row["place"], row["octets"], row["id"] or b"", row["state"] == TORN)
        for row in broken
        if row["state"] != GONE
    ]
    damaged = Counter(stretch.file for stretch in stretches if not stretch.is_torn)
    torn = sum(stretch.is_torn for stretch in stretches)
    return Findings(damaged=damaged, torn=torn, stretches=tuple(stretches[:TOLD]), gone=gone)


def shared(rows: Rows, buckets: int) -> Iterator[tuple[int, Rows]]:
    """Share rows out; all of one message go to one bucket."""
    places = rows["low"] % np.uint64(buckets)
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(buckets + 1, dtype=np.uint64))
    for bucket, (first, stop) in enumerate(pairwise(bounds)):
        if first < stop:
            yield bucket, rows[order[first:stop]]
