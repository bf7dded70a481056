"""Bounded, rotated files of lines that other programs read and may take away.

A file is called `<ms since the epoch>.part` while it is written and `….jsonl` from when it is whole. Of closed files
the oldest are deleted when all together are too large.
"""

from dataclasses import dataclass
from itertools import count

from forebay.msgstore.disk import Disk, File
from forebay.outfeed.log.diskfiles import read_file
from forebay.runtime.clock import Clock

FOLDER = "outcomes"
PART = ".part"
WHOLE = ".jsonl"


@dataclass(frozen=True, slots=True)
class OutcomeLogSettings:
    """Bounds of the outcome log."""

    file_size: int = 16 << 20
    """Octets after which a file is closed; it may be longer by one batch."""
    file_age: float = 300.0
    """Seconds after which a file is closed, if anything is in it."""
    total_size: int = 1 << 30
    """Octets of all closed files; beyond it the oldest are deleted."""
    reserve: int = 16 << 20
    """Octets of free disk below which nothing is written: articles need them more."""
    pending: int = 1 << 18
    """Outcomes in memory that wait to be written; beyond it they are lost, and counted."""


class OutcomeFiles:
    """Used by one thread. Every method may raise `OSError`; it can be used on afterwards."""

    def __init__(self, disk: Disk, settings: OutcomeLogSettings, clock: Clock) -> None:
        self.deleted = 0
        """Files deleted to keep within `total_size`."""
        self._disk = disk
        self._settings = settings
        self._clock = clock
        self._file: File | None = None
        self._opened_at = 0.0

    def recover(self) -> None:
        """Close what the last run left open, up to its last whole line."""
        self._disk.make_folder(FOLDER)
        for name in self._disk.names(FOLDER):
            if name.endswith(PART):
                self._recover(f"{FOLDER}/{name}")

    def write(self, lines: bytes) -> None:
        """Append whole lines."""
        self.rotate()
        if self._disk.free_bytes() < self._settings.reserve:
            raise OSError(f"less than {self._settings.reserve} octets of disk are free")
        if self._file is None:
            self._file = self._create()
            self._opened_at = self._clock.monotonic()
        self._file.append([lines])

    def rotate(self) -> None:
        """Close the file when it is large or old enough."""
        file, settings = self._file, self._settings
        if file and (
            file.size() >= settings.file_size or self._clock.monotonic() - self._opened_at >= settings.file_age
        ):
            self.close()

    def close(self) -> None:
        """Close the file, whatever its size and age."""
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            file.datasync()
        finally:
            file.close()
        self._publish(file.name)
        self._delete_oldest()

    def _recover(self, name: str) -> None:
        whole = read_file(self._disk, name).rfind(b"\n") + 1
        if not whole:
            self._disk.unlink(name)
            return
        file = self._disk.open(name)
        try:
            file.truncate(whole)
            file.datasync()
        finally:
            file.close()
        self._publish(name)

    def _create(self) -> File:
        now = int(self._clock.wall() * 1000)
        stems = (f"{FOLDER}/{now + later:013d}" for later in count())
        stem = next(s for s in stems if not self._disk.exists(s + PART) and not self._disk.exists(s + WHOLE))
        return self._disk.create(stem + PART)

    def _publish(self, name: str) -> None:
        self._disk.rename(name, name.removesuffix(PART) + WHOLE)
        self._disk.sync_folder(FOLDER)

    def _delete_oldest(self) -> None:
        files = [(name, self._size(name)) for name in self._disk.names(FOLDER) if name.endswith(WHOLE)]
        surplus = sum(size for _, size in files) - self._settings.total_size
        for name, size in files:
            if surplus <= 0:
                break
            surplus -= size
            try:
                self._disk.unlink(f"{FOLDER}/{name}")
            except FileNotFoundError:
                continue  # taken by another program, which has kept what was in it
            self.deleted += 1

    def _size(self, name: str) -> int:
        try:
            file = self._disk.open(f"{FOLDER}/{name}")
        except FileNotFoundError:  # taken by another program since it was listed
            return 0
        try:
            return file.size()
        finally:
            file.close()
