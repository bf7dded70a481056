import pytest
from google_crc32c import value

from forebay.msgstore.errors import FormatError
from forebay.msgstore.record import (
    FILE_HEAD_SIZE,
    HEAD_SIZE,
    RECORD,
    Codec,
    FileHead,
    decode_file_head,
    encode_file_head,
    new_marker,
)

HEAD = FileHead(7, b"markmark")


def test_file_head_round_trip():
    data = encode_file_head(HEAD)
    assert len(data) == FILE_HEAD_SIZE
    assert decode_file_head(data, "x") == HEAD


@pytest.mark.parametrize("at", range(FILE_HEAD_SIZE))
def test_any_flipped_byte_spoils_a_file_head(at):
    data = bytearray(encode_file_head(HEAD))
    data[at] ^= 0x40
    assert decode_file_head(bytes(data), "x") is None


def test_short_file_head_is_damaged():
    assert decode_file_head(encode_file_head(HEAD)[:-1], "x") is None


def test_head_of_another_kind_of_file_is_none_of_ours():
    assert decode_file_head(encode_file_head(HEAD, b"FOREBAYS"), "x") is None


def test_newer_format_is_refused_by_name():
    data = bytearray(encode_file_head(HEAD)[:-4])
    data[9] = 2
    data += value(bytes(data)).to_bytes(4, "big")
    with pytest.raises(FormatError, match=r"box\.messages has format version 2"):
        decode_file_head(bytes(data), "box.messages")


def test_record_layout_is_as_documented():
    head = Codec(b"markmark").head(b"i" * 16, (b"bo", b"dy"), 4, 9, kind=3)
    assert len(head) == HEAD_SIZE == 44
    marker, crc, version, kind, length, stamp, id = RECORD.unpack(head)
    assert (marker, version, kind, length, stamp, id) == (b"markmark", 1, 3, 4, 9, b"i" * 16)
    assert crc == value(b"markmark" + head[12:] + b"body")


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_parts_of_any_kind_give_the_same_record(kind):
    codec = Codec(b"markmark")
    assert codec.head(b"i" * 16, (kind(b"body"),), 4, 1) == codec.head(b"i" * 16, (b"bo", b"dy"), 4, 1)


def test_markers_differ():
    assert new_marker() != new_marker()
