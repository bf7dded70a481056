"""The disk as the store sees it: one folder tree behind two small protocols, so that a test can pull the plug."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

Buffer = bytes | bytearray | memoryview
"""What may be written: bytes-like, one octet an item."""

PIECES = 1024
"""Buffers one `writev` takes (IOV_MAX of Linux)."""

COPY_BLOCK = 1 << 20
_NO_NOWAIT = frozenset({errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS})
_NO_COPY_RANGE = frozenset({errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})


class Readable(Protocol):
    """An open file that is only read."""

    @property
    def name(self) -> str:
        """Name relative to the disk."""
        ...

    def pread(self, size: int, offset: int) -> bytes:
        """Up to `size` octets from `offset`; fewer only at the end of the file."""
        ...

    def size(self) -> int:
        """Octets in the file."""
        ...


class File(Readable, Protocol):
    """An open file. One thread appends; any thread reads."""

    def append(self, buffers: Sequence[Buffer]) -> int:
        """Write all buffers at the end and return the offset where they begin; after an `OSError` nothing is added."""
        ...

    def copy_from(self, source: "File", size: int, offset: int) -> int:
        """Append `size` octets of another file, inside the kernel where it can; as `append` else."""
        ...

    def pread_into(self, buffer: memoryview, offset: int, *, wait: bool) -> int | None:
        """Fill a buffer and return the octets read, fewer only at the end of the file; None instead of waiting."""
        ...

    def datasync(self) -> None:
        """Return when the content is durable; the name needs `Disk.sync_folder`."""
        ...

    def truncate(self, size: int) -> None:
        """Cut the file."""
        ...

    def close(self) -> None:
        """Give the descriptor back."""
        ...


class Disk(Protocol):
    """One folder tree; names are relative to its root, with `/` between folder and file."""

    def create(self, name: str) -> File:
        """A new empty file; `FileExistsError` when the name is taken."""
        ...

    def open(self, name: str) -> File:
        """An existing file, to read and append; `FileNotFoundError` when there is none."""
        ...

    def names(self, folder: str = "") -> list[str]:
        """Sorted names of what is directly in a folder, without the folder's own; none when it is missing."""
        ...

    def exists(self, name: str) -> bool:
        """Whether there is a file or folder of that name."""
        ...

    def make_folder(self, name: str) -> None:
        """Make a folder and those above it, durably; nothing happens when it is there."""
        ...

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, replacing what had it; durable after `sync_folder`."""
        ...

    def unlink(self, name: str) -> None:
        """Remove a file; durable after `sync_folder`."""
        ...

    def sync_folder(self, folder: str = "") -> None:
        """Return when the names in a folder are durable."""
        ...

    def free_bytes(self) -> int:
        """Octets that may still be written."""
        ...


def replace(disk: Disk, name: str, data: Buffer) -> None:
    """Replace a small file whole: after a power loss its content is the old or the new one, never a mixture."""
    fresh = f"{name}.new"
    if disk.exists(fresh):
        disk.unlink(fresh)
    file = disk.create(fresh)
    try:
        file.append([data])
        file.datasync()
    finally:
        file.close()
    disk.rename(fresh, name)
    disk.sync_folder(name.rpartition("/")[0])


class RealFile:
    """A file of the operating system."""

    def __init__(self, path: Path, name: str, flags: int) -> None:
        self._name = name
        self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
        self._end = os.fstat(self._fd).st_size
        self._nowait = True

    @property
    def name(self) -> str:
        """Name relative to its disk."""
        return self._name

    def append(self, buffers: Sequence[Buffer]) -> int:
        """`pwritev` in pieces the kernel takes; what an error left behind is cut off again."""
        start = self._end
        try:
            for first in range(0, len(buffers), PIECES):
                self._write(buffers[first : first + PIECES])
        except OSError:
            self.truncate(start)
            raise
        return start

    def _write(self, pieces: Sequence[Buffer]) -> None:
        size = sum(map(len, pieces))
        done = os.pwritev(self._fd, pieces, self._end)
        self._end += done
        if done < size:
            # A full disk or a signal cuts a write short; only the next try tells which.
            rest = memoryview(b"".join(pieces))[done:]
            while rest:
                done = os.pwrite(self._fd, rest, self._end)
                self._end += done
                rest = rest[done:]

    def copy_from(self, source: File, size: int, offset: int) -> int:
        """`copy_file_range`, or through memory where the file system has none."""
        start = self._end
        try:
            if not (isinstance(source, RealFile) and self._copy_range(source, size, offset)):
                self._copy_through(source, size, offset)
        except OSError:
            self.truncate(start)
            raise
        return start

    def _copy_range(self, source: "RealFile", size: int, offset: int) -> bool:
        start = self._end
        while (done := self._end - start) < size:
            try:
                copied = os.copy_file_range(source._fd, self._fd, size - done, offset + done, self._end)
            except OSError as error:
                if error.errno not in _NO_COPY_RANGE or done:
                    raise
                return False
            if not copied:
                raise OSError(errno.EIO, f"{source.name} ends before octet {offset + size}")
            self._end += copied
        return True

    def _copy_through(self, source: File, size: int, offset: int) -> None:
        for first in range(offset, offset + size, COPY_BLOCK):
            wanted = min(COPY_BLOCK, offset + size - first)
            block = source.pread(wanted, first)
            if len(block) < wanted:
                raise OSError(errno.EIO, f"{source.name} ends before octet {offset + size}")
            self._write([block])

    def pread(self, size: int, offset: int) -> bytes:
        """Up to `size` octets from `offset`."""
        data = os.pread(self._fd, size, offset)
        if len(data) < size and data:
            # A read is cut short by a signal or at 2 GiB; only an empty one means the end.
            while len(data) < size and (more := os.pread(self._fd, size - len(data), offset + len(data))):
                data += more
        return data

    def pread_into(self, buffer: memoryview, offset: int, *, wait: bool) -> int | None:
        """`preadv`, with RWF_NOWAIT where it must not wait and the file system knows that."""
        if wait or not self._nowait:
            done = 0
            while done < len(buffer) and (more := os.preadv(self._fd, (buffer[done:],), offset + done)):
                done += more
            return done
        try:
            done = os.preadv(self._fd, (buffer,), offset, os.RWF_NOWAIT)
        except BlockingIOError:
            return None
        except OSError as error:
            if error.errno not in _NO_NOWAIT:
                raise
            self._nowait = False
            return self.pread_into(buffer, offset, wait=True)
        return done if done == len(buffer) or offset + done >= self._end else None

    def datasync(self) -> None:
        """`fdatasync`."""
        os.fdatasync(self._fd)

    def size(self) -> int:
        """Octets written so far."""
        return self._end

    def truncate(self, size: int) -> None:
        """Cut the file; the next append goes to the new end."""
        os.ftruncate(self._fd, size)
        self._end = size

    def close(self) -> None:
        """Close the descriptor; a second time does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class RealDisk:
    """A folder of the operating system; made when missing."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.make_folder("")

    def create(self, name: str) -> File:
        """Open with O_EXCL, for the owner alone."""
        return RealFile(self.path / name, name, os.O_CREAT | os.O_EXCL)

    def open(self, name: str) -> File:
        """Open to read and append."""
        return RealFile(self.path / name, name, 0)

    def names(self, folder: str = "") -> list[str]:
        """Sorted names in a folder."""
        try:
            return sorted(os.listdir(self.path / folder))
        except FileNotFoundError:
            return []

    def exists(self, name: str) -> bool:
        """Whether the name is taken."""
        return (self.path / name).exists()

    def make_folder(self, name: str) -> None:
        """Make it and its parents, and sync the folder above each."""
        path = self.path / name
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        for folder in reversed(missing):
            _sync(folder.parent)

    def remove_folder(self, name: str) -> None:
        """`rmdir`."""
        (self.path / name).rmdir()

    def rename(self, old: str, new: str) -> None:
        """`rename`, atomic within one file system."""
        os.replace(self.path / old, self.path / new)

    def unlink(self, name: str) -> None:
        """`unlink`; who has the file open goes on reading it."""
        os.unlink(self.path / name)

    def sync_folder(self, folder: str = "") -> None:
        """`fsync` of the folder."""
        _sync(self.path / folder)

    def free_bytes(self) -> int:
        """What `statvfs` grants to a process without privileges."""
        stat = os.statvfs(self.path)
        return stat.f_bavail * stat.f_frsize


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
