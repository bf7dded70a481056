"""Walking a file of records: every record's checksum verified, whatever is damaged passed over and named."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from struct import Struct
from typing import Any, NamedTuple

from google_crc32c import extend

from forebay.msgstore.disk import Readable
from forebay.msgstore.errors import FormatError
from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE, MARKER_SIZE, RECORD, SUMMED_FROM, VERSION, Codec

BLOCK = 1 << 20
"""Octets read at once; a longer record is read whole."""


PAGE = 4096
"""What a bad block on the disk takes with it."""


class Found(NamedTuple):
    """A whole record of a file."""

    offset: int
    size: int
    """Octets of the body."""
    stamp: int
    id: bytes
    kind: int


_make_found: Callable[[tuple[int, int, int, bytes, int]], Found] = partial(tuple.__new__, Found)
"""As `Found._make`, in half the time: it is called for every record of a store."""


class Damage(NamedTuple):
    """A stretch of a file that holds no whole record."""

    file: str
    offset: int
    size: int
    id: str
    """Message id in hex where a record's head was left to tell it, else empty."""
    torn: bool
    """At the end of the file: most likely a write that a crash cut short before it was confirmed."""


class Scanner:
    """Finds the whole records of one file. `damages` holds what it passed over, once `blocks` is exhausted."""

    def __init__(self, file: Readable, codec: Codec) -> None:
        self.damages: list[Damage] = []
        self._file = file
        self._codec = codec
        self._at = FILE_HEAD_SIZE
        self._end = file.size()
        self._wanted = BLOCK
        self._data = b""
        self._base = 0

    def body(self, found: Found) -> bytes:
        """Body of a record of the block yielded last."""
        start = found.offset - self._base + HEAD_SIZE
        return self._data[start : start + found.size]

    def starts(self, block: Sequence[Found], layout: Struct) -> list[tuple[Any, ...]]:
        """The fields that the body of each of these records begins with; of the block yielded last."""
        shift, unpack, data = HEAD_SIZE - self._base, layout.unpack_from, self._data
        return [unpack(data, found.offset + shift) for found in block]

    def blocks(self, pause: Callable[[], None] | None = None) -> Iterator[list[Found]]:
        """Yield the records in order, a block of the file at a time.

        pause: called after each block, to let other threads run. What the disk can't read counts as damaged.
        Raises `FormatError` for a record of a newer version.
        """
        while self._at < self._end:
            data = self._read()
            if len(data) < self._wanted:
                self._end = self._at + len(data)
            self._wanted = BLOCK
            self._data, self._base = data, self._at
            yield self._walk(data)
            if pause is not None:
                pause()

    def _read(self) -> bytes:
        try:
            return self._file.pread(self._wanted, self._at)
        except OSError:
            size = min(self._wanted, self._end - self._at)
            return b"".join(self._read_page(first, size) for first in range(0, size, PAGE))

    def _read_page(self, first: int, size: int) -> bytes:
        wanted = min(PAGE, size - first)
        try:
            return self._file.pread(wanted, self._at + first)
        except OSError:
            return bytes(wanted)

    def _walk(self, data: bytes) -> list[Found]:
        found: list[Found] = []
        marker, start = self._codec.marker, self._codec.start
        unpack, make = RECORD.unpack_from, _make_found
        at, base, size = 0, self._at, len(data)
        last = size - HEAD_SIZE
        while at <= last:
            begin, crc, version, kind, length, stamp, id = unpack(data, at)
            stop = at + HEAD_SIZE + length
            if begin == marker:
                if stop > size and base + stop <= self._end:
                    self._wanted = max(BLOCK, stop - at)
                    break
                if extend(start, data[at + SUMMED_FROM : stop]) == crc and stop <= size:
                    if version != VERSION:
                        raise self._newer(version)
                    found.append(make((base + at, length, stamp, id, kind)))
                    at = stop
                    continue
            at = self._resynchronise(data, at, id.hex() if begin == marker else "")
        if base + size == self._end and at < size:
            self._add_damage(base + at, base + size, "")
            at = size
        self._at = base + at
        return found

    def _resynchronise(self, data: bytes, at: int, id: str) -> int:
        """Pass over damage up to the next marker, or to where one could begin in the octets not read yet."""
        next_at = data.find(self._codec.marker, at + 1)
        if next_at < 0:
            last = self._at + len(data) == self._end
            next_at = len(data) if last else max(at + 1, len(data) - MARKER_SIZE + 1)
        self._add_damage(self._at + at, self._at + next_at, id)
        return next_at

    def _add_damage(self, start: int, stop: int, id: str) -> None:
        torn = stop == self._end
        last = self.damages[-1] if self.damages else None
        if last and not id and last.offset + last.size == start:
            self.damages[-1] = last._replace(size=stop - last.offset, torn=torn)
        else:
            self.damages.append(Damage(self._file.name, start, stop - start, id, torn))

    def _newer(self, version: int) -> FormatError:
        return FormatError(f"{self._file.name} holds records of version {version}: upgrade forebay")


def guess_marker(file: Readable) -> bytes | None:
    """The marker of a file whose head is damaged, if its first record is whole."""
    marker = file.pread(MARKER_SIZE, FILE_HEAD_SIZE)
    if len(marker) == MARKER_SIZE and next(Scanner(file, Codec(marker)).blocks(), None):
        return marker
    return None
