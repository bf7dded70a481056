"""The ownership journal as it grows: releases and checkpoints, one append and one sync a flush.

A journal that has grown is replaced by one that says the same about all live segments.
"""

from collections.abc import Iterable
from contextlib import suppress

from forebay.feedlog.frames import header
from forebay.feedlog.releases import FOLDER, KIND, checkpoints, journal_name, releases, runs
from forebay.msgstore.disk import Disk, File
from forebay.msgstore.errors import StoreFailedError
from forebay.outfeed.log.diskfiles import write_fresh
from forebay.outfeed.log.ownership import Pending

MIN_GROWTH = 1 << 20
"""Octets a journal may always grow before it is replaced."""


def changes(pending: Pending) -> list[bytes]:
    """Frames for what is to be flushed."""
    frames = list(checkpoints(pending.checkpoints))
    for (number, peer), slots in pending.releases.items():
        frames += releases(number, peer, runs(slots))
    return frames


class OwnershipJournal:
    """The file being appended to. Used by one thread at a time."""

    def __init__(self, disk: Disk, number: int, file: File, state_size: int) -> None:
        self._disk = disk
        self._number = number
        self._file = file
        self._state_size = state_size
        self._failed = False

    @classmethod
    def create(cls, disk: Disk, number: int, frames: Iterable[bytes]) -> "OwnershipJournal":
        """Write a journal whole, so that it is there with all its frames or not at all.

        Raises `OSError` when it is not there; `StoreFailedError` when that is not known.
        """
        name = journal_name(number)
        write_fresh(disk, f"{name}.new", [header(KIND, number), *frames])
        disk.rename(f"{name}.new", name)
        try:
            disk.sync_folder(FOLDER)
        except OSError as error:
            raise StoreFailedError(f"{FOLDER}: sync failed ({error}); restart after checking the disk") from error
        return cls.open(disk, number)

    @classmethod
    def open(cls, disk: Disk, number: int) -> "OwnershipJournal":
        """Go on with a journal that ends with a sound frame."""
        file = disk.open(journal_name(number))
        return cls(disk, number, file, file.size())

    @property
    def grown(self) -> bool:
        """It is time to replace it."""
        return self._file.size() - self._state_size > max(MIN_GROWTH, self._state_size)

    def append(self, frames: list[bytes]) -> None:
        """Make frames durable.

        Raises `OSError` when nothing was kept; `StoreFailedError` when that is not known, and ever after.
        """
        if self._failed:
            raise StoreFailedError(f"{self._file.name}: an earlier sync failed; restart after checking the disk")
        self._file.append([b"".join(frames)])
        try:
            self._file.datasync()
        except OSError as error:
            self._failed = True
            raise StoreFailedError(f"{self._file.name}: sync failed ({error}); restart after checking it") from error

    def replace(self, frames: Iterable[bytes]) -> None:
        """Go on in a new file that begins with `frames`.

        Raises `OSError` when there is none and the old one goes on; `StoreFailedError` when that is not known.
        """
        try:
            successor = self.create(self._disk, self._number + 1, frames)
        except StoreFailedError:
            self._failed = True
            raise
        self.close()
        with suppress(OSError):  # the next start removes it
            self._disk.unlink(self._file.name)
        self._number, self._file, self._state_size = successor._number, successor._file, successor._state_size

    def close(self) -> None:
        """Close the file."""
        self._file.close()
