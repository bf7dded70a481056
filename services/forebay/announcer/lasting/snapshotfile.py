"""The file of a snapshot of all swarms: written beside the last one, and read as far as it is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from forebay.announcer.swarms.snapshot import HEAD, MAGIC, pack_block, read_head, unpack_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebay.announcer.swarms.record import Record
    from forebay.msgstore.disk import Disk, File

NAME = "swarms"
FRESH = f"{NAME}.new"
DAMAGED = f"{NAME}.damaged"
WINDOW = 1 << 20
"""Octets that are looked through at once for the next block."""

log = structlog.stdlib.get_logger(__name__)


class SnapshotWriter:
    """Writes one snapshot, which takes the place of the last one when it is complete. All of it is blocking."""

    def __init__(self, disk: Disk) -> None:
        """Raises `OSError`, as all that follows."""
        self._disk = disk
        if disk.exists(FRESH):
            disk.unlink(FRESH)
        self._file = disk.create(FRESH)

    def write(self, block: bytes) -> None:
        """Write one more block."""
        self._file.append([block])

    def finish(self) -> None:
        """Have all of it on disk, and take the last one's place."""
        self._file.append([pack_block(b"", 0.0)])
        self._file.datasync()
        self._file.close()
        self._disk.rename(FRESH, NAME)
        self._disk.sync_folder()

    def abandon(self) -> None:
        """The last one stays."""
        self._file.close()


class SnapshotReader:
    """Reads what is sound."""

    def __init__(self, disk: Disk, now: float, wall: float) -> None:
        """`now` is monotonic, `wall` the same in seconds since the epoch."""
        self._disk = disk
        self._now = now
        self._wall = wall
        self.damage = ""
        """What was found wrong, once all is read."""

    def swarms(self) -> Iterator[tuple[bytes, Record]]:
        """All swarms, as far as they can be read. Raises `OSError`."""
        if not self._disk.exists(NAME):
            return
        file = self._disk.open(NAME)
        try:
            yield from self._swarms(file)
        finally:
            file.close()
        if self.damage:
            self._disk.rename(NAME, DAMAGED)
            self._disk.sync_folder()

    def _swarms(self, file: File) -> Iterator[tuple[bytes, Record]]:
        at, size, complete = 0, file.size(), False
        while at < size:
            block = read_head(file.pread(HEAD.size, at))
            body = file.pread(min(block.octets, size), at + HEAD.size) if block else b""
            swarms = unpack_block(block, body, self._now, self._wall) if block else None
            if block is None or swarms is None:
                self._note(f"a block near octet {at} cannot be read")
                at = _next_block(file, at + 1)
                continue
            at += HEAD.size + block.octets
            complete = True
            try:
                for swarm in swarms:
                    complete = False
                    yield swarm
            except ValueError as error:
                self._note(f"a block that ends at octet {at} makes no sense: {error}")
        if not complete:
            self._note("its end is missing")

    def _note(self, problem: str) -> None:
        self.damage = self.damage or problem


def _next_block(file: File, at: int) -> int:
    """Where another block may begin, or the end."""
    size = file.size()
    while at < size:
        found = file.pread(WINDOW, at).find(MAGIC)
        if found >= 0:
            return at + found
        at += WINDOW - len(MAGIC) + 1
    return size
