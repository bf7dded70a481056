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


def read_into(file, size, offset, *, wait=False):
    buffer = bytearray(size)
    done = file.pread_into(memoryview(buffer), offset, wait=wait)
    return None if done is None else bytes(buffer[:done])


def test_pread_ends_with_the_file(disk):
    file = disk.create("f")
    file.append([b"abc"])
    assert (file.pread(10, 1), file.pread(10, 3)) == (b"bc", b"")
    file.close()


@pytest.mark.parametrize("wait", [True, False])
def test_read_into_a_buffer_ends_with_the_file(disk, wait):
    file = disk.create("f")
    file.append([b"abc"])
    assert [read_into(file, size, 1, wait=wait) for size in (1, 2, 10)] == [b"b", b"bc", b"bc"]
    file.close()


def test_read_without_waiting_says_none_when_it_would_wait(disk, monkeypatch):
    def cold(*_):
        raise BlockingIOError

    file = disk.create("f")
    file.append([b"abc"])
    monkeypatch.setattr(os, "preadv", cold)
    assert read_into(file, 3, 0) is None
    file.close()


def test_read_without_waiting_that_got_a_part_says_none(disk, monkeypatch):
    file = disk.create("f")
    file.append([b"abc"])
    monkeypatch.setattr(os, "preadv", lambda *_: 1)
    assert read_into(file, 3, 0) is None
    file.close()


def test_read_that_waits_goes_on_after_a_part(disk, monkeypatch):
    real = os.preadv
    file = disk.create("f")
    file.append([b"abcdef"])
    monkeypatch.setattr(os, "preadv", lambda fd, buffers, at: real(fd, [buffers[0][:2]], at))
    assert read_into(file, 10, 1, wait=True) == b"bcdef"
    file.close()


def test_read_without_waiting_waits_where_the_file_system_can_not_tell(disk, monkeypatch):
    real = os.preadv

    def knows_no_flags(fd, buffers, at, *flags):
        if flags:
            raise OSError(errno.EOPNOTSUPP, "no")
        return real(fd, buffers, at)

    file = disk.create("f")
    file.append([b"abc"])
    monkeypatch.setattr(os, "preadv", knows_no_flags)
    assert [read_into(file, 3, 0), read_into(file, 2, 1)] == [b"abc", b"bc"]
    file.close()


def test_other_errors_of_a_read_are_told(disk, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, "bad block")

    file = disk.create("f")
    file.append([b"abc"])
    monkeypatch.setattr(os, "preadv", broken)
    with pytest.raises(OSError, match="bad block"):
        read_into(file, 3, 0)
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
