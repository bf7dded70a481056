"""The backlog of a peer: what moves between its memory queue and its spool on Redis."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from forebay.outfeed.peering.backlogowner import Owner
from forebay.outfeed.peering.deferralrest import DeferralRest
from forebay.outfeed.peering.discards import Discards
from forebay.outfeed.peering.peerqueue import pop, put_back
from forebay.outfeed.peering.readback import Readback
from forebay.outfeed.peering.resendplaces import ResendPlaces
from forebay.outfeed.peering.unsure import Unsure
from forebay.outfeed.token import Token
from forebay.spill import (
    DeadLetter,
    Durable,
    Kind,
    SpillError,
    SpillFullError,
    SpillUnavailableError,
    Spool,
)

BATCH = 4000
"""Tokens appended at once."""
READ = 1000
"""Entries read from R at once at most."""


class Buried(NamedTuple):
    """A token that is given up."""

    token: Token
    reason: str


class Backlog:
    """Runs as one task. Everything else is called by the peerfeed, changes memory, and wakes that task."""

    def __init__(self, owner: Owner, spool: Spool, rest: DeferralRest, now: Callable[[], int]) -> None:
        self.spool = spool
        self.rest = rest
        """How long what was put off rests."""
        self.trouble: SpillError | None = SpillUnavailableError("Redis was not reached yet")
        """Why nothing can be appended; None while it can."""
        self.unsure = Unsure()
        self.discards = Discards(owner, spool, self.lacks)
        self._owner = owner
        self._queue = owner.queue
        self._now = now
        self._wanted = asyncio.Event()
        self._stepped = asyncio.Condition()
        self._places = ResendPlaces()
        self._readback = Readback(owner, self._places, self.unsure)
        self._put_off: deque[Token] = deque()
        self._buried: deque[Buried] = deque()
        self._writing = False
        self._least_tries = 0
        """Of what was put off since something was promoted; 0 when that is not known."""

    # Called by the peerfeed

    @property
    def writable(self) -> bool:
        """What overflows can be appended."""
        return self.trouble is None

    @property
    def congested(self) -> bool:
        """So much was put off that has no place on Redis that nothing more should be sent."""
        return len(self._put_off) + len(self._buried) >= self._queue.size

    @property
    def put_off(self) -> int:
        """Tokens that were put off and have no place on Redis yet, but for those that are in R."""
        return len(self._put_off)

    @property
    def oldest_put_off(self) -> int | None:
        """When the oldest of those came in, milliseconds since the epoch."""
        return min((token.arrival for token in self._put_off), default=None)

    @property
    def burying(self) -> int:
        """Tokens that were given up and are not among the dead letters yet."""
        return len(self._buried)

    @property
    def has_unread(self) -> bool:
        """Redis holds what was neither put off nor read back yet, or will in a moment."""
        state = self.spool.state
        return self._writing or state.backlog.entries > 0 or state.resend.entries > len(self._places)

    def wake(self) -> None:
        """There is something to do."""
        self._wanted.set()

    def by_origin(self, tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
        """Split tokens into those of the feed log and those of R."""
        return self._places.by_origin(tokens)

    def finish(self, tokens: list[Token]) -> list[Token]:
        """These are settled; returns those of the feed log."""
        fresh, entry_ids = self._places.finish(tokens)
        if entry_ids:
            self.spool.ack(entry_ids)
        return fresh

    def defer(self, tokens: Iterable[Token]) -> None:
        """Put these off."""
        tokens = list(tokens)
        self._put_off.extend(tokens)
        tries = min((token.tries for token in tokens), default=0)
        self._least_tries = min(self._least_tries, tries) if self._least_tries else tries
        self.wake()

    def bury(self, tokens: Iterable[Token], reason: str) -> None:
        """Give these up."""
        self._buried.extend(Buried(token, reason) for token in tokens)
        self.wake()

    def holds(self, seq: int) -> bool:
        """Whether a token that came from R is in memory or in flight."""
        return self._places.holds(seq)

    def lacks(self, seq: int) -> bool:
        """Whether the peer needs an article of which nothing is in memory or in flight."""
        return self._owner.needs(seq) and not self.holds(seq) and not self._readback.in_log_alone(seq)

    async def settled(self) -> None:
        """Wait until all that had to be written is on Redis' disk."""
        async with self._stepped:
            await self._stepped.wait_for(lambda: not self._pending())

    def _pending(self) -> bool:
        return bool(self._writing or self._queue.spilling or self._put_off or self._buried or self.unsure)

    # Called by the custodian

    def lose_resend(self, *, restarted: bool) -> None:
        """The spool was taken over anew: R is read from its checkpoint again, but for what is in flight."""
        self._places.lose({token.seq for token in self._queue.resent}, restarted=restarted)
        self._queue.resent.clear()

    async def drain(self) -> None:
        """Work until the spool is lost: raises `SpillError`."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while await self._step():
                pass

    # One step

    async def _step(self) -> bool:
        """Do what there is to do, once; whether there may be more."""
        if self.writable:
            await self._write_all()
        released = await self.discards.release()
        refilled = await self._refill()
        await self.discards.enforce()
        await self._confirm()
        async with self._stepped:
            self._stepped.notify_all()
        return released or refilled or (self.writable and bool(self._queue.spilling))

    async def _write_all(self) -> None:
        self._writing = True
        try:
            await self._write()
        except SpillFullError as error:
            # What there is can be drained all the same, which makes room.
            self.trouble = error
        finally:
            self._writing = False

    async def _write(self) -> None:
        await self._write_put_off()
        await self._write_buried()
        if tokens := self._queue.take_spilling(BATCH):
            await self._append(Kind.BACKLOG, tokens, self._queue.spilling)

    async def _append(self, kind: Kind, tokens: list[Token], origin: deque[Token]) -> None:
        """Append tokens that are in memory only; what is not taken goes back to where it came from."""
        try:
            durable = await self.spool.append(kind, [token.encode() for token in tokens])
        except SpillFullError as error:
            put_back(origin, tokens[error.appended :])
            if error.durable:
                self._note(tokens[: error.appended], error.durable)
            raise
        except BaseException:
            put_back(origin, tokens)
            raise
        self._note(tokens, durable)

    def _note(self, tokens: list[Token], durable: Durable) -> None:
        seqs = [token.seq for token in tokens]
        self.spool.ack(self._places.written_elsewhere(seqs))
        self.unsure.add(durable, seqs)

    async def _write_put_off(self) -> None:
        while self._put_off:
            batch = pop(self._put_off, BATCH)
            fresh, resent = self.by_origin(batch)
            try:
                await self._move_put_off(resent)
            except BaseException:
                put_back(self._put_off, batch)
                raise
            if fresh:
                await self._append(Kind.DEFERRED, fresh, self._put_off)

    async def _move_put_off(self, tokens: list[Token]) -> None:
        if tokens:
            await self.spool.defer([(self._places[token.seq], token.encode()) for token in tokens])
        for token in tokens:
            self._places.leave(token.seq)

    async def _write_buried(self) -> None:
        while self._buried:
            batch = pop(self._buried, READ)
            try:
                durable = await self.spool.dead_letter([self._letter(buried) for buried in batch])
            except BaseException:
                put_back(self._buried, batch)
                raise
            fresh = [buried.token for buried in batch if not self._places.leave(buried.token.seq)]
            self._note(fresh, durable)

    def _letter(self, buried: Buried) -> DeadLetter:
        token = buried.token
        return DeadLetter(token.encode(), buried.reason, token.tries, self._now(), self._places[token.seq])

    async def _refill(self) -> bool:
        """Read more of R while the queue runs dry; make an older segment R when there is none."""
        if not (self._owner.is_sending and self._queue.running_dry):
            return False
        count = min(READ, max(1, self._queue.size // 2))
        entries = await self.spool.read(count)
        if not entries and await self._promote():
            entries = await self.spool.read(count)
        self.spool.ack(self._readback.take_in(entries))
        if entries:
            self._owner.refilled()
        return bool(entries)

    async def _promote(self) -> bool:
        promotion = await self.spool.promote(self.rest.after(self._least_tries))
        if promotion.recalled:
            self._least_tries = 0
        self._owner.ledger.recall(promotion.recalled)
        if promotion.done:
            self._places.promoted()
        return promotion.done

    async def _confirm(self) -> None:
        while (seqs := await self.unsure.confirmed()) is not None:
            self._owner.disown(seqs)
