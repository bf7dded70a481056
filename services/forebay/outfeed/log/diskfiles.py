"""Reading, writing and cutting files of the feed log as a whole."""

import errno
from collections.abc import Sequence
from contextlib import suppress

from forebay.msgstore.disk import Buffer, Disk

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""Error numbers of a disk without room."""


def read_file(disk: Disk, name: str, start: int = 0, end: int | None = None) -> bytes:
    """A piece of a file, all of it by default."""
    file = disk.open(name)
    try:
        return file.pread((file.size() if end is None else end) - start, start)
    finally:
        file.close()


def write_fresh(disk: Disk, name: str, pieces: Sequence[Buffer]) -> None:
    """Write a durable file that is to be renamed; what an earlier try left is replaced, a failed one leaves none."""
    if disk.exists(name):
        disk.unlink(name)
    file = disk.create(name)
    try:
        file.append(pieces)
        file.datasync()
    except OSError:
        with suppress(OSError):
            disk.unlink(name)
        raise
    finally:
        file.close()


def cut_file(disk: Disk, name: str, size: int) -> None:
    """Cut a file durably."""
    file = disk.open(name)
    try:
        file.truncate(size)
        file.datasync()
    finally:
        file.close()
