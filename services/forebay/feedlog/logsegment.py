"""Segments of the feed log on disk: the records of accepted articles, and where they lie in their file.

    log/<number>.log = header | record frames in order of seq
    record           = seq (8) | arrival, ms (8) | size (4) | lengths of the next three (1 each)
                       | message-id | first group | bitmap of the peers chosen at acceptance, little-endian

A segment has the seqs from number * 16,384 on. Each record says its seq, so a compacted segment keeps the rest.
"""

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import NamedTuple

from forebay.feedlog.frames import BODY_OFFSET, Gap, scan, seal

SEGMENT_BITS = 14
SEGMENT_ENTRIES = 1 << SEGMENT_BITS
SLOT_MASK = SEGMENT_ENTRIES - 1
KIND = b"FBFL"
FOLDER = "log"
MAX_GROUP = 255
"""Octets kept of a group's name: it serves reports, not routing."""

_RECORD = Struct(">IQQIBBB")
_BODY = Struct(">QQIBBB")


class LogRecord(NamedTuple):
    """An accepted article, to be logged."""

    message_id: bytes
    """With its angle brackets; at most 250 octets (RFC 3977, 3.6)."""
    arrival: int
    """Milliseconds since the epoch."""
    size: int
    """Octets in wire form."""
    group: bytes
    """The first of its newsgroups; for reports."""
    peers: int
    """Bitmap: bit n is set when the peer of number n is to get it."""


class Entry(NamedTuple):
    """A record as it is read back."""

    seq: int
    arrival: int
    size: int
    message_id: bytes
    group: bytes
    peers: bytes
    """Little-endian bitmap."""


class Encoded(NamedTuple):
    """Records in their form on disk, and what memory keeps of them."""

    data: bytes
    starts: list[int]
    """Where each record begins in `data`."""
    bits: bytes
    """`width` octets a record: its peers."""
    width: int
    groups: list[bytes]


def segment_name(number: int) -> str:
    """Name of the file of a segment."""
    return f"{FOLDER}/{number:010d}.log"


def segment_number(name: str) -> int | None:
    """The opposite, for a name without its folder; None for any other file."""
    stem, dot, suffix = name.partition(".")
    return int(stem) if dot and suffix == "log" and stem.isdigit() else None


def encode(records: Sequence[LogRecord], first_seq: int) -> Encoded:
    """Frames for records with consecutive seqs."""
    width = max(1, (max(record.peers for record in records).bit_length() + 7) // 8)
    pack, fixed = _RECORD.pack, _BODY.size + width
    parts: list[bytes] = []
    starts: list[int] = []
    bits: list[bytes] = []
    at = 0
    for seq, (message_id, arrival, size, group, peers) in enumerate(records, first_seq):
        group = group[:MAX_GROUP]
        bitmap = peers.to_bytes(width, "little")
        lengths = len(message_id), len(group)
        checked = pack(fixed + sum(lengths), seq, arrival, size, *lengths, width) + message_id + group + bitmap
        sealed = seal(checked)
        parts += sealed, checked
        bits.append(bitmap)
        starts.append(at)
        at += len(sealed) + len(checked)
    return Encoded(b"".join(parts), starts, b"".join(bits), width, [record.group for record in records])


def entries(data: bytes, gaps: list[Gap], start: int) -> Iterator[tuple[int, int, Entry]]:
    """The sound records of a piece of a segment, from `start` on, each with where its frame begins and ends."""
    for begin, end in scan(data, gaps, start):
        body = begin + BODY_OFFSET
        seq, arrival, size, id_length, group_length, _ = _BODY.unpack_from(data, body)
        id_at = body + _BODY.size
        group_at = id_at + id_length
        peers_at = group_at + group_length
        yield begin, end, Entry(seq, arrival, size, data[id_at:group_at], data[group_at:peers_at], data[peers_at:end])
