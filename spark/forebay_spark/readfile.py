"""A file that is only read: it may lie on a volume that cannot be written."""

import os
from pathlib import Path
from types import TracebackType

AHEAD = 8 << 20
"""Octets that the disk is asked for before they are read, so that it works while checksums are made."""


class ReadFile:
    """An open file, which is read from front to back."""

    def __init__(self, path: Path, name: str) -> None:
        """name: what messages call it. Raises `OSError`."""
        self.name = name
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._size = os.fstat(self._descriptor).st_size
        self._asked = 0

    def __enter__(self) -> "ReadFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def pread(self, size: int, offset: int) -> bytes:
        """Up to `size` octets from `offset`; fewer only at the end of the file."""
        self._ask(offset + size)
        data = os.pread(self._descriptor, size, offset)
        while 0 < len(data) < size and (more := os.pread(self._descriptor, size - len(data), offset + len(data))):
            data += more
        return data

    def _ask(self, stop: int) -> None:
        if self._asked < min(stop + AHEAD // 2, self._size):
            self._asked = max(self._asked, stop)
            os.posix_fadvise(self._descriptor, self._asked, AHEAD, os.POSIX_FADV_WILLNEED)
            self._asked += AHEAD

    def size(self) -> int:
        """Octets there were in the file when it was opened."""
        return self._size
