"""One file of remembered message-ids: an open-addressing hash table of 16-octet keys, mapped into memory.

Entries are only ever added, and none is moved, so that whatever part of the file a power cut leaves on disk is right:
an entry is there, or it is not. A table does not grow; a full one is followed by a larger one.
"""

import mmap
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from struct import Struct

import google_crc32c

from forebay.outfeed.errors import OutfeedError

MAGIC = b"FOREBAYH"
VERSION = 1
HEADER_OCTETS = 4096
KEY_OCTETS = 16
_HEADER = Struct("<8sIIqQ")
_CHECKSUM = Struct("<I")
_HALVES = Struct("<QQ")
_FULL = 0.6
_BRIMFUL = 0.9
_SCANNED_SLOTS = 8192


class TableDamagedError(OutfeedError):
    """A file is no table of remembered message-ids, or its header is damaged."""


def halves(key: bytes) -> tuple[int, int]:
    """A key as two numbers; the first is never 0, which marks a free slot."""
    first, second = _HALVES.unpack(key)
    return first or 1, second


class IdTable:
    """A table of one day, or a part of it."""

    def __init__(self, path: Path, descriptor: int, day: int, slots: int) -> None:
        """Takes over the descriptor. Use `create` or `open`."""
        self.path = path
        self.day = day
        self.slots = slots
        self.count = 0
        self._descriptor = descriptor
        self._closing = threading.Lock()
        self._map = mmap.mmap(descriptor, HEADER_OCTETS + slots * KEY_OCTETS)
        self._words = memoryview(self._map)[HEADER_OCTETS:].cast("Q")
        self._first_mask = slots - 1
        self._word_mask = 2 * slots - 1

    @classmethod
    def create(cls, path: Path, day: int, slots: int) -> "IdTable":
        """Make an empty table of `slots` slots, a power of two. Raises `OSError`, and then leaves no file."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            # A hole in a mapped file would kill the process when the disk is full.
            os.posix_fallocate(descriptor, 0, HEADER_OCTETS + slots * KEY_OCTETS)
            header = _HEADER.pack(MAGIC, VERSION, 0, day, slots)
            os.pwrite(descriptor, header + _CHECKSUM.pack(google_crc32c.value(header)), 0)
            return cls(path, descriptor, day, slots)
        except OSError:
            os.close(descriptor)
            path.unlink()
            raise

    @classmethod
    def open(cls, path: Path) -> "IdTable":
        """Read an existing table. Raises `TableDamagedError`; `count` is right once `firsts` was read through."""
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            return cls(path, descriptor, *_read_header(descriptor))
        except TableDamagedError:
            os.close(descriptor)
            raise

    def has(self, first: int, second: int) -> bool:
        """Whether a key, as its `halves`, was added."""
        words = self._words
        at = (first & self._first_mask) << 1
        while word := words[at]:
            if word == first and words[at + 1] == second:
                return True
            at = (at + 2) & self._word_mask
        return False

    def add(self, first: int, second: int) -> None:
        """Add a key, as its `halves`, that is not there. There must be room."""
        words = self._words
        at = (first & self._first_mask) << 1
        while words[at]:
            at = (at + 2) & self._word_mask
        # The second half first: a slot counts as taken by its first half.
        words[at + 1] = second
        words[at] = first
        self.count += 1

    def room(self, brimful: bool = False) -> int:
        """How many keys may be added while look-ups stay fast, or, brimful, while they still end."""
        return int(self.slots * (_BRIMFUL if brimful else _FULL)) - self.count

    def firsts(self) -> Iterator[int]:
        """The first halves of all keys. They are counted on the way."""
        self.count = 0
        for start in range(0, 2 * self.slots, 2 * _SCANNED_SLOTS):
            found = [word for word in self._words[start : start + 2 * _SCANNED_SLOTS : 2].tolist() if word]
            self.count += len(found)
            yield from found

    def sync(self) -> None:
        """Wait until all that was added is on disk; other threads run meanwhile. Raises `OSError`."""
        with self._closing:
            if self._descriptor >= 0:
                os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Unmap the file."""
        with self._closing:
            self._words.release()
            self._map.close()
            os.close(self._descriptor)
            self._descriptor = -1


def _read_header(descriptor: int) -> tuple[int, int]:
    """Day and slots. Raises `TableDamagedError`."""
    raw = os.pread(descriptor, _HEADER.size + _CHECKSUM.size, 0)
    if len(raw) < _HEADER.size + _CHECKSUM.size:
        raise TableDamagedError("it is shorter than a header")
    header = raw[: _HEADER.size]
    magic, version, _, day, slots = _HEADER.unpack(header)
    if magic != MAGIC or _CHECKSUM.unpack(raw[_HEADER.size :]) != (google_crc32c.value(header),):
        raise TableDamagedError("its header is damaged")
    if version != VERSION:
        raise TableDamagedError(f"its format is {version}, and this release reads {VERSION}")
    if os.fstat(descriptor).st_size != HEADER_OCTETS + slots * KEY_OCTETS or slots & (slots - 1):
        raise TableDamagedError(f"its length does not fit its {slots} slots")
    return day, slots
