"""The message store: one stored body for many owners, durable once `put` returns."""

import logging
from collections.abc import Callable, Iterable, Sequence

from forebay.msgstore import snapshot
from forebay.msgstore.catalogue import Catalogue
from forebay.msgstore.collector import Collector
from forebay.msgstore.committer import Committer
from forebay.msgstore.disk import Disk
from forebay.msgstore.errors import MessageTooLargeError, StoreFailedError
from forebay.msgstore.flights import Flight, Put
from forebay.msgstore.index import MessageIndex
from forebay.msgstore.messagefile import Handles
from forebay.msgstore.pace import Pace
from forebay.msgstore.reader import Body, Reader
from forebay.msgstore.record import HEAD_SIZE, ID_SIZE, MAX_BODY
from forebay.msgstore.recovery import Recovery, kept_name, snapshot_name
from forebay.msgstore.settings import StoreSettings
from forebay.msgstore.slabindex import SlabIndex
from forebay.msgstore.stats import StoreStats
from forebay.msgstore.writer import FileMaker, Writer

PERSISTENT = "persistent"
TRANSIENT = "transient"
UNCOUNTED = "references not counted yet"
"""Reason of the hold after a dirty stop: `recount` ends it."""

log = logging.getLogger(__name__)


class MessageStore:
    """A reference-counting store of messages by id. Make it with `open`.

    `put` and `fetch` belong to one event loop; the rest may be called in any thread.
    """

    def __init__(self, disk: Disk, settings: StoreSettings, index: MessageIndex, *, transient: bool) -> None:
        self._disk = disk
        self._folder = TRANSIENT if transient else PERSISTENT
        self._transient = transient
        self._catalogue = Catalogue(index, Handles(disk, settings.open_files), StoreStats())
        recovery = Recovery(disk, self._folder, self._catalogue)
        try:
            recovered = recovery.run(settings.file_size)
        except BaseException:
            self._catalogue.close()
            raise
        self.report = recovery.report
        """What the start has found."""
        self._codec = recovered.codec
        maker = FileMaker(disk, self._folder, recovered.codec, self._catalogue)
        sync = not transient
        pace = Pace(self._catalogue)
        self._writer = Writer(disk, self._catalogue, maker, recovered.codec, settings, pace, sync=sync)
        self._writer.stamp = recovered.stamp
        self._writer.current = recovered.current
        self._reader = Reader(self._catalogue, recovered.codec)
        self._committer = Committer(f"msgstore-{self._folder}", self._writer.commit, limit=settings.pending)
        self._collector = Collector(disk, self._catalogue, maker, recovered.codec, self._writer, pace, sync=sync)
        self._closed = False
        if self.report.files and not self.report.clean:
            self.hold(UNCOUNTED)
        self._collector.start()

    @classmethod
    def open(
        cls,
        disk: Disk,
        settings: StoreSettings | None = None,
        *,
        transient: bool = False,
        index: Callable[[], MessageIndex] = SlabIndex,
    ) -> "MessageStore":
        """Open the store on a disk and recover it; blocks, up to seconds after a dirty stop.

        transient: a second store beside the persistent one, emptied here, whose messages are never synced.
        index: where the places of messages are, in memory by default; `DiskIndex` has them on disk.
        After a dirty stop the references are unknown: no file is deleted until `recount` was called.
        Raises `FormatError` for files of a newer release.
        """
        folder = TRANSIENT if transient else PERSISTENT
        disk.make_folder(folder)
        if transient:
            for name in disk.names(folder):
                disk.unlink(f"{folder}/{name}")
        return cls(disk, settings or StoreSettings(), index(), transient=transient)

    async def put(self, puts: Sequence[Put]) -> None:
        """Store messages; durable on return. A stored id is not written again but gets its references added.

        All or nothing. Waits while too much is pending. A caller that is cancelled can't know whether its messages
        were stored. References may be removed before `put` returns.
        Raises `DiskFullError` (try again later), `StoreFailedError` (fatal), `StoreClosedError`,
        `MessageTooLargeError` for a body of 4 GiB, and `ValueError` for an id or a count that is none.
        """
        flights = [Flight(put) for put in puts]
        _check(flights)
        weight = sum(flight.size + HEAD_SIZE for flight in flights)
        async with self._committer.turn(weight):
            if not self._catalogue.admit(flights):
                return
            done = self._committer.send(flights, weight)
        await done

    def remove(self, ids: Sequence[bytes]) -> None:
        """Take one reference from each; a message without any is gone, and its room comes back in time.

        A message that was not written yet never will be. Ids that are not stored are passed over.
        """
        self._catalogue.release(ids)

    def read(self, ids: Sequence[bytes]) -> list[Body]:
        """Bodies in the order of the ids, without waiting for the disk.

        None for a message that is not there, or is damaged: then it is set aside, counted and logged by name. COLD
        for one that the page cache does not hold: `fetch` it. Ids in the order in which they were put read fastest.
        Raises `OSError` when a file can't be opened for want of descriptors.
        """
        return self._reader.read(ids, wait=False)

    async def fetch(self, ids: Sequence[bytes]) -> list[bytes | None]:
        """As `read`, but waits for the disk in a thread where it must."""
        return await self._reader.fetch(ids)

    def recount(self, refs: Iterable[tuple[bytes, int]]) -> list[bytes]:
        """Replace all reference counts by what the owners say; messages without an owner become garbage.

        refs: message ids with references, an id more than once if several owners say so. Blocks; call it after the
        start, before the first `put` or `remove`. Returns the ids that owners count on but that are not stored.
        """
        missing = self._catalogue.recount(refs)
        if missing:
            log.error("%d messages that owners count on are not stored", len(missing))
        self.allow(UNCOUNTED)
        return missing

    def hold(self, reason: str = "owner") -> None:
        """Forbid that files are deleted, until `allow` with the same reason."""
        self._catalogue.hold(reason)

    def allow(self, reason: str = "owner") -> None:
        """End the hold of that reason; files are deleted when no other is left."""
        self._catalogue.allow(reason)

    @property
    def stats(self) -> StoreStats:
        """The figures of this moment."""
        stats = self._catalogue.figures()
        stats.flying = self._committer.weight
        return stats

    def close(self) -> None:
        """Commit what was put, end the threads, and leave a snapshot for a fast start; blocks."""
        if self._closed:
            return
        self._closed = True
        self._committer.close()
        self._collector.close()
        self._reader.close()
        if not (self._transient or self._writer.failed or UNCOUNTED in self.stats.holds):
            self._save_index()
        self._catalogue.close()

    def _save_index(self) -> None:
        catalogue, marker, stamp = self._catalogue, self._codec.marker, self._writer.stamp
        try:
            if catalogue.keep(snapshot.mark_of(marker, stamp)):
                snapshot.save(self._disk, kept_name(self._folder), marker, stamp, catalogue.sizes(), ())
            else:
                name = snapshot_name(self._folder)
                snapshot.save(self._disk, name, marker, stamp, catalogue.sizes(), catalogue.pages())
        except (OSError, StoreFailedError) as error:
            log.warning("no index snapshot, the next start reads every message file: %s", error)


def _check(flights: Iterable[Flight]) -> None:
    for flight in flights:
        if flight.size > MAX_BODY:
            raise MessageTooLargeError(f"message {flight.id.hex()} has {flight.size} octets: at most {MAX_BODY}")
        if len(flight.id) != ID_SIZE or flight.refs < 1:
            raise ValueError(f"put of id {flight.id.hex()}, refs {flight.refs}: 16 octets and at least one are needed")
