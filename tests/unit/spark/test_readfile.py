"""Reading files of any size from front to back, the disk asked ahead."""

import os
from pathlib import Path

import pytest

from forebay_spark.readfile import AHEAD, ReadFile

MIB = 1 << 20


def test_a_file_is_read_as_it_is(tmp_path: Path):
    content = os.urandom(3 * MIB + 7)
    (tmp_path / "file").write_bytes(content)
    with ReadFile(tmp_path / "file", "file") as file:
        assert b"".join(file.pread(MIB, at) for at in range(0, file.size(), MIB)) == content
        assert file.pread(10, len(content) - 4) == content[-4:]
        assert file.pread(10, len(content)) == b""


def test_the_disk_is_asked_once_for_each_octet_that_comes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    size = 5 * AHEAD
    with (tmp_path / "file").open("wb") as file:
        file.truncate(size)
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda _, offset, length, __: asked.append((offset, length)))
    with ReadFile(tmp_path / "file", "file") as file:
        for at in range(0, size, MIB):
            file.pread(MIB, at)
    ends = [offset + length for offset, length in asked]
    assert [offset for offset, _ in asked] == [MIB, *ends[:-1]]
    assert ends[-1] >= size
