"""The on-disk format of files of records, version 1. Integers are big-endian, checksums CRC-32C.

    file    head, then records end to end
    head    magic 8 | version 2 | zero 2 | file number 8 | marker 8 | checksum of all before 4
    record  marker 8 | checksum 4 | version 1 | kind 1 | zero 2 | length of the body 4 | stamp 8 | id 16 | body

The marker is drawn at random when a store is made and begins each of its records. Whoever sends messages can't
know it, so after damage the next record is where the marker is found next: a body that looks like records is never
taken for some. Files of one store share it, which lets garbage collection copy records as they are.

A record's checksum covers everything else in it, the marker included. The stamp grows with every record written and
stays the same in a copy: of two records with one id, the higher stamp is the newer message.
"""

import os
from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

from google_crc32c import extend, value

from forebay.msgstore.disk import Buffer
from forebay.msgstore.errors import FormatError

VERSION = 1
MAGIC = b"FOREBAYM"
MARKER_SIZE = 8
ID_SIZE = 16
MAX_BODY = 0xFFFF_FFFF
"""Octets of the longest body."""

_FILE = Struct(">8sHHQ8sI")
FILE_HEAD_SIZE = _FILE.size
_TAIL = Struct(">BBxxIQ16s")
RECORD = Struct(">8sIBBxxIQ16s")
"""Fields of a record's head: marker, checksum, version, kind, length, stamp, id."""

MESSAGE = 0
"""Kind of the records in message files; queue indexes have their own."""

HEAD_SIZE = RECORD.size
SUMMED_FROM = MARKER_SIZE + 4
"""Where in a record the octets after the checksum begin."""

_CRC = Struct(">I")


class FileHead(NamedTuple):
    """What a message file says of itself."""

    number: int
    marker: bytes


def new_marker() -> bytes:
    """A marker for a new store."""
    return os.urandom(MARKER_SIZE)


def encode_file_head(head: FileHead, magic: bytes = MAGIC) -> bytes:
    """The octets a file begins with."""
    start = _FILE.pack(magic, VERSION, 0, head.number, head.marker, 0)[:-4]
    return start + _CRC.pack(value(start))


def decode_file_head(data: bytes, name: str, magic: bytes = MAGIC) -> FileHead | None:
    """Read a file's head; None when it is damaged.

    Raises `FormatError` when it is whole, but of a version this release does not read.
    """
    if len(data) < FILE_HEAD_SIZE:
        return None
    kind, version, _, number, marker, crc = _FILE.unpack_from(data)
    if kind != magic or value(data[: FILE_HEAD_SIZE - 4]) != crc:
        return None
    if version != VERSION:
        raise FormatError(f"{name} has format version {version}, this release reads {VERSION}: upgrade forebay")
    return FileHead(number, marker)


class Codec:
    """Makes and checks the records of one marker."""

    def __init__(self, marker: bytes) -> None:
        self.marker = marker
        self.start = value(marker)
        """Checksum of the marker, which every record's checksum goes on from."""

    def head(self, id: bytes, parts: Sequence[Buffer], size: int, stamp: int, kind: int = MESSAGE) -> bytes:
        """Head of a record whose body is `parts` end to end, `size` octets together."""
        tail = _TAIL.pack(VERSION, kind, size, stamp, id)
        crc = extend(self.start, tail)
        for part in parts:
            crc = extend(crc, part if type(part) is bytes else bytes(part))
        return self.marker + _CRC.pack(crc) + tail
