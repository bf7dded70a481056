"""The index as a clean stop leaves it, so that the next start need not read every message file.

Format version 1; integers are big-endian, checksums CRC-32C.

    head     magic 8 | version 2 | zero 2 | marker 8 | next stamp 8 | files 4 | chunks 4 | checksum of all before 4
    files    for each: number 8 | size 8; then the checksum of all of them 4
    chunk    entries 4 | checksum of them 4 | for each entry: id 16 | place 8 | size 4 | references 4
"""

import logging
import struct
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from struct import Struct
from typing import NamedTuple

from google_crc32c import value

from forebay.msgstore.disk import Disk
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

    def chunks(self) -> Iterator[list[Entry]]:
        """All entries of the index, some thousands at a time."""
        for chunk in self.packed:
            yield [Entry._make(fields) for fields in _ENTRY.iter_unpack(chunk)]


class _UnfitError(Exception):
    """Why a snapshot can't be used."""


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
    except (_UnfitError, OSError) as error:
        log.warning("index snapshot %s is not used: %s", name, error)
        return None
    finally:
        disk.unlink(name)
        disk.sync_folder(name.rpartition("/")[0])


def _load(disk: Disk, name: str) -> Snapshot:
    file = disk.open(name)
    try:
        data = memoryview(file.pread(file.size(), 0))
    finally:
        file.close()
    head = _checked(data, 0, _HEAD.size)
    magic, version, _, marker, stamp, file_count, chunk_count, _ = _HEAD.unpack(head)
    if magic != MAGIC or version != VERSION:
        raise _UnfitError(f"its format version is {version}, this release reads {VERSION}")
    at = _HEAD.size
    files = _checked(data, at, file_count * _FILE.size + _CRC.size)
    at += len(files)
    chunks = []
    for _ in range(chunk_count):
        chunk = _checked_chunk(data, at)
        chunks.append(chunk)
        at += _CHUNK.size + len(chunk)
    return Snapshot(marker, stamp, dict(_FILE.iter_unpack(files[: -_CRC.size])), chunks)


def _checked(data: memoryview, at: int, size: int) -> bytes:
    """Octets that end in their own checksum."""
    part = bytes(data[at : at + size])
    if len(part) < size or value(part[: -_CRC.size]) != _CRC.unpack(part[-_CRC.size :])[0]:
        raise _UnfitError(f"it is damaged near octet {at}")
    return part


def _checked_chunk(data: memoryview, at: int) -> bytes:
    try:
        count, crc = _CHUNK.unpack_from(data, at)
    except struct.error as error:
        raise _UnfitError(f"it ends at octet {len(data)}") from error
    at += _CHUNK.size
    chunk = bytes(data[at : at + count * _ENTRY.size])
    if len(chunk) < count * _ENTRY.size or value(chunk) != crc:
        raise _UnfitError(f"it is damaged near octet {at}")
    return chunk


def _summed(part: bytes) -> bytes:
    return part + _CRC.pack(value(part))


def _pack(entries: Iterable[Entry]) -> Iterator[bytes]:
    rest = iter(entries)
    while chunk := b"".join(_ENTRY.pack(*entry) for entry in islice(rest, CHUNK)):
        yield _CHUNK.pack(len(chunk) // _ENTRY.size, value(chunk)) + chunk
