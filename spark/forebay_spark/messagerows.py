"""What is known of messages, as rows of numpy: where records are, who needs them, what the index counts."""

from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray
from pyarrow.compute import equal, invert, is_valid, not_equal  # type: ignore[import-untyped]

from forebay_spark.findings import TOLD, Findings, Stretch
from forebay_spark.sources.facts import Facts
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
_HALVES = np.dtype([("high", "<u8"), ("low", "<u8")])
_NUMBERS = ("stamp", "file", "place", "octets", "value", "kind")
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


class Narrow(NamedTuple):
    """Numbers in as few octets as they need."""

    least: int
    more: NDArray[Any] | None
    """What each is more than the least; None when all are the same."""


class Packed(NamedTuple):
    """Rows as they go from task to task."""

    ids: NDArray[np.void]
    numbers: tuple[Narrow, ...]


def rows_of(piece: Facts | pa.RecordBatch, kind: Kind) -> Rows:
    """The rows that a piece of a table of `forebay.messages` makes; of records the whole ones."""
    facts = piece if isinstance(piece, Facts) else _facts(piece, kind)
    rows = np.zeros(len(facts.ids), ROW)
    rows["kind"] = kind
    # Below that of any record: sorted by stamp, the newest record of a message comes last, and else the index.
    rows["stamp"] = -1 if kind is Kind.COUNTED else -2
    halves = facts.ids.view(_ID)
    rows["high"], rows["low"] = halves["high"], halves["low"]
    for name, values in facts.columns.items():
        if field := _FIELDS.get(name):
            rows[field] = values
    return rows


def _facts(batch: pa.RecordBatch, kind: Kind) -> Facts:
    batch = batch.filter(equal(batch.column("state"), WHOLE) if kind is Kind.RECORD else is_valid(batch.column("id")))
    ids = np.frombuffer(b"".join(batch.column("id").to_pylist()), "V16")
    columns = {
        name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names if name in _FIELDS
    }
    if "embedded" in batch.schema.names:
        columns["owners"] = invert(batch.column("embedded")).to_numpy(zero_copy_only=False)
    return Facts(ids, columns)


def findings_of(piece: Facts | pa.RecordBatch) -> Findings:
    """What a piece tells of damage."""
    if isinstance(piece, Facts):
        return Findings()
    names = piece.schema.names
    if "damage" in names:
        return Findings(damage=frozenset(piece.column("damage").drop_null().to_pylist()))
    return _findings(piece) if "state" in names else Findings()


def _findings(batch: pa.RecordBatch) -> Findings:
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


def shared(rows: Rows, buckets: int) -> Iterator[tuple[int, Packed]]:
    """Share rows out; all of one message go to one bucket."""
    # Numbers of 16 bits are sorted in a time that does not grow faster than their number does.
    places = (rows["low"] % np.uint64(buckets)).astype(np.uint16 if buckets <= 1 << 16 else np.uint64)
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(buckets + 1))
    for bucket, (first, stop) in enumerate(pairwise(bounds)):
        if first < stop:
            yield bucket, packed(rows[order[first:stop]])


def packed(rows: Rows) -> Packed:
    """Rows for the way to another task."""
    return Packed(
        rows[["high", "low"]].astype(_HALVES), tuple(_narrow(rows[name].astype(np.int64)) for name in _NUMBERS)
    )


def unpacked(piece: Packed) -> Rows:
    """The rows again."""
    rows = np.empty(len(piece.ids), ROW)
    rows["high"], rows["low"] = piece.ids["high"], piece.ids["low"]
    for name, (least, more) in zip(_NUMBERS, piece.numbers, strict=True):
        rows[name] = least if more is None else more.astype(np.int64) + least
    return rows


def _narrow(values: NDArray[np.int64]) -> Narrow:
    least, most = int(values.min()), int(values.max())
    return Narrow(least, None if least == most else (values - least).astype(np.min_scalar_type(most - least)))
