"""Upkeep of the feed log: segments that nobody or few need, and a journal that has grown."""

from forebay.feedlog.logsegment import SEGMENT_BITS
from forebay.feedlog.releases import state
from forebay.msgstore.errors import DiskFullError
from forebay.outfeed.log.logfiles import LogFiles
from forebay.outfeed.log.logthread import LogThread
from forebay.outfeed.log.ownership import Ownership
from forebay.outfeed.log.ownershipjournal import OwnershipJournal

COMPACT_BELOW = 4
"""A segment is rewritten when fewer than one in so many of its records are needed."""
SMALL_SEGMENT = 4096
"""Octets; rewriting a smaller one would free no block of the disk."""


class LogUpkeep:
    """Called by the feed log alone, one method at a time. All raise `DiskFullError`, and `StoreFailedError`."""

    def __init__(self, files: LogFiles, ownership: Ownership, journal: OwnershipJournal, thread: LogThread) -> None:
        self._files = files
        self._ownership = ownership
        self._journal = journal
        self._thread = thread

    async def delete_dead(self, history_mark: int) -> None:
        """Delete segments that nobody needs. The history on disk has everything up to `history_mark`, a seq."""
        segments = self._ownership.segments
        dead = [number for number in self._settled(history_mark) if segments[number].dead]
        if dead:
            await self._thread.run(lambda: self._files.delete(dead))
            for number in dead:
                del segments[number]
            self._ownership.touched.difference_update(dead)

    async def compact_sparse(self, history_mark: int) -> None:
        """Rewrite segments of which little is needed."""
        segments, touched = self._ownership.segments, self._ownership.touched
        for number in self._settled(history_mark):
            live = segments[number].live()
            if not live:
                continue  # it died just now, and is deleted next time
            touched.discard(number)
            if len(live) * COMPACT_BELOW < len(segments[number]) and self._files.indexes[number].size > SMALL_SEGMENT:
                await self._compact(number, live)

    async def _compact(self, number: int, live: list[int]) -> None:
        try:
            await self._thread.run(lambda: self._files.compact(number, frozenset(live)))
        except DiskFullError:
            self._ownership.touched.add(number)
            raise
        # Bits may have been cleared meanwhile, but none was set.
        self._ownership.segments[number] = self._ownership.segments[number].keep(live)

    async def shorten_journal(self) -> None:
        """Have the journal say what it says in fewer words, once it has grown."""
        if self._journal.grown:
            segments = [segment.copy() for segment in self._ownership.segments.values()]
            checkpoints = dict(self._ownership.checkpoints)
            await self._thread.run(lambda: self._journal.replace(state(segments, checkpoints)))

    def _settled(self, history_mark: int) -> list[int]:
        """Segments with cleared bits that are appended to no more and whose articles are in the history on disk."""
        newest = max(self._ownership.segments, default=-1)
        end = history_mark + 1 >> SEGMENT_BITS
        return sorted(number for number in self._ownership.touched if number < min(newest, end))
