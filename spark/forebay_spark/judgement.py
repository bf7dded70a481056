"""What Python workers do to the parts of an owner that is split: find repeats, and cut what is over a limit."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from pyspark import TaskContext

from forebay.spill.compactionplan import Reason
from forebay_spark.compaction import Compacted, Rules, compact, surplus
from forebay_spark.tokens import HEAD, heads_of, signed

READ = ("kind", "appended", "entry")
"""Columns of entries that are judged."""
ARROW = pa.schema(
    {
        "kind": pa.string(),
        "appended": pa.int64(),
        "entry": pa.binary(),
        "reason": pa.string(),
        "arrival": pa.int64(),
        "seq": pa.int64(),
        "rank": pa.int64(),
    }
)
"""Rows with the reason why they go; the entry of one that need not be released is null. The rest is the order."""
BATCH = 10_000
"""Rows that go from a worker to Spark at once."""

Batches = Iterator[pa.RecordBatch]
Budgets = Mapping[tuple[int, str], int]
"""Octets that are to go, by number of partition and kind."""


def judged(batches: Batches, rules: Rules) -> Batches:
    """Compact one part, which has all entries of its message-ids; `max_bytes`, a rule for the whole, must be None."""
    parts = list(batches)
    if not parts:
        return
    table = pa.Table.from_batches(parts).sort_by("place")
    for kind in pc.unique(table["kind"]).to_pylist():
        rows = table.filter(pc.equal(table["kind"], kind))
        result = compact(rows["entry"].to_pylist(), rows["appended"].to_numpy(), rules)
        yield from _kept(kind, result).to_batches(BATCH)
        for reason in result.dropped:
            yield from _gone(kind, reason, result).to_batches(BATCH)


def _kept(kind: str, result: Compacted) -> pa.Table:
    return _table(kind, None, result.entries, result.appended, result.arrival, result.seq)


def _gone(kind: str, reason: Reason, result: Compacted) -> pa.Table:
    released: list[bytes | None] = [*result.released[reason]]
    held = result.dropped[reason] - len(released)
    heads = heads_of([*result.released[reason]])
    zeros = np.zeros(held, np.int64)
    order = [np.concatenate((signed(heads[name].astype(np.uint64)), zeros)) for name in ("arrival", "seq")]
    return _table(kind, reason, released + [None] * held, np.zeros(len(released) + held, np.int64), *order)


def _table(kind: str, reason: str | None, entries: Any, appended: Any, arrival: Any, seq: Any) -> pa.Table:
    number = len(entries)
    kinds, reasons = (pa.repeat(pa.scalar(value, pa.string()), number) for value in (kind, reason))
    columns = [kinds, appended, pa.array(entries, pa.binary()), reasons, arrival, seq, np.arange(number)]
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=ARROW)


def cut(batches: Batches, budgets: Budgets) -> Batches:
    """Give the first of the rows that stay a reason to go, so that at least the octets of the budget go."""
    left = {kind: octets for (part, kind), octets in budgets.items() if part == _partition()}
    for batch in batches:
        kinds, sizes = batch.column("kind"), pc.binary_length(batch.column("entry")).fill_null(0).to_numpy()
        reasons, kept = batch.column("reason"), batch.column("reason").is_null()
        for kind in left:
            mine = pc.and_(kept, pc.equal(kinds, kind)).to_numpy(zero_copy_only=False)
            droppable = mine & (sizes > HEAD.itemsize)
            gone = surplus(np.where(mine, sizes, 0), droppable, left[kind])
            left[kind] -= int(sizes[gone].sum())
            reasons = pc.if_else(pa.array(gone), "limit-bytes", reasons)
        yield batch.set_column(batch.schema.get_field_index("reason"), "reason", reasons)


def _partition() -> int:
    context = TaskContext.get()
    return context.partitionId() if context else 0
