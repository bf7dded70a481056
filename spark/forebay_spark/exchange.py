"""Batches on their way from task to task: shared out by message-id to find repeats, then by arrival to be written.

Spark moves each piece as one lump of octets. A row of its own for each entry would cost it several times what Python
does to the entry.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from forebay_spark.tokens import message_id

Piece = tuple[int, bytes]
"""The number of the task that it is for, and a table as Arrow writes it (a pickled slice would bring all along)."""
SAMPLES = 100
"""Rows by which a part tells how its arrivals are spread."""
ORDER = [(name, "ascending", "at_start") for name in ("kind", "reason", "arrival", "seq", "rank")]


class Place(NamedTuple):
    """What entries are put in order by."""

    kind: str
    arrival: int
    seq: int


def frozen(table: pa.Table) -> bytes:
    """A table as octets."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    octets: bytes = sink.getvalue().to_pybytes()
    return octets


def thawed(octets: bytes) -> pa.Table:
    """The table that was frozen."""
    return pa.ipc.open_stream(octets).read_all()


def shared(table: pa.Table, tasks: int) -> Iterator[Piece]:
    """Share entries out so that those of one message-id go to the same task; what is no token has none."""
    names = map(message_id, table["entry"].to_pylist())
    numbers = np.fromiter(map(crc32, names), np.uint32, len(table)) % np.uint32(tasks)
    rows = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[rows], np.arange(tasks + 1))
    for task, (first, stop) in enumerate(pairwise(bounds.tolist())):
        if first < stop:
            yield task, frozen(table.take(pa.array(rows[first:stop])))


def samples(tables: Iterable[pa.Table]) -> Iterator[Place]:
    """Places of some of the rows of a part that stay, evenly spread."""
    kept = [table.filter(table["reason"].is_null()).select(Place._fields) for table in tables]
    if kept:
        whole = pa.concat_tables(kept)
        some = whole.take(pa.array(range(0, len(whole), len(whole) // SAMPLES + 1), pa.int64()))
        yield from map(Place, *(some[name].to_pylist() for name in Place._fields))


def bounds_of(places: Iterable[Place], tasks: int) -> list[Place]:
    """Places that cut samples into so many runs of about the same length."""
    ordered = sorted(places)
    return [ordered[len(ordered) * task // tasks] for task in range(1, tasks)] if ordered else []


def ranged(table: pa.Table, bounds: Sequence[Place], own: int) -> Iterator[Piece]:
    """Share rows out by their places. Those that go need no order: they are left to the task `own`."""
    stays = table["reason"].is_null()
    for kind in pc.unique(table["kind"]).to_pylist():
        kept = table.filter(pc.and_(stays, pc.equal(table["kind"], kind)))
        for task, (first, stop) in enumerate(pairwise(_cuts(kept, kind, bounds))):
            if first < stop:
                yield task, frozen(kept.slice(first, stop - first))
    if not pc.all(stays).as_py():
        yield own, frozen(table.filter(pc.invert(stays)))


def _cuts(kept: pa.Table, kind: str, bounds: Sequence[Place]) -> list[int]:
    """Where each range begins and ends among rows of one kind, which are in order."""
    arrival, seq = kept["arrival"].to_numpy(), kept["seq"].to_numpy()
    cuts = [_cut(arrival, seq, bound) if bound.kind == kind else (bound.kind > kind) * len(kept) for bound in bounds]
    return [0, *cuts, len(kept)]


def _cut(arrival: NDArray[np.int64], seq: NDArray[np.int64], bound: Place) -> int:
    first, stop = (int(np.searchsorted(arrival, bound.arrival, side)) for side in ("left", "right"))
    return first + bisect_right(seq[first:stop], bound.seq)


def ordered(tables: Iterable[pa.Table]) -> pa.Table:
    """All rows of one range, in their order."""
    table = pa.concat_tables(tables)
    return table.take(pc.sort_indices(table, sort_keys=ORDER))
