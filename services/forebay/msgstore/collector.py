"""Garbage collection: a thread that combines pairs of files that are mostly garbage, and deletes empty ones."""

import errno
import logging
from collections.abc import Iterable
from threading import Event, Thread
from time import sleep

from forebay.msgstore.catalogue import Catalogue
from forebay.msgstore.disk import Disk
from forebay.msgstore.errors import StoreFailedError
from forebay.msgstore.index import Where, where
from forebay.msgstore.messagefile import MessageFile
from forebay.msgstore.pace import Pace
from forebay.msgstore.record import HEAD_SIZE, Codec
from forebay.msgstore.scan import Found, Scanner
from forebay.msgstore.writer import NO_SPACE, FileMaker, Writer

BREATH = 50e-6
"""Seconds of sleep after each block, so that the event loop gets its turn at the interpreter at once."""

RETRY = 1.0
"""Seconds until a collection for which there was no room is tried again."""

_SHORTAGE = NO_SPACE | {errno.EMFILE, errno.ENFILE}
"""What may be over at the next try."""

log = logging.getLogger(__name__)

_Move = tuple[bytes, Where, Where, int]


def breathe() -> None:
    """Let other threads run."""
    sleep(BREATH)


class Collector:
    """The garbage collection of one store."""

    def __init__(
        self,
        disk: Disk,
        catalogue: Catalogue,
        maker: FileMaker,
        codec: Codec,
        writer: Writer,
        pace: Pace,
        *,
        sync: bool,
    ) -> None:
        self._disk = disk
        self._pace = pace
        self._catalogue = catalogue
        self._maker = maker
        self._codec = codec
        self._writer = writer
        self._sync = sync
        self._work = Event()
        self._closed = False
        self._thread = Thread(target=self._run, name="msgstore-gc", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._catalogue.wake = self._work.set
        self._work.set()
        self._thread.start()

    def close(self) -> None:
        """End the thread after the pair it is at."""
        self._closed = True
        self._pace.rest(idle=True)
        self._work.set()
        self._thread.join()

    def _run(self) -> None:
        room = True
        while not self._closed:
            self._work.wait(None if room else RETRY)
            self._work.clear()
            had_room, room = room, self.collect()
            self._pace.rest(idle=self._closed or not room)
            if not room:
                # The files it gave back count as new work: without a pause they would be tried again at once.
                self._work.clear()
            if had_room and not room and not self._writer.failed:
                log.warning("no room for garbage collection: it is tried again every %g s", RETRY)

    def collect(self) -> bool:
        """Do what can be done now, in any thread; False when there was no room for it."""
        self._delete_files()
        while not self._closed and self._writer.failed is None:
            pair = self._catalogue.lock_pair()
            if pair is None:
                break
            if not self._combine(pair):
                return False
            self._delete_files()
        return True

    def _delete_files(self) -> None:
        for file in self._catalogue.deletable():
            try:
                self._disk.unlink(file.name)
            except OSError as error:
                log.error("message file %s can't be deleted: %s", file.name, error)
            self._catalogue.stats.gc_deleted_files += 1
            self._pace.give(1)

    def _combine(self, pair: tuple[MessageFile, MessageFile]) -> bool:
        try:
            self._catalogue.pin_files(pair)
            try:
                self._copy_pair(pair)
            finally:
                self._catalogue.unpin(pair)
        except OSError as error:
            self._catalogue.unlock(pair)
            if error.errno not in _SHORTAGE:
                self._writer.fail(error)
            return False
        except StoreFailedError as error:
            # The index on disk: where messages are is unknown until the next start.
            self._writer.failed = self._writer.failed or error
            return False
        return True

    def _copy_pair(self, pair: tuple[MessageFile, MessageFile]) -> None:
        """Copy, verify, sync, move the index, and only then let the sources go: a crash leaves copies, never a loss."""
        target = self._maker.create()
        try:
            moves = [move for source in pair for move in self._copy(source, target)]
            self._verify(target, moves)
            if self._sync:
                target.opened.datasync()
        except OSError:
            self._maker.delete(target)
            raise
        self._catalogue.move(moves)
        for source in pair:
            self._catalogue.drop_lost(source)
        self._catalogue.retire(pair)
        self._catalogue.seal([target])
        self._catalogue.stats.gc_runs += 1

    def _copy(self, source: MessageFile, target: MessageFile) -> list[_Move]:
        """Copy what is needed of a file; nothing, when it has vanished from the disk."""
        moves: list[_Move] = []
        if source.handle is None:
            return moves
        for block in Scanner(source.handle, self._codec).blocks(breathe):
            for run in _adjacent(self._catalogue.living(source, block)):
                first, last = run[0], run[-1]
                size = last.offset + HEAD_SIZE + last.size - first.offset
                shift = target.opened.copy_from(source.handle, size, first.offset) - first.offset
                target.size += size
                self._catalogue.stats.gc_bytes += size
                moves += [
                    (
                        found.id,
                        where(source.number, found.offset),
                        where(target.number, found.offset + shift),
                        found.size,
                    )
                    for found in run
                ]
        return moves

    def _verify(self, target: MessageFile, moves: list[_Move]) -> None:
        """Read the copies back: the sources must not go for something that is not there."""
        there = [
            (found.id, where(target.number, found.offset), found.size)
            for block in Scanner(target.opened, self._codec).blocks(breathe)
            for found in block
        ]
        if there != [(id, new, size) for id, _, new, size in moves]:
            raise OSError(errno.EIO, f"{target.name} is no true copy of its sources")


def _adjacent(records: Iterable[Found]) -> list[list[Found]]:
    """Records grouped into runs without gaps."""
    runs: list[list[Found]] = []
    end = -1
    for found in records:
        if found.offset != end:
            runs.append([])
        runs[-1].append(found)
        end = found.offset + HEAD_SIZE + found.size
    return runs
