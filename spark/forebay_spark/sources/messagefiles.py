"""The table `records`: what message files hold, every checksum verified.

A row is a record or, where none is whole, a stretch of octets: its file, its place there, its octets with the head of
the record, stamp and id.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE, Codec, FileHead, decode_file_head, new_marker
from forebay.msgstore.scan import Damage, guess_marker
from forebay_spark.datafolder import DataFolder
from forebay_spark.readfile import ReadFile
from forebay_spark.sources.facts import Facts, binaries
from forebay_spark.sources.recordcolumns import Records, records_of

WHOLE = "whole"
"""State of a record whose checksum is right."""
DAMAGED = "damaged"
"""State of octets that are no whole record."""
TORN = "torn"
"""State of such octets at the end of a file: most likely a write that is under way, or that a crash cut short."""
GONE = "gone"
"""State of a file that was deleted before it could be read: garbage collection has moved what was needed of it."""
LARGEST = 512 << 20
"""Octets of a partition at most, but for a single file that is longer."""
_COLUMNS = ["file", "place", "octets", "stamp", "id", "state"]


@dataclass(frozen=True)
class Files:
    """Message files that one task reads."""

    numbers: Sequence[int]
    marker: bytes


class MessageFiles:
    """The message files of a folder, from a number on."""

    schema = "file bigint, place bigint, octets bigint, stamp bigint, id binary, state string"

    def __init__(self, folder: DataFolder, first: int = 0) -> None:
        self._folder = folder
        self._first = first

    def parts(self, count: int) -> list[Files]:
        """Whole files in so many parts, or in more. Raises `FormatError` for those of a newer release."""
        sizes = {number: size for number, size in self._folder.sizes().items() if number >= self._first}
        limit = min(LARGEST, sum(sizes.values()) // count)
        marker = self._marker(sizes)
        return [Files(numbers, marker) for numbers in _groups(sizes, limit)]

    def read(self, files: Files) -> Iterator[pa.RecordBatch]:
        """The rows of a part."""
        for piece in self.pieces(files):
            yield _whole(piece) if isinstance(piece, Facts) else piece

    def pieces(self, files: Files) -> Iterator[Facts | pa.RecordBatch]:
        """The same, the whole records as facts."""
        codec = Codec(files.marker)
        for number in files.numbers:
            try:
                file = self._folder.open(self._folder.message_file(number))
            except FileNotFoundError:
                yield _broken(number, [Damage("", 0, 0, "", torn=False)], GONE)
                continue
            with file:
                yield from _read(file, number, codec)

    def _marker(self, numbers: Iterable[int]) -> bytes:
        """What most files say that their records begin with."""
        known: Counter[bytes] = Counter()
        for number in numbers:
            try:
                file = self._folder.open(self._folder.message_file(number))
            except FileNotFoundError:
                continue
            with file:
                head = _head(file)
                if marker := head.marker if head else guess_marker(file):
                    known[marker] += 1
        return known.most_common(1)[0][0] if known else new_marker()


def _head(file: ReadFile) -> FileHead | None:
    return decode_file_head(file.pread(FILE_HEAD_SIZE, 0), file.name)


def _read(file: ReadFile, number: int, codec: Codec) -> Iterator[Facts | pa.RecordBatch]:
    damages: list[Damage] = []
    for records in records_of(file, codec, damages):
        yield _facts(number, records)
    if _head(file) is None:
        size = min(FILE_HEAD_SIZE, file.size())
        damages = [Damage(file.name, 0, size, "", size == file.size()), *damages]
    for is_torn, state in ((False, DAMAGED), (True, TORN)):
        if found := [damage for damage in damages if damage.torn == is_torn]:
            yield _broken(number, found, state)


def _facts(number: int, records: Records) -> Facts:
    file = np.full(len(records.ids), number)
    octets = records.lengths + HEAD_SIZE
    return Facts(records.ids, {"file": file, "place": records.places, "octets": octets, "stamp": records.stamps})


def _whole(facts: Facts) -> pa.RecordBatch:
    numbers = [pa.array(facts.columns[name]) for name in ("file", "place", "octets", "stamp")]
    return pa.record_batch([*numbers, binaries(facts.ids), pa.repeat(WHOLE, len(facts.ids))], _COLUMNS)


def _broken(number: int, damages: Sequence[Damage], state: str) -> pa.RecordBatch:
    columns = [
        pa.repeat(number, len(damages)),
        pa.array([damage.offset for damage in damages], pa.int64()),
        pa.array([damage.size for damage in damages], pa.int64()),
        pa.nulls(len(damages), pa.int64()),
        pa.array([bytes.fromhex(damage.id) or None for damage in damages], pa.binary()),
        pa.repeat(state, len(damages)),
    ]
    return pa.record_batch(columns, _COLUMNS)


def _groups(sizes: Mapping[int, int], limit: int) -> Iterator[list[int]]:
    group: list[int] = []
    octets = 0
    for number, size in sizes.items():
        if group and octets + size > limit:
            yield group
            group, octets = [], 0
        group.append(number)
        octets += size
    if group:
        yield group
