"""The index as a clean stop leaves it, so that the next start need not read every message file.

Format version 1; integers are big-endian, checksums CRC-32C.

    head     magic 8 | version 2 | zero 2 | marker 8 | next stamp 8 | files 4 | chunks 4 | checksum of all before 4
    files    for each: number 8 | size 8; then the checksum of all of them 4
    chunk    entries 4 | checksum of them 4 | for each entry: id 16 | place 8 | size 4 | references 4
"""

import logging
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from struct import Struct
from typing import NamedTuple

from google_crc32c import value

from forebay.msgstore.disk import Disk, Readable
from forebay.msgstore.errors import SnapshotError
from forebay.msgstore.index import Entry

VERSION = 1
MAGIC = b"FOREBAYX"
CHUNK = 4096
"""Entries a chunk."""

_HEAD = Struct(">8sHH8sQIII")
_FILE = Struct(">QQ")
_CRC = Struct(">I")
_CHUNK = Struct(">II")
_ENTRY = Struct(">16sQII")

log = logging.getLogger(__name__)


class Snapshot(NamedTuple):
    """A snapshot, its checksums verified."""

    marker: bytes
    stamp: int
    files: dict[int, int]
    """Size of each message file by its number."""
    packed: list[bytes]

    @property
    def mark(self) -> bytes:
        """What names this stop among all of this store."""
        return mark_of(self.marker, self.stamp)

    def chunks(self) -> Iterator[list[Entry]]:
        """All entries of the index, some thousands at a time."""
        return map(_entries, self.packed)


class Head(NamedTuple):
    """What a snapshot begins with, its checksums verified."""

    marker: bytes
    stamp: int
    files: dict[int, int]
    chunks: int
    """How many there are."""
    start: int
    """Where the first of them is; all but the last have the same size."""


def mark_of(marker: bytes, stamp: int) -> bytes:
    """What names a stop of a store: its marker, and the stamp that its next record would get."""
    return marker + stamp.to_bytes(8, "big")


def save(
    disk: Disk, name: str, marker: bytes, stamp: int, files: dict[int, int], pages: Iterable[Iterable[Entry]]
) -> None:
    """Write a snapshot and make it durable; an `OSError` leaves none."""
    fresh = f"{name}.new"
    chunks = list(_pack(chain.from_iterable(pages)))
    file = disk.create(fresh)
    try:
        file.append([_summed(_HEAD.pack(MAGIC, VERSION, 0, marker, stamp, len(files), len(chunks), 0)[:-4])])
        file.append([_summed(b"".join(_FILE.pack(*item) for item in files.items()))])
        file.append(chunks)
        file.datasync()
    except OSError:
        disk.unlink(fresh)
        raise
    finally:
        file.close()
    disk.rename(fresh, name)
    disk.sync_folder(name.rpartition("/")[0])


def take(disk: Disk, name: str) -> Snapshot | None:
    """Read the snapshot and delete it, for it is true only until the first change; None when none is usable."""
    if disk.exists(f"{name}.new"):
        disk.unlink(f"{name}.new")
    if not disk.exists(name):
        return None
    try:
        return _load(disk, name)
    except (SnapshotError, OSError) as error:
        log.warning("index snapshot %s is not used: %s", name, error)
        return None
    finally:
        disk.unlink(name)
        disk.sync_folder(name.rpartition("/")[0])


def read_head(file: Readable) -> Head:
    """Read what comes before the chunks. Raises `SnapshotError`."""
    head = _checked(file, 0, _HEAD.size)
    magic, version, _, marker, stamp, file_count, chunk_count, _ = _HEAD.unpack(head)
    if magic != MAGIC or version != VERSION:
        raise SnapshotError(f"its format version is {version}, this release reads {VERSION}")
    files = _checked(file, _HEAD.size, file_count * _FILE.size + _CRC.size)
    start = _HEAD.size + len(files)
    return Head(marker, stamp, dict(_FILE.iter_unpack(files[: -_CRC.size])), chunk_count, start)


def read_chunk(file: Readable, head: Head, number: int) -> bytes:
    """Read the entries of one chunk, packed. Raises `SnapshotError`."""
    at = head.start + number * (_CHUNK.size + CHUNK * _ENTRY.size)
    data = file.pread(_CHUNK.size + CHUNK * _ENTRY.size, at)
    if len(data) < _CHUNK.size:
        raise SnapshotError(f"it ends at octet {file.size()}")
    count, crc = _CHUNK.unpack_from(data)
    chunk = data[_CHUNK.size : _CHUNK.size + count * _ENTRY.size]
    if len(chunk) < count * _ENTRY.size or value(chunk) != crc:
        raise SnapshotError(f"it is damaged near octet {at}")
    return chunk


def _entries(chunk: bytes) -> list[Entry]:
    """The entries of a chunk."""
    return [Entry._make(fields) for fields in _ENTRY.iter_unpack(chunk)]


def _load(disk: Disk, name: str) -> Snapshot:
    file = disk.open(name)
    try:
        head = read_head(file)
        packed = [read_chunk(file, head, number) for number in range(head.chunks)]
    finally:
        file.close()
    return Snapshot(head.marker, head.stamp, head.files, packed)


def _checked(file: Readable, at: int, size: int) -> bytes:
    """Octets that end in their own checksum."""
    part = file.pread(size, at)
    if len(part) < size or value(part[: -_CRC.size]) != _CRC.unpack(part[-_CRC.size :])[0]:
        raise SnapshotError(f"it is damaged near octet {at}")
    return part


def _summed(part: bytes) -> bytes:
    return part + _CRC.pack(value(part))


def _pack(entries: Iterable[Entry]) -> Iterator[bytes]:
    rest = iter(entries)
    while chunk := b"".join(_ENTRY.pack(*entry) for entry in islice(rest, CHUNK)):
        yield _CHUNK.pack(len(chunk) // _ENTRY.size, value(chunk)) + chunk
