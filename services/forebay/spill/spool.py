"""A spool: the streams of one owner, written to, read again in order, acknowledged, and kept within limits."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from forebay.spill import deadletter, scripts
from forebay.spill.batches import BATCH_ENTRIES
from forebay.spill.castoffs import Castoffs
from forebay.spill.deadletter import DeadLetter
from forebay.spill.desk import STALLS, Desk, stalled
from forebay.spill.fence import Durable
from forebay.spill.keys import Kind
from forebay.spill.ledger import Ledger, SpoolState
from forebay.spill.limits import Dropped, Limits
from forebay.spill.resend import Entry, ResendWindow
from forebay.spill.resender import Promotion, Resender
from forebay.spill.settings import SpoolSettings
from forebay.spill.tenure import Tenure
from forebay.spill.writer import Writer


class Loaded(NamedTuple):
    """What was found when the owner was taken over."""

    state: SpoolState
    fresh: bool
    """The owner had nothing here, not even an earlier lease: new, or forgotten by Redis."""
    run_id: str
    """The run of Redis. Another than the last time means that entries not known as durable may be gone: audit."""


class Held(NamedTuple):
    """Entries of one stream, as an audit sees them."""

    kind: Kind
    entries: list[Entry]


class Spool:
    """One owner's spool, made by `Spill.spool`; `load` comes first.

    Its commands run one after another. Each raises `SpillUnavailableError` (Redis is away), `SpillCheckError` (Redis is
    unfit) or `LeaseLostError` (load again); what else, its docstring says.
    """

    def __init__(self, owner: str, desk: Desk) -> None:
        self.owner = owner
        self._desk = desk
        self._writer = Writer(desk)
        self._resender = Resender(desk)
        self._limits = Limits(desk)
        self._castoffs = Castoffs(desk)
        self._lock = asyncio.Lock()
        self._doubt = False

    @property
    def state(self) -> SpoolState:
        """What there is, from memory: in step with Redis while the lease is held."""
        return self._desk.ledger.state()

    @property
    def unread(self) -> int:
        """Entries of backlog and R that are still to be read."""
        state = self.state
        return state.backlog.entries + state.resend.entries - self._desk.window.unpassed

    @property
    def settings(self) -> SpoolSettings:
        """May be replaced at any time; holds from the next command on."""
        return self._desk.settings

    @settings.setter
    def settings(self, settings: SpoolSettings) -> None:
        self._desk.settings = settings

    @property
    def tenure(self) -> Tenure:
        """The owner's lease."""
        return self._desk.tenure

    async def load(self) -> Loaded:
        """Take the owner over, waiting for another holder's lease to run out, and read what it has.

        Reading starts again behind the checkpoint.
        """
        desk = self._desk
        async with self._lock:
            await desk.host.register(self.owner)
            meta = await desk.tenure.take()
            desk.ledger = Ledger.parse(meta)
            desk.window = ResendWindow(desk.ledger.checkpoint)
            self._castoffs = Castoffs(desk)
            self._doubt = False
            leases = dict(zip(meta[::2], meta[1::2], strict=True))[b"leases"]
            return Loaded(self.state, fresh=leases == b"1", run_id=desk.tenure.run_id or "")

    async def release(self) -> None:
        """Write the checkpoint and give the lease back, so that the next holder need not wait."""
        async with self._in_order():
            await self._resender.checkpoint()
            await self._desk.tenure.release()

    async def append(self, kind: Kind, entries: Sequence[bytes]) -> Durable:
        """Append entries to the backlog or to what is deferred.

        Raises `SpillFullError`, which tells how many were taken.
        """
        if kind not in (Kind.BACKLOG, Kind.DEFERRED):
            raise ValueError(f"kind is {kind!r}: entries are appended to BACKLOG or DEFERRED only")
        async with self._in_order():
            return await self._writer.append(kind, entries)

    async def promote(self, min_deferred_age: float) -> Promotion:
        """Make the oldest backlog segment R; without any, the oldest deferred one opened that many seconds ago.

        Nothing happens while there is an R.
        """
        async with self._in_order():
            return await self._resender.promote(min_deferred_age)

    async def read(self, count: int) -> list[Entry]:
        """The next entries of R, at most `count`, in order; empty when there is no R, or all of it was read."""
        async with self._in_order():
            return await self._resender.read(count)

    def ack(self, entry_ids: Iterable[bytes]) -> None:
        """Entries read from R are settled, in whatever order.

        The checkpoint moves up to the first that is not, with the next `read`, `promote` or `checkpoint`. Ids that
        are not awaited, say of before a take-over, are ignored.
        """
        self._desk.window.settle(entry_ids)

    async def checkpoint(self) -> Durable:
        """Write how far R is settled; R is deleted when that is its end.

        The handle covers all that was written before as well.
        """
        async with self._in_order():
            await self._resender.checkpoint()
            return self._desk.written()

    async def defer(self, entries: Sequence[tuple[bytes, bytes]]) -> Durable:
        """Move entries of R, given as id and new form, to what is deferred; ids that are not awaited are ignored.

        Entries that never were in R are appended with `append`.
        """
        async with self._in_order():
            known = [(entry_id, data) for entry_id, data in entries if entry_id in self._desk.window]
            moved, handle = await self._writer.move(Kind.RESEND, Kind.DEFERRED, known)
            self._desk.metrics.deferred += moved
            return handle

    async def dead_letter(self, letters: Sequence[DeadLetter]) -> Durable:
        """Put entries among the dead letters: out of R those with an id that is awaited, those without one afresh.

        Raises `SpillFullError` for the latter.
        """
        async with self._in_order():
            given_up = [(letter.id, letter.encode()) for letter in letters if letter.id in self._desk.window]
            moved, handle = await self._writer.move(Kind.RESEND, Kind.DEAD, given_up)
            self._desk.metrics.dead_lettered += moved
            if fresh := [letter.encode() for letter in letters if not letter.id]:
                handle = await self._writer.append(Kind.DEAD, fresh)
            return handle

    async def dead_letters(self, count: int, after: bytes | None = None) -> list[DeadLetter]:
        """The oldest dead letters, at most `count`, behind the one whose id is `after`.

        Raises `SpillAnswerError` when one is damaged.
        """
        async with self._in_order():
            entries = await self._desk.entries(self._desk.keys.dead, after, count)
        return [deadletter.decode(entry.id, entry.data) for entry in entries]

    async def replay(self, letters: Sequence[tuple[bytes, bytes]]) -> int:
        """Move dead letters, given as id and the entry to send, into the backlog. Returns how many were there."""
        async with self._in_order():
            moved, _ = await self._writer.move(Kind.DEAD, Kind.BACKLOG, letters)
            self._desk.metrics.replayed += moved
            return moved

    async def enforce(self, count: int = BATCH_ENTRIES) -> Dropped | None:
        """Remove at most `count` of the oldest entries that exceed a limit. Call again until nothing is returned.

        Entries read from R and not settled yet stay, and so does the newest one where octets are limited.
        """
        async with self._in_order():
            return await self._limits.enforce(count)

    async def dropped(self, count: int = BATCH_ENTRIES) -> Dropped | None:
        """The next entries, at most `count`, that a compaction has dropped; None when all were told.

        A compaction is noticed within a third of the lease's time to live. What was told is told again after `load`
        unless it was forgotten.
        """
        async with self._in_order():
            if self._desk.outdated:
                await self._desk.reload()
            return await self._castoffs.read(count)

    async def forget_dropped(self) -> None:
        """Delete what `dropped` has told: all that it stood for was released, for good."""
        async with self._in_order():
            await self._castoffs.forget()

    async def iterate(self, count: int = BATCH_ENTRIES) -> AsyncIterator[Held]:
        """All entries in batches: R behind the checkpoint, backlog, deferred, dead letters. Moves nothing.

        For an audit right after `load`: what is moved meanwhile may be seen twice or not at all. When a compaction
        changes the list of segments meanwhile, all are seen again.
        """
        generation = -1
        while generation != self.state.generation:
            generation = self.state.generation
            async for held in self._iterate(count):
                yield held
            async with self._in_order():
                await self._desk.reload()

    async def _iterate(self, count: int) -> AsyncIterator[Held]:
        desk = self._desk
        streams = [(segment.kind, desk.stream(segment)) for segment in desk.ledger.segments()]
        for kind, stream in [*streams, (Kind.DEAD, desk.keys.dead)]:
            is_resend = stream == desk.keys.resend
            place = desk.ledger.checkpoint if is_resend else None
            while entries := await desk.entries(stream, place, count):
                yield Held(Kind.RESEND if is_resend else kind, entries)
                place = entries[-1].id

    async def purge(self) -> None:
        """Delete all that the owner has, then its name in the registry; the lease goes with it."""
        async with self._in_order():
            await self._purge()
            self._desk.ledger, self._desk.window = Ledger(), ResendWindow()
            self._desk.tenure.end()
            await self._desk.host.unregister(self.owner)

    async def _purge(self) -> None:
        desk = self._desk
        for _ in range(STALLS):
            keys = [desk.keys.meta, desk.keys.resend, desk.keys.dead, desk.keys.fence]
            # An owner of this name may have had a timetable: whoever purges knows but names.
            keys += [desk.keys.times, desk.keys.values]
            keys += [desk.stream(segment) for segment in desk.ledger.segments()]
            keys += [desk.keys.castoff(castoff.id) for castoff in desk.ledger.castoffs]
            (reply,) = await desk.run(scripts.PURGE.call(keys, [desk.tenure.token, desk.ledger.generation]))
            if reply[0] == b"OK":
                return
            await desk.reload()
        raise stalled(desk.keys)

    @asynccontextmanager
    async def _in_order(self) -> AsyncIterator[None]:
        """One command at a time; after one that failed half-way, the ledger is read again first."""
        async with self._lock:
            self._desk.tenure.require()
            if self._doubt:
                await self._desk.reload()
                self._doubt = False
            try:
                yield
            except BaseException:
                self._doubt = True
                raise
