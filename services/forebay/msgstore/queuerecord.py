"""Records of a queue index: publish, deliver, acknowledge, mark, horizon. Journal and segments hold the same ones.

They are records as `record` describes them, with the sequence number, or the first of a range, as stamp. Bodies:

    publish      flags 1 | zero 3 | size of the message 4 | expiry 8 | the message itself, when it is embedded
    deliver      length of the range 4 | times delivered 4
    acknowledge  length of the range 4
    mark         the mark's name; the stamp is its value. In journals alone
    horizon      nothing; the stamp is the first number that was never used. In journals alone
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, repeat
from struct import Struct
from typing import NamedTuple

from google_crc32c import extend

from forebay.msgstore.record import VERSION, Codec

PUBLISH = 1
DELIVER = 2
ACKNOWLEDGE = 3
MARK = 4
HORIZON = 5

EMBED_BELOW = 4096
"""Octets from which a message goes to the message store even if one queue alone gets it."""

PUBLISH_HEAD = Struct(">BxxxIQ")
"""What the body of a publish record begins with: flags, size, expiry."""
_PUBLISH_SUMMED = Struct(">BBxxIQ16sBxxxIQ")
"""What a publish record's checksum covers behind the marker, but for the message."""
_START = Struct(">8sI")
_DELIVER = Struct(">II")
_ACKNOWLEDGE = Struct(">I")
PERSISTENT = 1
EMBEDDED = 2
"""Flags of a publish record."""
_NO_ID = bytes(16)


class QueueEntry(NamedTuple):
    """One message in one queue."""

    seq: int
    """Its place in the queue; grows by one a message."""
    id: bytes
    """16 octets, as in the message store."""
    size: int
    """Octets of the message."""
    expiry: int = 0
    """Milliseconds since the epoch; 0 for never."""
    persistent: bool = True
    """Else it is forgotten at the next start."""
    body: bytes | None = None
    """The message, when it is embedded; else it is in the message store."""
    deliveries: int = 0
    """How often it was handed to a consumer."""


def embeds(size: int, queues: int) -> bool:
    """Whether a message of that size, which so many queues get, is kept in the index of its queue."""
    return queues == 1 and size < EMBED_BELOW


def encode_publish(codec: Codec, entry: QueueEntry) -> bytes:
    """Record of a message that came into the queue."""
    body = entry.body or b""
    flags = PERSISTENT * entry.persistent | EMBEDDED * (entry.body is not None)
    payload = PUBLISH_HEAD.pack(flags, entry.size, entry.expiry) + body
    return codec.head(entry.id, (payload,), len(payload), entry.seq, PUBLISH) + payload


def encode_heads(
    codec: Codec,
    first: int,
    ids: Sequence[bytes],
    sizes: Sequence[int],
    expiries: Sequence[int] | None,
    bodies: Sequence[bytes | None] | None,
    *,
    persistent: bool,
) -> list[bytes]:
    """Publish records of consecutive numbers, each without the embedded message that ends it."""
    summed, begin = _PUBLISH_SUMMED.pack, _START.pack
    embedded: Sequence[bytes] = [body or b"" for body in bodies] if bodies else [b""] * len(ids)
    columns = zip(count(first), ids, sizes, expiries or repeat(0), map(len, embedded), _flags(bodies, persistent))
    tails = [
        summed(VERSION, PUBLISH, PUBLISH_HEAD.size + length, seq, id, flags, size, expiry)
        for seq, id, size, expiry, length, flags in columns
    ]
    sums = map(extend, map(extend, repeat(codec.start), tails), embedded)
    marker = codec.marker
    return [begin(marker, crc) + tail for crc, tail in zip(sums, tails, strict=True)]


def _flags(bodies: Sequence[bytes | None] | None, persistent: bool) -> Iterable[int]:
    kept = PERSISTENT * persistent
    if not bodies:
        return repeat(kept)
    if None not in bodies:
        return repeat(kept | EMBEDDED)
    return [kept | EMBEDDED * (body is not None) for body in bodies]


def joined(heads: list[bytes], bodies: Sequence[bytes | None] | None) -> list[bytes]:
    """Heads and the messages that end them, in the order in which they are written."""
    if not bodies:
        return heads
    pieces: list[bytes] = [b""] * (2 * len(heads))
    pieces[::2] = heads
    pieces[1::2] = [body or b"" for body in bodies]
    return pieces


def decode_publish(seq: int, id: bytes, payload: bytes) -> QueueEntry:
    """Read the body of a publish record."""
    flags, size, expiry = PUBLISH_HEAD.unpack_from(payload)
    body = payload[PUBLISH_HEAD.size :] if flags & EMBEDDED else None
    return QueueEntry(seq, id, size, expiry, bool(flags & PERSISTENT), body)


def encode_deliver(codec: Codec, seqs: range, deliveries: int) -> bytes:
    """Record that these messages were delivered for the n-th time; a repeat of it changes nothing."""
    payload = _DELIVER.pack(len(seqs), deliveries)
    return codec.head(_NO_ID, (payload,), len(payload), seqs.start, DELIVER) + payload


def decode_deliver(first: int, payload: bytes) -> tuple[range, int]:
    """Read the body of a deliver record: sequence numbers and times delivered."""
    count, deliveries = _DELIVER.unpack(payload)
    return range(first, first + count), deliveries


def encode_acknowledge(codec: Codec, seqs: range) -> bytes:
    """Record that the queue is done with these messages."""
    payload = _ACKNOWLEDGE.pack(len(seqs))
    return codec.head(_NO_ID, (payload,), len(payload), seqs.start, ACKNOWLEDGE) + payload


def decode_acknowledge(first: int, payload: bytes) -> range:
    """Read the body of an acknowledge record."""
    (count,) = _ACKNOWLEDGE.unpack(payload)
    return range(first, first + count)


def encode_mark(codec: Codec, name: bytes, value: int) -> bytes:
    """Record of a small fact beside the messages."""
    return codec.head(_NO_ID, (name,), len(name), value, MARK) + name


def encode_horizon(codec: Codec, next_seq: int) -> bytes:
    """Record that all lower numbers were used, though nothing may be left to show it."""
    return codec.head(_NO_ID, (), 0, next_seq, HORIZON)


def ranges(seqs: Iterable[int]) -> Iterator[range]:
    """Ascending numbers as ranges without gaps."""
    start = stop = None
    for seq in seqs:
        if start is None or seq != stop:
            if start is not None and stop is not None:
                yield range(start, stop)
            start = seq
        stop = seq + 1
    if start is not None and stop is not None:
        yield range(start, stop)
