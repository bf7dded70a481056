from feedlogs import record, records
from forebay.feedlog.logsegment import (
    MAX_GROUP,
    Entry,
    LogRecord,
    encode,
    entries,
    segment_name,
    segment_number,
)


def decoded(data: bytes, start: int = 0) -> list[Entry]:
    return [entry for _, _, entry in entries(data, [], start)]


def test_records_are_read_back_as_they_were_written():
    written = [record(1, 0b1), LogRecord(b"<b@c>", 5, 2**32 - 1, "grüße.test".encode(), 0b101)]
    first, second = decoded(encode(written, 77).data)
    assert first == (77, *record(1)[1:3], record(1).message_id, b"misc.test", b"\1")
    assert second == Entry(78, 5, 2**32 - 1, b"<b@c>", "grüße.test".encode(), b"\5")


def test_a_batch_is_as_wide_as_its_highest_peer_needs():
    encoded = encode([record(0, 1), record(1, 1 << 8)], 0)
    assert encoded.width == 2
    assert encoded.bits == b"\1\0\0\1"


def test_a_record_for_the_last_possible_peer_can_be_written():
    (entry,) = decoded(encode([record(0, 1 << 2039)], 0).data)
    assert int.from_bytes(entry.peers, "little") == 1 << 2039


def test_a_very_long_group_name_is_cut():
    (entry,) = decoded(encode([record(0, 1, b"g" * 1000)], 0).data)
    assert entry.group == b"g" * MAX_GROUP


def test_starts_tell_where_each_record_begins():
    encoded = encode(records(0, 5), 0)
    assert [decoded(encoded.data, start)[0].seq for start in encoded.starts] == [0, 1, 2, 3, 4]


def test_names_and_numbers_of_segments():
    assert segment_number(segment_name(42).removeprefix("log/")) == 42
    assert segment_number("0000000042.log.new") is None
    assert segment_number("notes.txt") is None
