"""The table `index`: the messages of a store as a clean stop leaves its index, with the references that it counts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from forebay.msgstore import snapshot
from forebay.msgstore.index import OFFSET_BITS, OFFSET_MASK
from forebay_spark.datafolder import DataFolder
from forebay_spark.sources.facts import Facts, binaries

GROUP = 64
"""Chunks of a partition at most; each has 4096 messages."""
_ENTRY = np.dtype([("id", "V16"), ("place", ">u8"), ("size", ">u4"), ("references", ">u4")])
"""As `snapshot` describes them; numpy unpacks them all at once."""
_COLUMNS = ["id", "file", "place", "size", "counted"]


@dataclass(frozen=True)
class Chunks:
    """Chunks of the snapshot that one task reads."""

    first: int
    stop: int


class MessageSnapshot:
    """The snapshot of a folder; without one the table is empty."""

    schema = "id binary, file bigint, place bigint, size bigint, counted bigint"

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._path = folder.snapshot

    def parts(self, count: int) -> list[Chunks]:
        """Chunks in so many parts, or in more. Raises `SnapshotError` when any is damaged, for all are useless then."""
        if self._path is None:
            return []
        with self._folder.open(self._path) as file:
            head = snapshot.read_head(file)
            chunks = head.chunks
            for number in range(chunks):
                snapshot.read_chunk(file, head, number)
        group = min(GROUP, max(chunks // count, 1))
        return [Chunks(first, min(first + group, chunks)) for first in range(0, chunks, group)]

    def read(self, part: Chunks) -> Iterator[pa.RecordBatch]:
        """The rows of a part. Raises `SnapshotError`."""
        for ids, columns in self.pieces(part):
            yield pa.record_batch([binaries(ids), *map(pa.array, columns.values())], _COLUMNS)

    def pieces(self, part: Chunks) -> Iterator[Facts]:
        """The same as facts."""
        if self._path is None:
            return
        with self._folder.open(self._path) as file:
            head = snapshot.read_head(file)
            for number in range(part.first, part.stop):
                yield _facts(snapshot.read_chunk(file, head, number))


def _facts(chunk: bytes) -> Facts:
    entries = np.frombuffer(chunk, _ENTRY)
    places = entries["place"].astype(np.int64)
    columns = {"file": places >> OFFSET_BITS, "place": places & OFFSET_MASK}
    columns |= {name: entries[field].astype(np.int64) for name, field in (("size", "size"), ("counted", "references"))}
    return Facts(entries["id"], columns)
