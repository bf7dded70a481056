"""Reading entries of a segment whose places in its file are known."""

from collections.abc import Iterator, Sequence

from google_crc32c import extend

from forebay.msgstore.disk import Readable
from forebay.msgstore.entrybatch import EntryBatch, batches_of
from forebay.msgstore.queuerecord import EMBEDDED, PUBLISH, PUBLISH_HEAD, QueueEntry, decode_publish
from forebay.msgstore.record import HEAD_SIZE, RECORD, SUMMED_FROM, Codec

BLOCK = 1 << 20
"""Octets read at once, but for the end of the last record."""

_STORED = HEAD_SIZE + PUBLISH_HEAD.size
"""Octets of the record of a message that is not embedded."""

_SLACK = 8192
"""Octets read behind the start of the last record: it most likely ends there."""


def read_entries(file: Readable, codec: Codec, saved: Sequence[tuple[int, int]]) -> Iterator[EntryBatch]:
    """Entries of these sequence numbers, in order, each with the place of its record in the file.

    Those whose record is damaged are missing.
    """
    entries = (entry for block in _blocks(saved) for entry in _read_block(file, codec, block))
    return batches_of(entries)


def read_stored(file: Readable, codec: Codec, saved: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """Of these, ids of the messages that are not embedded; those whose record is damaged are missing."""
    for block in _blocks(saved):
        base = block[0][1]
        data = _pread(file, block[-1][1] - base + _SLACK, base)
        for seq, offset in block:
            at = offset - base
            stop = at + _STORED
            if stop > len(data):
                continue
            marker, crc, _, kind, length, stamp, id = RECORD.unpack_from(data, at)
            if length != PUBLISH_HEAD.size or marker != codec.marker or kind != PUBLISH or stamp != seq:
                continue
            if not data[at + HEAD_SIZE] & EMBEDDED and extend(codec.start, data[at + SUMMED_FROM : stop]) == crc:
                yield id


def _blocks(saved: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Neighbours that one read gets."""
    block: list[tuple[int, int]] = []
    for item in saved:
        if block and not block[-1][1] < item[1] < block[0][1] + BLOCK:
            yield block
            block = []
        block.append(item)
    if block:
        yield block


def _read_block(file: Readable, codec: Codec, block: list[tuple[int, int]]) -> Iterator[QueueEntry]:
    base = block[0][1]
    data = _pread(file, block[-1][1] - base + _SLACK, base)
    for seq, offset in block:
        entry = _decode(codec, data, offset - base, seq)
        if entry is None:
            # It may be longer than what was read, or one of its neighbours cannot be read.
            entry = _read_alone(file, codec, offset, seq)
        if entry is not None:
            yield entry


def _pread(file: Readable, size: int, offset: int) -> bytes:
    try:
        return file.pread(size, offset)
    except OSError:
        return b""


def _read_alone(file: Readable, codec: Codec, offset: int, seq: int) -> QueueEntry | None:
    head = _pread(file, HEAD_SIZE, offset)
    if len(head) < HEAD_SIZE:
        return None
    length = RECORD.unpack(head)[4]
    if offset + HEAD_SIZE + length > file.size():
        return None
    return _decode(codec, _pread(file, HEAD_SIZE + length, offset), 0, seq)


def _decode(codec: Codec, data: bytes, at: int, seq: int) -> QueueEntry | None:
    if at + HEAD_SIZE > len(data):
        return None
    marker, crc, _, kind, length, stamp, id = RECORD.unpack_from(data, at)
    stop = at + HEAD_SIZE + length
    if marker != codec.marker or kind != PUBLISH or stamp != seq or stop > len(data):
        return None
    if extend(codec.start, data[at + SUMMED_FROM : stop]) != crc:
        return None
    return decode_publish(seq, id, data[at + HEAD_SIZE : stop])
