"""Files of a queue index: names, heads, and reading them whatever their state."""

import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from forebay.msgstore.disk import Disk, File
from forebay.msgstore.record import FILE_HEAD_SIZE, Codec, FileHead, decode_file_head, encode_file_head, new_marker
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.scan import Damage, Found, Scanner, guess_marker

_NAME = re.compile(r"(\d{10})\.(journal|segment)")


class Kind(Enum):
    """Kinds of files; the value is the ending of their names."""

    JOURNAL = "journal"
    SEGMENT = "segment"

    @property
    def magic(self) -> bytes:
        """What such a file begins with."""
        return b"FOREBAYJ" if self is Kind.JOURNAL else b"FOREBAYS"


class IndexFile(NamedTuple):
    """A file found in the folder of a queue."""

    kind: Kind
    number: int
    head: FileHead | None
    """None when it is damaged."""
    guess: bytes | None
    """The marker its first record shows, where the head does not."""


class IndexFolder:
    """The folder of one queue. All its files share a marker, as those of a message store do."""

    def __init__(self, disk: Disk, folder: str) -> None:
        disk.make_folder(folder)
        self.disk = disk
        self.folder = folder
        self.found = sorted(self._look(), key=lambda file: file.number)
        """Files that were there in the beginning."""
        known = Counter(file.head.marker if file.head else file.guess for file in self.found)
        del known[None]
        best = max(known, key=known.__getitem__, default=None)
        self.codec = Codec(best or new_marker())

    def name(self, kind: Kind, number: int) -> str:
        """Name of a file."""
        return f"{self.folder}/{number:010d}.{kind.value}"

    def create(self, kind: Kind, number: int) -> File:
        """A new file with its head; neither is durable yet. After an `OSError` there is none."""
        name = self.name(kind, number)
        file = self.disk.create(name)
        try:
            file.append([encode_file_head(FileHead(number, self.codec.marker), kind.magic)])
        except OSError:
            file.close()
            self.disk.unlink(name)
            raise
        return file

    def erase(self) -> None:
        """Delete all files, and the folder."""
        for name in self.disk.names(self.folder):
            self.disk.unlink(f"{self.folder}/{name}")
        self.disk.remove_folder(self.folder)

    def recover(self, file: IndexFile, report: RecoveryReport) -> Iterator[tuple[Scanner, list[Found]]]:
        """The whole records of a file found in the beginning, some at a time, with what knows their bodies meanwhile.

        Damage is reported, a torn tail cut, the rest made durable.
        """
        handle = self.disk.open(self.name(file.kind, file.number))
        try:
            report.files += 1
            report.octets += handle.size()
            if file.head is None:
                report.add([Damage(handle.name, 0, FILE_HEAD_SIZE, "", torn=handle.size() == FILE_HEAD_SIZE)])
            scanner = Scanner(handle, self.codec)
            for block in scanner.blocks():
                yield scanner, block
            report.add(scanner.damages)
            if scanner.damages and scanner.damages[-1].torn:
                handle.truncate(scanner.damages[-1].offset)
            handle.datasync()
        finally:
            handle.close()

    def _look(self) -> Iterator[IndexFile]:
        for name in self.disk.names(self.folder):
            if match := _NAME.fullmatch(name):
                kind = Kind(match[2])
                full = f"{self.folder}/{name}"
                handle = self.disk.open(full)
                try:
                    head = decode_file_head(handle.pread(FILE_HEAD_SIZE, 0), full, kind.magic)
                    guess = None if head else guess_marker(handle)
                finally:
                    handle.close()
                if handle.size() < FILE_HEAD_SIZE:
                    # A crash while it was made; what is appended to it would not be found again.
                    self.disk.unlink(full)
                else:
                    yield IndexFile(kind, int(match[1]), head, guess)
