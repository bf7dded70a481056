import pytest

from forebay.msgstore.queuerecord import (
    QueueEntry,
    decode_acknowledge,
    decode_deliver,
    decode_publish,
    embeds,
    encode_acknowledge,
    encode_deliver,
    encode_publish,
    ranges,
)
from forebay.msgstore.record import HEAD_SIZE, RECORD, Codec

CODEC = Codec(b"markmark")


@pytest.mark.parametrize(
    "entry",
    [
        QueueEntry(7, b"i" * 16, 5000),
        QueueEntry(1 << 40, b"j" * 16, 5, expiry=1_700_000_000_000, body=b"hello"),
        QueueEntry(8, b"k" * 16, 0, persistent=False, body=b""),
    ],
    ids=["stored", "embedded", "empty"],
)
def test_publish_round_trip(entry):
    record = encode_publish(CODEC, entry)
    _, _, _, kind, length, seq, id = RECORD.unpack_from(record)
    assert (kind, length) == (1, len(record) - HEAD_SIZE)
    assert decode_publish(seq, id, record[HEAD_SIZE:]) == entry


def test_deliver_round_trip():
    record = encode_deliver(CODEC, range(5, 900), 3)
    assert decode_deliver(RECORD.unpack_from(record)[5], record[HEAD_SIZE:]) == (range(5, 900), 3)


def test_acknowledge_round_trip():
    record = encode_acknowledge(CODEC, range(5, 900))
    assert decode_acknowledge(RECORD.unpack_from(record)[5], record[HEAD_SIZE:]) == range(5, 900)


@pytest.mark.parametrize(
    ("size", "queues", "expected"),
    [(0, 1, True), (4095, 1, True), (4096, 1, False), (10, 2, False)],
    ids=["empty", "just below", "at the bound", "two queues"],
)
def test_only_small_messages_of_one_queue_are_embedded(size, queues, expected):
    assert embeds(size, queues) is expected


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([], []), ([4], [range(4, 5)]), ([1, 2, 3, 7, 9, 10], [range(1, 4), range(7, 8), range(9, 11)])],
    ids=["none", "one", "several"],
)
def test_numbers_become_ranges(numbers, expected):
    assert list(ranges(numbers)) == expected
