"""Custody of a peer's spool: who takes it over, and audits it where Redis may have lost some of it."""

import asyncio
from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

import structlog

from forebay.feedlog.logsegment import SEGMENT_BITS, SEGMENT_ENTRIES, SLOT_MASK
from forebay.outfeed.log.feedlog import FeedLog
from forebay.outfeed.peering.backlog import Backlog
from forebay.outfeed.peering.entries import read_token
from forebay.outfeed.peering.ledger import Ledger
from forebay.outfeed.token import Token
from forebay.spill import Entry, Kind, LeaseLostError, Loaded, SpillAnswerError, SpillError, Spool, SpoolState
from forebay.spill.deadletter import decode as decode_letter

log = structlog.stdlib.get_logger(__name__)

RETRY_SECONDS = 5.0
"""Between two tries to take a spool over, where nothing says earlier that Redis is back."""
ORPHANS = 1000
"""Lost entries put back at once."""


class SeqSet:
    """A set of seqs of a feed log: one bit each, for they come in millions."""

    def __init__(self) -> None:
        self._segments: dict[int, bytearray] = {}

    def add(self, seq: int) -> bool:
        """Put a seq in; False when it was in."""
        bits = self._segments.get(seq >> SEGMENT_BITS)
        if bits is None:
            bits = self._segments[seq >> SEGMENT_BITS] = bytearray(SEGMENT_ENTRIES // 8)
        slot = seq & SLOT_MASK
        if bits[slot >> 3] & 1 << (slot & 7):
            return False
        bits[slot >> 3] |= 1 << (slot & 7)
        return True

    def __contains__(self, seq: int) -> bool:
        bits = self._segments.get(seq >> SEGMENT_BITS)
        return bits is not None and bool(bits[(seq & SLOT_MASK) >> 3] & 1 << (seq & 7))


class Ward(Protocol):
    """The peerfeed whose spool is kept."""

    name: str
    number: int
    ledger: Ledger

    @property
    def cursor(self) -> int:
        """The first article of the feed log that was not handed out."""

    def needs(self, seq: int) -> bool:
        """Whether the peer still needs the article."""

    def logged(self, seq: int) -> bool:
        """Whether an article was handed out of the feed log and is still its own."""

    def disown(self, seqs: Iterable[int]) -> None:
        """These are safe on Redis."""

    def spilled_already(self, seqs: set[int]) -> None:
        """Redis has these, which the feed log would hand out still."""


class Inventory:
    """What the streams of a spool hold of the articles that the peer still needs, each counted once.

    The peer is fed while the streams are read, so what is counted is asked for at the end.
    """

    def __init__(self, ward: Ward, lacks: Callable[[int], bool]) -> None:
        """`lacks` tells whether nothing of an article that is needed is in memory or in flight."""
        self.found = SeqSet()
        self._lacks = lacks
        self._ahead: set[int] = set()
        self._dead = array("Q")
        self._deferred = array("Q")
        self._ward = ward

    def add(self, kind: Kind, entries: Sequence[Entry]) -> None:
        """Take note of entries of one kind of stream."""
        ward = self._ward
        cursor = ward.cursor
        for entry in entries:
            token = _token(kind, entry)
            if token is None or not ward.needs(token.seq) or not self.found.add(token.seq):
                continue
            if token.seq >= cursor:
                self._ahead.add(token.seq)
            if kind is Kind.DEAD:
                self._dead.append(token.seq)
            elif kind is Kind.DEFERRED:
                self._deferred.append(token.seq)

    @property
    def ahead(self) -> set[int]:
        """Seqs from the cursor on."""
        return {seq for seq in self._ahead if seq >= self._ward.cursor}

    @property
    def dead(self) -> int:
        """Dead letters, but for those that are in memory too."""
        return sum(map(self._lacks, self._dead))

    @property
    def deferred(self) -> int:
        """What was put off, but for what is in memory too."""
        return sum(map(self._lacks, self._deferred))


def _token(kind: Kind, entry: Entry) -> Token | None:
    if kind is not Kind.DEAD:
        return read_token(entry.data)
    try:
        return read_token(decode_letter(*entry).data)
    except SpillAnswerError as error:
        log.error("a dead letter is left out", reason=str(error))
        return None


def _has_anything(state: SpoolState) -> bool:
    return bool(state.segments or state.castoffs or state.dead.entries)


class Custodian:
    """Keeps a spool for as long as its peer exists."""

    def __init__(self, ward: Ward, backlog: Backlog, feedlog: FeedLog) -> None:
        self.audited = False
        """Nothing is missing on Redis, or what was missing has been put back."""
        self._ward = ward
        self._backlog = backlog
        self._log = feedlog
        self._run_id = ""
        self._back = asyncio.Event()

    def come_back(self) -> None:
        """Redis can be used again, as far as is known."""
        self._back.set()

    async def run(self) -> None:
        """Take the spool over and drain it, again and again."""
        while True:
            self._back.clear()
            try:
                await self._take_over()
                await self._backlog.drain()
            except LeaseLostError as error:
                self._backlog.trouble = error
                log.warning("the spool was lost, it is taken over again", peer=self._ward.name, reason=str(error))
            except SpillError as error:
                self._lose(error)
                await self._wait()

    def _lose(self, error: SpillError) -> None:
        if self._backlog.trouble is None:
            log.warning("the backlog cannot be used", peer=self._ward.name, reason=str(error))
        self._backlog.trouble = error

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(RETRY_SECONDS):
                await self._back.wait()

    async def _take_over(self) -> None:
        spool = self._backlog.spool
        loaded = await spool.load()
        if self._log.was_new and not self._run_id and _has_anything(spool.state):
            # Their places would be taken for those of other articles.
            log.warning("the data folder is new: what a former one left on Redis is deleted", peer=self._ward.name)
            await spool.purge()
            loaded = await spool.load()
        restarted = bool(self._run_id) and self._run_id != loaded.run_id
        self._backlog.lose_resend(restarted=restarted)
        await self._release_dropped()
        self.audited = self.audited and not restarted and not self._backlog.unsure.in_doubt
        if not self.audited:
            if self._run_id or not self._is_whole(loaded):
                await self._audit(spool)
            else:
                self._ward.ledger.recover(loaded.state.deferred.entries, loaded.state.dead.entries)
        self._run_id = loaded.run_id
        self.audited = True
        self._backlog.trouble = None
        self._backlog.wake()

    async def _release_dropped(self) -> None:
        while await self._backlog.discards.release():
            pass

    def _is_whole(self, loaded: Loaded) -> bool:
        """At start: the log was closed in order, and Redis has as many entries as it has to have."""
        number, state = self._ward.number, loaded.state
        entries = state.backlog.entries + state.deferred.entries + state.resend.entries + state.dead.entries
        owed = self._log.count_owed(number) - self._log.count_owed(number, self._ward.cursor)
        return self._log.was_clean and owed == entries

    async def _audit(self, spool: Spool) -> None:
        """Compare what the peer needs with what Redis holds, and put back what is missing."""
        ward = self._ward
        inventory = Inventory(ward, self._backlog.lacks)
        async for held in spool.iterate():
            inventory.add(held.kind, held.entries)
        # What a compaction has dropped before it was seen would be taken for lost.
        await self._release_dropped()
        doubtful = self._backlog.unsure.forget()
        ward.disown([seq for seq in doubtful if seq in inventory.found or not ward.needs(seq)])
        ward.spilled_already(inventory.ahead)
        orphans = self._orphans(inventory.found, doubtful)
        await self._put_back(spool, orphans)
        ward.disown(doubtful.intersection(orphans))
        ward.ledger.recover(inventory.deferred + self._backlog.put_off, inventory.dead + self._backlog.burying)
        log.info("backlog audited", peer=ward.name, put_back=len(orphans), deferred=inventory.deferred)

    def _orphans(self, found: SeqSet, doubtful: set[int]) -> list[int]:
        """What the peer needs and neither Redis, nor memory, nor the unread part of the feed log has."""
        ward, backlog, cursor = self._ward, self._backlog, self._ward.cursor
        orphans = []
        for seq in self._log.owed(ward.number):
            if seq >= cursor:
                break
            if seq in found or backlog.holds(seq) or (ward.logged(seq) and seq not in doubtful):
                continue
            orphans.append(seq)
        return orphans

    async def _put_back(self, spool: Spool, orphans: list[int]) -> None:
        """Append lost entries to the backlog again, from their records in the feed log."""
        lost = set(orphans)
        done = 0
        for seq in orphans:
            if seq < done:
                continue
            tokens, done = self._log.read(seq, ORPHANS, self._ward.number)
            await spool.append(Kind.BACKLOG, [token.encode() for token in tokens if token.seq in lost])
