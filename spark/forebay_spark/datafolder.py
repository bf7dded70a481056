"""What there is in the data folder of a service, or in a copy of it, and where."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from forebay.msgstore.indexfile import Kind
from forebay_spark.errors import OptionError
from forebay_spark.readfile import ReadFile

MESSAGES = ".messages"
"""Ends the names of message files."""


@dataclass(frozen=True)
class DataFolder:
    """A data folder, or the folder of a message store alone. Nothing in it is changed."""

    path: Path

    @property
    def messages(self) -> Path:
        """Where the message files are. Raises `OptionError`."""
        for folder in (self.path / "messages" / "persistent", self.path / "persistent"):
            if folder.is_dir():
                return folder
        raise OptionError(f"{self.path} holds no messages: name the data folder of a service, or a copy of it")

    @property
    def snapshot(self) -> Path | None:
        """The index as a clean stop leaves it; None while the service runs, and after it was killed."""
        file = self.messages / "index.snapshot"
        return file if file.exists() else None

    @property
    def feed(self) -> Path | None:
        """The feed log of an outfeed."""
        folder = self.path / "feed"
        return folder if folder.is_dir() else None

    @property
    def queues(self) -> list[Path]:
        """The indexes of queues."""
        return sorted(folder for folder in self._folders() if any(map(_is_index, folder.iterdir())))

    @property
    def closing(self) -> tuple[int, int] | None:
        """Tells one clean stop from another: while it is the same, nothing changes. None when there was none."""
        if self.snapshot is None or (self.feed is not None and not (self.feed / "clean").exists()):
            return None
        found = self.snapshot.stat()
        return found.st_ino, found.st_mtime_ns

    def open(self, file: Path) -> ReadFile:
        """Open a file; its name is relative to the folder. Raises `OSError`."""
        return ReadFile(file, str(file.relative_to(self.path)))

    def message_file(self, number: int) -> Path:
        """A message file."""
        return self.messages / f"{number:010d}{MESSAGES}"

    def sizes(self) -> dict[int, int]:
        """Octets of the message files, by their numbers, which rise."""
        found: dict[int, int] = {}
        with os.scandir(self.messages) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):  # a service is at work
                    if entry.name.endswith(MESSAGES):
                        found[int(entry.name.removesuffix(MESSAGES))] = entry.stat().st_size
        return dict(sorted(found.items()))

    def _folders(self) -> Iterator[Path]:
        return (Path(folder) for folder, _, _ in os.walk(self.path))


def _is_index(file: Path) -> bool:
    kind = next((kind for kind in Kind if file.name.endswith(f".{kind.value}")), None)
    if kind is None:
        return False
    try:
        with file.open("rb") as opened:
            return opened.read(len(kind.magic)) == kind.magic
    except FileNotFoundError:  # a service is at work
        return False
