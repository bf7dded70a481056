"""The records of a message file in columns: numpy takes apart thousands of heads at once.

That is for what is sound. At the first thing that is not, the rest is left to `Scanner`, which tells what is wrong.
"""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

import numpy as np
from google_crc32c import extend
from numpy.typing import NDArray

from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE, SUMMED_FROM, VERSION, Codec
from forebay.msgstore.scan import BLOCK, Damage, Found, Scanner
from forebay_spark.readfile import ReadFile

HEAD = np.dtype(
    [
        ("marker", "V8"),
        ("crc", ">u4"),
        ("version", "u1"),
        ("kind", "u1"),
        ("zero", ">u2"),
        ("length", ">u4"),
        ("stamp", ">u8"),
        ("id", "V16"),
    ]
)
"""How a record begins, as `forebay.msgstore.record` describes it."""
_START = Struct(">8sIBxxxI")
"""Of that what tells whether it is sound: marker, checksum, version, length of the body."""
ROWS = 8192
"""Records that are told of at once, about."""


class Records(NamedTuple):
    """Whole records of a file; all columns are as long."""

    places: NDArray[np.int64]
    lengths: NDArray[np.int64]
    """Octets of the bodies."""
    stamps: NDArray[np.int64]
    ids: NDArray[np.void]


def records_of(file: ReadFile, codec: Codec, damages: list[Damage]) -> Iterator[Records]:
    """The records of a file; what holds none is added to `damages`.

    Raises `FormatError` for a record of a newer version.
    """
    reading = _Reading(file, codec)
    while reading.goes_on():
        if len(reading.heads) >= ROWS:
            yield reading.taken()
    if reading.heads:
        yield reading.taken()
    if reading.at < file.size():
        yield from _scanned(file, codec, reading.at, damages)


class _Reading:
    """Goes through a file for as long as all is sound."""

    def __init__(self, file: ReadFile, codec: Codec) -> None:
        self.at = FILE_HEAD_SIZE
        """Up to where all was read."""
        self.heads: list[bytes] = []
        """Of the records that were not taken yet, which follow each other up to there."""
        self._file = file
        self._codec = codec

    def goes_on(self) -> bool:
        """Read on; whether there was anything sound."""
        try:
            data = self._file.pread(BLOCK, self.at)
        except OSError:
            return False
        read = self._walk(data)
        self.at += read
        return read > 0

    def taken(self) -> Records:
        """The records, which nobody has taken yet."""
        heads = np.frombuffer(b"".join(self.heads), HEAD)
        self.heads = []
        lengths = heads["length"].astype(np.int64)
        places = self.at - np.cumsum((lengths + HEAD_SIZE)[::-1])[::-1]
        return Records(places, lengths, heads["stamp"].astype(np.int64), heads["id"])

    def _walk(self, data: bytes) -> int:
        """Find the records from the start of a block on; returns where the first that is not sound and whole begins."""
        unpack, checksum, add = _START.unpack_from, extend, self.heads.append
        start, marker, head_size, summed_from = self._codec.start, self._codec.marker, HEAD_SIZE, SUMMED_FROM
        at, size = 0, len(data)
        last = size - head_size
        while at <= last:
            begin, crc, version, length = unpack(data, at)
            stop = at + head_size + length
            if stop > size or begin != marker or version != VERSION:
                break
            if checksum(start, data[at + summed_from : stop]) != crc:
                break
            add(data[at : at + head_size])
            at = stop
        return at


def _scanned(file: ReadFile, codec: Codec, since: int, damages: list[Damage]) -> Iterator[Records]:
    """What there is from a place on, where a record or something else begins."""
    scanner = Scanner(file, codec)
    for block in scanner.blocks():
        if found := [record for record in block if record.offset >= since]:
            yield _found(found)
    damages += scanner.damages


def _found(found: list[Found]) -> Records:
    places, lengths, stamps, ids, _ = zip(*found, strict=True)
    numbers = np.array([places, lengths, stamps], np.int64)
    return Records(numbers[0], numbers[1], numbers[2], np.frombuffer(b"".join(ids), "V16"))
