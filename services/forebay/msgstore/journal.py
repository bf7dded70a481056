"""The journal of a queue on its disk: the file that is appended to, and those that a checkpoint has not deleted yet."""

from contextlib import suppress

from forebay.msgstore.disk import File
from forebay.msgstore.diskhealth import DiskHealth
from forebay.msgstore.errors import StoreFailedError
from forebay.msgstore.indexfile import IndexFolder, Kind


class Journal:
    """Opened after recovery. Its user locks.

    numbers: of the journals that recovery has found, ascending.
    """

    def __init__(self, files: IndexFolder, numbers: list[int], health: DiskHealth) -> None:
        self._files = files
        self._numbers = numbers
        self._health = health
        self._file = self._last() if numbers else self._create(b"")
        self.unsynced = False
        """Something was appended and is not durable yet."""

    def append(self, records: bytes) -> None:
        """Add records at the end. Raises `OSError`: none of them counts then."""
        self._file.append([records])
        self.unsynced = True

    def sync(self) -> None:
        """Make durable what was appended. Raises `StoreFailedError`."""
        if self.unsynced:
            self._health.sync(self._file)
            self.unsynced = False

    def replace(self, start: bytes) -> None:
        """Begin anew with these records, and delete all before, which the segments have by now.

        Raises `OSError`: the old journal goes on.
        """
        old, file = list(self._numbers), self._file
        self._file = self._create(start)
        file.close()
        for number in old:
            self._files.disk.unlink(self._files.name(Kind.JOURNAL, number))
            self._numbers.remove(number)
        # An old journal that came back would publish again what nobody remembers to be acknowledged.
        self._files.disk.sync_folder(self._files.folder)
        self.unsynced = False

    def size(self) -> int:
        """Octets of the file."""
        return self._file.size()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _last(self) -> File:
        return self._files.disk.open(self._files.name(Kind.JOURNAL, self._numbers[-1]))

    def _create(self, start: bytes) -> File:
        number = self._numbers[-1] + 1 if self._numbers else 0
        file = self._files.create(Kind.JOURNAL, number)
        self._numbers.append(number)
        try:
            if start:
                file.append([start])
                self._health.sync(file)
            self._files.disk.sync_folder(self._files.folder)
        except StoreFailedError:
            file.close()
            raise
        except OSError:
            file.close()
            self._numbers.remove(number)
            with suppress(OSError):
                self._files.disk.unlink(file.name)
            raise
        return file
