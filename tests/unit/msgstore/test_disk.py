import errno
import os

import pytest

from forebay.msgstore import disk as disk_module
from forebay.msgstore.disk import RealDisk, replace


@pytest.fixture
def disk(tmp_path):
    return RealDisk(tmp_path / "deep" / "root")


def test_append_returns_where_it_begins(disk):
    file = disk.create("f")
    assert file.append([b"abc"]) == 0
    assert file.append([b"de", memoryview(b"fg"), bytearray(b"h")]) == 3
    assert (file.size(), file.pread(100, 0)) == (8, b"abcdefgh")
    file.close()


def test_append_takes_more_buffers_than_one_call_of_the_kernel(disk):
    file = disk.create("f")
    pieces = [b"%06d" % n for n in range(5000)]
    file.append(pieces)
    assert file.pread(30_000, 0) == b"".join(pieces)
    file.close()


def test_append_goes_on_after_reopening(disk):
    file = disk.create("f")
    file.append([b"abc"])
    file.close()
    file = disk.open("f")
    assert file.append([b"d"]) == 3
    file.close()


def test_short_write_is_finished(disk, monkeypatch):
    real = os.pwritev
    monkeypatch.setattr(os, "pwritev", lambda fd, pieces, at: real(fd, [b"".join(pieces)[:5]], at))
    file = disk.create("f")
    file.append([b"abc", b"defg", b"hij"])
    assert file.pread(100, 0) == b"abcdefghij"
    file.close()


def test_failed_append_leaves_nothing(disk, monkeypatch):
    def full(fd, data, at):
        raise OSError(errno.ENOSPC, "full")

    real = os.pwritev
    monkeypatch.setattr(os, "pwritev", lambda fd, pieces, at: real(fd, [b"".join(pieces)[:5]], at))
    monkeypatch.setattr(os, "pwrite", full)
    file = disk.create("f")
    with pytest.raises(OSError, match="full"):
        file.append([b"abcdefgh"])
    assert (file.size(), file.pread(100, 0)) == (0, b"")
    file.close()


def test_pread_ends_with_the_file(disk):
    file = disk.create("f")
    file.append([b"abc"])
    assert (file.pread(10, 1), file.pread(10, 3), file.pread_cached(10, 1)) == (b"bc", b"", b"bc")
    file.close()


def test_cached_read_of_fresh_data(disk):
    file = disk.create("f")
    file.append([b"x" * 100_000])
    file.datasync()
    assert file.pread_cached(100_000, 0) == b"x" * 100_000
    file.close()


def test_cached_read_says_none_when_it_would_wait(disk, monkeypatch):
    def cold(*_):
        raise BlockingIOError

    file = disk.create("f")
    file.append([b"abc"])
    monkeypatch.setattr(os, "preadv", cold)
    assert file.pread_cached(3, 0) is None
    file.close()


def test_cached_read_that_got_a_part_says_none(disk, monkeypatch):
    file = disk.create("f")
    file.append([b"abc"])
    monkeypatch.setattr(os, "preadv", lambda *_: 1)
    assert file.pread_cached(3, 0) is None
    file.close()


def test_cached_read_reads_plainly_where_the_file_system_can_not_tell(disk, monkeypatch):
    def unknown(*_):
        raise OSError(errno.EOPNOTSUPP, "no")

    file = disk.create("f")
    file.append([b"abc"])
    monkeypatch.setattr(os, "preadv", unknown)
    assert [file.pread_cached(3, 0), file.pread_cached(2, 1)] == [b"abc", b"bc"]
    file.close()


@pytest.mark.parametrize("kernel", [True, False], ids=["copy_file_range", "through memory"])
def test_copy_from_another_file(disk, monkeypatch, kernel):
    if not kernel:

        def other_device(*_):
            raise OSError(errno.EXDEV, "no")

        monkeypatch.setattr(os, "copy_file_range", other_device)
        monkeypatch.setattr(disk_module, "COPY_BLOCK", 1000)
    source, target = disk.create("a"), disk.create("b")
    source.append([bytes(range(256)) * 40])
    target.append([b"head"])
    assert target.copy_from(source, 5000, 100) == 4
    assert target.pread(10_000, 0) == b"head" + source.pread(5000, 100)
    source.close()
    target.close()


def test_copy_beyond_the_end_leaves_nothing(disk):
    source, target = disk.create("a"), disk.create("b")
    source.append([b"abc"])
    with pytest.raises(OSError, match="ends before"):
        target.copy_from(source, 10, 0)
    assert target.size() == 0
    source.close()
    target.close()


def test_truncate_moves_the_end(disk):
    file = disk.create("f")
    file.append([b"abcdef"])
    file.truncate(2)
    assert file.append([b"z"]) == 2
    assert file.pread(10, 0) == b"abz"
    file.close()


def test_create_refuses_a_taken_name(disk):
    disk.create("f").close()
    with pytest.raises(FileExistsError):
        disk.create("f")


def test_open_refuses_a_missing_name(disk):
    with pytest.raises(FileNotFoundError):
        disk.open("f")


def test_names_of_folders(disk):
    disk.make_folder("a/b")
    disk.make_folder("a/b")
    disk.create("a/f").close()
    assert (disk.names(), disk.names("a"), disk.names("none")) == (["a"], ["b", "f"], [])
    assert (disk.exists("a/b"), disk.exists("a/f"), disk.exists("a/c")) == (True, True, False)
    disk.remove_folder("a/b")
    assert disk.names("a") == ["f"]


def test_rename_replaces_and_unlink_removes(disk):
    for name in ("a", "b"):
        file = disk.create(name)
        file.append([name.encode()])
        file.close()
    disk.rename("a", "b")
    disk.sync_folder()
    file = disk.open("b")
    assert file.pread(5, 0) == b"a"
    file.close()
    disk.unlink("b")
    assert disk.names() == []


def test_replace_writes_and_overwrites(disk):
    disk.make_folder("x")
    replace(disk, "x/f", b"one")
    disk.create("x/f.new").close()
    replace(disk, "x/f", b"two")
    file = disk.open("x/f")
    assert file.pread(10, 0) == b"two"
    file.close()
    assert disk.names("x") == ["f"]


def test_free_bytes_is_what_is_there(disk):
    assert disk.free_bytes() > 0


def test_files_are_for_their_owner_alone(disk, tmp_path):
    disk.create("f").close()
    assert (tmp_path / "deep" / "root" / "f").stat().st_mode & 0o077 == 0
