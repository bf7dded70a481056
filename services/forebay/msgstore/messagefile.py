"""A message file as the store accounts for it, and the bound on how many are open at once."""

import errno
import logging

from forebay.msgstore.disk import Disk, File
from forebay.msgstore.record import FILE_HEAD_SIZE

log = logging.getLogger(__name__)


class MessageFile:
    """Sizes and state of one file; guarded by the catalogue's lock, but for `handle.append` and its `size`."""

    __slots__ = ("count", "handle", "live", "locked", "name", "number", "readers", "retired", "sealed", "size")

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self.name = name
        self.size = FILE_HEAD_SIZE
        """Octets in the file; grows only by what was written whole."""
        self.live = 0
        """Octets of the records that the index points to."""
        self.count = 0
        """Number of those records."""
        self.readers = 0
        self.handle: File | None = None
        self.sealed = False
        """Nothing is appended any more."""
        self.locked = False
        """Garbage collection is at work on it."""
        self.retired = False
        """To be deleted when the last reader has left."""

    @property
    def opened(self) -> File:
        """Its handle; raises `FileNotFoundError` when it has vanished from the disk."""
        if self.handle is None:
            raise FileNotFoundError(errno.ENOENT, "message file has vanished", self.name)
        return self.handle

    @property
    def garbage(self) -> int:
        """Octets of records nobody needs, and of damage."""
        return self.size - FILE_HEAD_SIZE - self.live

    @property
    def wasteful(self) -> bool:
        """More than half garbage."""
        return self.garbage > self.live

    def add_live(self, size: int, count: int = 1) -> None:
        """Records came into the index."""
        self.live += size
        self.count += count

    def drop_live(self, size: int, count: int = 1) -> None:
        """Records left the index."""
        self.live -= size
        self.count -= count


class Handles:
    """Opens files when they are needed and closes those nobody reads beyond a limit. Its user locks."""

    def __init__(self, disk: Disk, limit: int) -> None:
        self._disk = disk
        self._limit = limit
        self._open: dict[int, MessageFile] = {}

    def open(self, file: MessageFile) -> None:
        """See to it that the file's handle is there; it stays None when the file has vanished."""
        if file.handle is not None:
            return
        try:
            self.adopt(file, self._disk.open(file.name))
        except FileNotFoundError:
            log.error("message file %s has vanished", file.name)

    def adopt(self, file: MessageFile, handle: File) -> None:
        """The file was opened elsewhere."""
        file.handle = handle
        self._open[file.number] = file
        self.trim()

    def trim(self) -> None:
        """Close files nobody is at, the longest open first, down to the limit."""
        surplus = len(self._open) - self._limit
        if surplus > 0:
            idle = [file for file in self._open.values() if file.sealed and not file.readers]
            for file in idle[:surplus]:
                self.close(file)

    def close(self, file: MessageFile) -> None:
        """Close the file's handle if it is open."""
        if file.handle is not None:
            file.handle.close()
            file.handle = None
            del self._open[file.number]

    def close_all(self) -> None:
        """Close every file."""
        for file in list(self._open.values()):
            self.close(file)
