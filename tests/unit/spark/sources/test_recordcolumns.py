"""A message file in columns says what `Scanner` does, whatever is wrong with it."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from google_crc32c import extend
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.msgstore.errors import FormatError
from forebay.msgstore.record import SUMMED_FROM, Codec, FileHead, encode_file_head
from forebay.msgstore.scan import BLOCK, Damage, Scanner
from forebay_spark.readfile import ReadFile
from forebay_spark.sources import recordcolumns
from forebay_spark.sources.recordcolumns import records_of

MARKER = b"\x01marker\xff"
CODEC = Codec(MARKER)
SIZES = st.lists(st.sampled_from([0, 1, 40, 500, 4000]), max_size=30)

Place = tuple[int, int, int, bytes]


def record(number: int, size: int) -> bytes:
    body = random.Random(number).randbytes(size)
    return CODEC.head(number.to_bytes(16), [body], size, 2**40 + number) + body


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(encode_file_head(FileHead(1, MARKER)) + data)
    return path


def in_columns(path: Path) -> tuple[list[Place], list[Damage]]:
    damages: list[Damage] = []
    with ReadFile(path, "file") as file:
        found = [
            place
            for records in records_of(file, CODEC, damages)
            for place in zip(
                records.places.tolist(),
                records.lengths.tolist(),
                records.stamps.tolist(),
                [id.tobytes() for id in records.ids],
                strict=True,
            )
        ]
    return found, damages


def plainly(path: Path) -> tuple[list[Place], list[Damage]]:
    with ReadFile(path, "file") as file:
        scanner = Scanner(file, CODEC)
        found = [(each.offset, each.size, each.stamp, each.id) for block in scanner.blocks() for each in block]
    return found, scanner.damages


@settings(deadline=None)
@given(SIZES, st.lists(st.integers(0, 2**32), max_size=3), st.integers(0, 200), st.sampled_from([1, 7, 8192]))
def test_columns_hold_what_a_plain_reading_finds(tmp_path_factory, sizes, damage, cut, rows):
    data = bytearray(b"".join(record(number, size) for number, size in enumerate(sizes)))
    for each in damage:
        if data:
            data[each % len(data)] ^= 0xFF
    path = written(tmp_path_factory.mktemp("files") / "file", bytes(data[: max(0, len(data) - cut)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recordcolumns, "ROWS", rows)
        assert in_columns(path) == plainly(path)


@pytest.mark.parametrize("size", [4000, BLOCK - 1, 3 * BLOCK], ids=["short", "of a block", "longer"])
def test_records_of_many_blocks_are_found(tmp_path, size):
    count = 3 * BLOCK // size + 2
    path = written(tmp_path / "file", b"".join(record(number, size) for number in range(count)))
    found, damages = in_columns(path)
    assert (found, damages) == plainly(path)
    assert (len(found), damages) == (count, [])


def without_disk(file: ReadFile, at: int) -> Callable[[int, int], bytes]:
    """What reads the file, but for one page."""
    pread = file.pread

    def read(size: int, offset: int) -> bytes:
        if offset <= at < offset + size:
            raise OSError("bad block")
        return pread(size, offset)

    return read


def test_what_the_disk_cannot_read_is_damaged(tmp_path):
    path = written(tmp_path / "file", b"".join(record(number, 4000) for number in range(600)))
    damages: list[Damage] = []
    with ReadFile(path, "file") as file:
        file.pread = without_disk(file, 1_500_000)
        found = sum(len(records.places) for records in records_of(file, CODEC, damages))
    # A page may be that of two records.
    assert 597 <= found < 600
    assert sum(damage.size for damage in damages) == (600 - found) * len(record(0, 4000))


def test_record_of_a_newer_version_is_refused(tmp_path):
    newer = bytearray(record(1, 10))
    newer[SUMMED_FROM] = 9
    newer[len(MARKER) : SUMMED_FROM] = extend(CODEC.start, bytes(newer[SUMMED_FROM:])).to_bytes(4)
    path = written(tmp_path / "file", record(0, 10) + newer)
    with pytest.raises(FormatError, match="version 9"):
        in_columns(path)
