"""The one writer of a store: gathered messages to the current file, one sync, then into the index."""

import errno
import logging
from itertools import islice
from time import perf_counter
from typing import NamedTuple

from forebay.msgstore.catalogue import Catalogue
from forebay.msgstore.disk import Buffer, Disk
from forebay.msgstore.errors import DiskFullError, MessageStoreError, StoreFailedError
from forebay.msgstore.flights import Flight
from forebay.msgstore.index import Place, where
from forebay.msgstore.messagefile import MessageFile
from forebay.msgstore.pace import Pace
from forebay.msgstore.record import HEAD_SIZE, Codec, FileHead, encode_file_head
from forebay.msgstore.settings import StoreSettings

NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})

log = logging.getLogger(__name__)


def file_name(folder: str, number: int) -> str:
    """Name of a message file."""
    return f"{folder}/{number:010d}.messages"


class FileMaker:
    """Makes the message files of a store."""

    def __init__(self, disk: Disk, folder: str, codec: Codec, catalogue: Catalogue) -> None:
        self._disk = disk
        self._folder = folder
        self._codec = codec
        self._catalogue = catalogue

    def create(self) -> MessageFile:
        """A new file with its head, whose name is durable. After an `OSError` there is none."""
        number = self._catalogue.new_number()
        file = MessageFile(number, file_name(self._folder, number))
        handle = self._disk.create(file.name)
        try:
            handle.append([encode_file_head(FileHead(number, self._codec.marker))])
            self._disk.sync_folder(self._folder)
        except OSError:
            handle.close()
            self._unlink(file)
            raise
        self._catalogue.add_file(file, handle)
        return file

    def delete(self, file: MessageFile) -> None:
        """Take back a file that no entry of the index points to."""
        self._catalogue.forget_file(file)
        self._unlink(file)

    def _unlink(self, file: MessageFile) -> None:
        try:
            self._disk.unlink(file.name)
        except OSError as error:
            log.error("message file %s can't be deleted: %s", file.name, error)


class _Touched(NamedTuple):
    file: MessageFile
    size: int | None
    """Octets it had before; None when it is new."""


class Writer:
    """Commits batches of flights; one thread calls it."""

    def __init__(
        self,
        disk: Disk,
        catalogue: Catalogue,
        maker: FileMaker,
        codec: Codec,
        settings: StoreSettings,
        pace: Pace,
        *,
        sync: bool,
    ) -> None:
        self._disk = disk
        self._pace = pace
        self._catalogue = catalogue
        self._maker = maker
        self._codec = codec
        self._settings = settings
        self._sync = sync
        self._stats = catalogue.stats
        self.stamp = 1
        """Stamp of the next record."""
        self.current: MessageFile | None = None
        self.failed: StoreFailedError | None = None

    def commit(self, batch: list[list[Flight]]) -> None:
        """Write what must be written, sync it, and enter it into the index.

        Raises `DiskFullError` when there is no room: nothing of the batch is kept, and the next one tries again.
        Raises `StoreFailedError` for any other error of the disk, and for each batch after it.
        """
        flights = [flight for put in batch for flight in put]
        try:
            while flights:
                before = self.current
                places, touched = self._write(self._catalogue.choose(flights))
                flights = self._catalogue.settle(flights, places)
                left = {file.number: file for file in (before, *touched) if file and file is not self.current}
                self._catalogue.seal(left.values())
        except Exception:
            self._catalogue.abandon(flights)
            raise

    def fail(self, error: OSError) -> StoreFailedError:
        """Note that the disk failed: nothing is written any more, for what is on it is unknown until recovery."""
        if self.failed is None:
            log.critical("the message store stops writing: %s", error)
            self.failed = StoreFailedError(f"the disk failed ({error}): check it, then restart")
        return self.failed

    def _write(self, flights: list[Flight]) -> tuple[dict[bytes, Place], list[MessageFile]]:
        if self.failed:
            raise self.failed
        if not flights:
            return {}, []
        before = self.current
        touched: list[_Touched] = []
        try:
            self._check_room(flights)
            places = self._append(flights, touched)
        except OSError as error:
            raise self._give_up(before, touched, error) from error
        files = [file for file, _ in touched]
        self._sync_files(files)
        self._stats.writes += len(flights)
        return places, files

    def _check_room(self, flights: list[Flight]) -> None:
        needed = sum(flight.size + HEAD_SIZE for flight in flights)
        free = self._disk.free_bytes() - self._settings.reserve
        if needed > free:
            raise OSError(errno.ENOSPC, f"{needed} octets to write, {max(free, 0)} free above the reserve")

    def _append(self, flights: list[Flight], touched: list[_Touched]) -> dict[bytes, Place]:
        places: dict[bytes, Place] = {}
        while len(places) < len(flights):
            file = self._writable(touched)
            buffers: list[Buffer] = []
            start = at = where(file.number, file.size)
            limit = where(file.number, self._settings.file_size)
            for flight in islice(flights, len(places), None):
                buffers.append(self._codec.head(flight.id, flight.parts, flight.size, self.stamp))
                buffers += flight.parts
                places[flight.id] = at, flight.size
                at += HEAD_SIZE + flight.size
                self.stamp += 1
                if at >= limit:
                    break
            file.opened.append(buffers)
            file.size += at - start
            self._stats.written_bytes += at - start
        return places

    def _writable(self, touched: list[_Touched]) -> MessageFile:
        file = self.current
        if file is None or file.size >= self._settings.file_size:
            self._pace.wait()
            self.current = file = self._maker.create()
            touched.append(_Touched(file, None))
        else:
            touched.append(_Touched(file, file.size))
        return file

    def _give_up(self, before: MessageFile | None, touched: list[_Touched], error: OSError) -> MessageStoreError:
        """Cut back what a failed batch has written."""
        self.current = before
        if error.errno not in NO_SPACE:
            return self.fail(error)
        try:
            for file, size in touched:
                if size is None:
                    self._maker.delete(file)
                else:
                    file.opened.truncate(size)
                    file.size = size
        except OSError as later:
            return self.fail(later)
        self._stats.disk_full += 1
        return DiskFullError(f"no room for a batch of messages ({error}): free space or enlarge the volume")

    def _sync_files(self, files: list[MessageFile]) -> None:
        if not self._sync:
            return
        for file in files:
            begun = perf_counter()
            try:
                file.opened.datasync()
            except OSError as error:
                raise self.fail(error) from error
            self._stats.syncs += 1
            self._stats.sync_seconds += perf_counter() - begun
