"""The feed log: every accepted article in order, durable, with the peers that still need its body.

peers.json                    numbers of the peers
log/<number>.log              records (`logsegment`)
ownership/<number>.journal    releases and checkpoints (`ownershipjournal`)
clean                         there while the log is closed
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from forebay.feedlog.logsegment import SEGMENT_BITS, SLOT_MASK, LogRecord
from forebay.msgstore.committer import Committer
from forebay.msgstore.disk import Disk
from forebay.msgstore.errors import DiskFullError
from forebay.outfeed.log.logrecovery import Recovered, leave_mark, recover
from forebay.outfeed.log.logroom import LogRoom
from forebay.outfeed.log.logthread import LogThread
from forebay.outfeed.log.logupkeep import LogUpkeep
from forebay.outfeed.log.logwriter import Batch, LogWriter
from forebay.outfeed.log.ownership import Pending
from forebay.outfeed.log.ownershipjournal import changes
from forebay.outfeed.token import Token, message_key

MAX_PENDING = 1 << 16
"""Records handed to `append` and not yet written; further callers wait."""
FORGET_BATCH = 1024
"""Bits of a removed peer that are cleared at once."""


@dataclass(frozen=True, slots=True)
class FeedLogSettings:
    """Bounds of the feed log."""

    limit: int = 1 << 30
    """Octets of records that some peer's checkpoint has not passed; when they are more, nothing is appended."""
    reserve: int = 8 << 20
    """Octets of free disk below which nothing is appended, so that releases, which free the disk, still can be."""


class FeedLog:
    """Used from one event loop, which reads; a thread appends, and another one flushes and tidies up."""

    def __init__(self, disk: Disk, settings: FeedLogSettings, recovered: Recovered) -> None:
        self.was_clean = recovered.was_clean
        """The log was closed in order before it was opened."""
        self.was_new = recovered.ownership.head == 0
        """Nothing was ever logged here before it was opened."""
        self.flushed = 0
        """Number of the last flush that is done."""
        self.history_mark = -1
        """Everything up to this seq is in the history on disk; segments above it are kept whole. Set by the owner."""
        self._disk = disk
        self._files = recovered.files
        self._ownership = recovered.ownership
        self._journal = recovered.journal
        self._peers = recovered.peers
        self._writer = LogWriter(disk, recovered.files, recovered.next_number, settings.reserve)
        self._committer: Committer[Batch] = Committer("feedlog-append", self._writer.commit, limit=MAX_PENDING)
        self._thread = LogThread()
        self._upkeep = LogUpkeep(self._files, self._ownership, self._journal, self._thread)
        self._maintenance = asyncio.Lock()
        self._closed = False
        self._flushes = 0
        self.room = LogRoom(settings.limit, self._files, self._ownership, self._writer)

    @classmethod
    def open(cls, disk: Disk, settings: FeedLogSettings) -> "FeedLog":
        """Read what is on disk; blocks for about a second per million entries.

        Raises `FormatError` when it is of a newer release or the peers' numbers are lost, `OSError` of the disk.
        """
        return cls(disk, settings, recover(disk))

    # What is known

    @property
    def damage(self) -> Sequence[str]:
        """What could not be read, by file and place; records there are left out."""
        return list(self._files.damage)

    @property
    def head(self) -> int:
        """Above every seq there is; 0 when there never was one."""
        return self._ownership.head

    @property
    def peers(self) -> dict[str, int]:
        """Numbers of the peers, by uid."""
        return self._peers.items()

    @property
    def octets(self) -> int:
        """Size of all segments."""
        return self._files.octets_from(-1, 0)

    def checkpoint(self, peer: int) -> int:
        """Articles of the peer up to this seq belong to its spill streams, later ones to the log; -1 for none."""
        return self._ownership.checkpoints.get(peer, -1)

    def holds(self, peer: int, seq: int) -> bool:
        """Whether the peer still needs the article's body."""
        return self._ownership.holds(peer, seq)

    def holds_all(self, peer: int, seqs: Sequence[int]) -> bool:
        """Whether the peer still needs the bodies of all these articles."""
        return self._ownership.holds_all(peer, seqs)

    def owed(self, peer: int, start: int = 0) -> Iterator[int]:
        """Seqs from `start` on that the peer still needs."""
        return self._ownership.owed(peer, start)

    def count_owed(self, peer: int, start: int = 0) -> int:
        """How many seqs from `start` on the peer still needs."""
        return self._ownership.count_owed(peer, start)

    def groups_of(self, seqs: Iterable[int]) -> list[bytes]:
        """First group of each article; empty where its record is gone."""
        return self._ownership.groups_of(seqs)

    # The owners' part of the start

    def references(self) -> Iterator[tuple[bytes, int]]:
        """Key of every body that is still needed, with by how many peers. For the start: it reads all segments."""
        for number, segment in self._ownership.segments.items():
            counts = dict(segment.counts())
            for entry in self._files.read(number):
                if count := counts.get(entry.seq & SLOT_MASK):
                    yield message_key(entry.message_id), count

    def articles(self, start: int = 0) -> Iterator[tuple[bytes, int]]:
        """Key and arrival (ms) of every article from `start` on that is still logged, to rebuild the history."""
        for number in self._ownership.segments:
            if number >= start >> SEGMENT_BITS:
                for entry in self._files.read(number):
                    if entry.seq >= start:
                        yield message_key(entry.message_id), entry.arrival

    # Articles

    async def append(self, records: Sequence[LogRecord]) -> int:
        """Log articles; returns the seq of the first, the others follow it. They are durable then.

        When the caller is cancelled meanwhile they are logged all the same.
        Raises `LogFullError` when the backlog is over its limit, `DiskFullError` when the disk has no room,
        `StoreFailedError` when it failed; nothing is kept then.
        """
        self.room.check()
        if not records:
            return self.head
        batch = Batch(records)
        await self._committer.submit(batch, len(records))
        self._admit()
        return batch.first

    def release(self, peer: int, tokens: Sequence[Token]) -> list[Token]:
        """The peer needs these bodies no more; returns those that it needed until now, each once.

        Their references may go only when `flush` has returned their keys.
        """
        return self._ownership.release(peer, tokens)

    @property
    def next_flush(self) -> int:
        """Number of the flush that makes durable what is released now: it is when `flushed` is no less."""
        return self._flushes + 1

    def advance(self, peer: int, seq: int) -> None:
        """Articles of the peer up to `seq` are done, or belong to its spill streams; durable at the next flush."""
        self._ownership.advance(peer, seq)

    def read(self, start: int, limit: int, peer: int) -> tuple[list[Token], int]:
        """Up to `limit` tokens from `start` on that the peer needs, and where to go on: `head` at the end.

        Reads the disk, a few hundred KB for a thousand tokens that follow each other. A damaged record is left out;
        `damage` tells of it.
        """
        wanted, following = self._ownership.wanted(peer, start, limit)
        return self._files.tokens(wanted), following

    async def flush(self) -> list[bytes]:
        """Make releases and checkpoints durable; returns the keys of which one reference each may go now.

        Raises `DiskFullError`, and the next flush tries again; `StoreFailedError` when the disk failed.
        """
        async with self._maintenance:
            self._admit()
            self._flushes += 1
            number = self._flushes
            if pending := self._ownership.take():
                await self._make_durable(pending)
            self.flushed = number
            self.room.measure()
            return pending.keys

    # Peers

    async def add_peer(self, uid: str) -> int:
        """The number of a peer: the position of its bit. A new one gets what is logged from now on."""
        async with self._maintenance:
            self._admit()
            if uid not in self._peers:
                number = await self._thread.run(lambda: self._peers.add(uid))
                self._ownership.enrol(number)
            return self._peers[uid]

    async def add_peers(self, uids: Collection[str]) -> None:
        """As `add_peer` for many, with one write for all; those for whom there is no number are left out."""
        async with self._maintenance:
            self._admit()
            new = [uid for uid in uids if uid not in self._peers]
            await self._thread.run(lambda: self._peers.add_all(new))
            for uid in new:
                if uid in self._peers:
                    self._ownership.enrol(self._peers[uid])

    async def remove_peer(self, uid: str) -> AsyncIterator[list[bytes]]:
        """Clear all bits of a peer that is routed to no more, then free its number; yields what `flush` returns.

        Stopped half-way, it goes on when it is called again.
        """
        peer = self._peers[uid]
        start = 0
        while start < self.head:
            tokens, start = self.read(start, FORGET_BATCH, peer)
            self.release(peer, tokens)
            if keys := await self.flush():
                yield keys
        self._ownership.release_rest(peer)
        yield await self.flush()
        async with self._maintenance:
            await self._thread.run(lambda: self._peers.remove(uid))
            self._ownership.drop(peer)

    # Housekeeping

    async def tidy(self) -> None:
        """Delete segments that nobody needs, compact those that few need, shorten the journal. Call it now and then.

        A full disk only puts it off. Raises `StoreFailedError` when the disk failed.
        """
        async with self._maintenance:
            self._admit()
            try:
                await self._upkeep.delete_dead(self.history_mark)
                await self._upkeep.compact_sparse(self.history_mark)
                await self._upkeep.shorten_journal()
            except DiskFullError:
                return

    async def close(self) -> list[bytes]:
        """Flush, then close; returns what `flush` does. When it raises, the next start is one after a dirty stop.

        A second time it does nothing.
        """
        if self._closed:
            return []
        self._closed = True
        try:
            keys = await self.flush()
            self._committer.close()
            await self._thread.run(lambda: leave_mark(self._disk))
        finally:
            self._committer.close()
            self._thread.close()
            self._writer.close()
            self._journal.close()
        return keys

    async def _make_durable(self, pending: Pending) -> None:
        try:
            await self._thread.run(lambda: self._journal.append(changes(pending)))
        except BaseException:
            self._ownership.restore(pending)
            raise

    def _admit(self) -> None:
        # A caller of append may be cancelled after its batch was written, so whoever comes next takes it in.
        written = self._writer.written
        while written:
            self._ownership.admit(written.popleft())
