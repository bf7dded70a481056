"""The backlog of a peer: what moves between its memory queue and its spool on Redis."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import structlog

from forebay.outfeed.peering.backlogowner import Owner
from forebay.outfeed.peering.peerqueue import pop, put_back
from forebay.outfeed.token import Token, decode
from forebay.spill import (
    DeadLetter,
    Dropped,
    Durable,
    Entry,
    Kind,
    SpillError,
    SpillFullError,
    SpillUnavailableError,
    Spool,
)

log = structlog.stdlib.get_logger(__name__)

BATCH = 4000
"""Tokens appended at once."""
MOST_GROWN = 100
"""Tries after which a rest grows no more, whatever its factor: it would be no number any more."""
READ = 250
"""Entries read from R at once at most."""


class Buried(NamedTuple):
    """A token that is given up."""

    token: Token
    reason: str


@dataclass(frozen=True)
class BacklogSettings:
    """How a backlog is drained."""

    min_deferred_age: float
    """Seconds that what was put off rests."""
    deferral_factor: float = 1.0
    """What the rest is multiplied with each time that everything is put off again."""
    longest_deferral: float = 3600.0
    """Seconds that it grows to."""

    def rest(self, tries: int) -> float:
        """Seconds that articles rest which were put off so many times."""
        growth = self.deferral_factor ** max(0, min(tries, MOST_GROWN) - 1)
        return max(self.min_deferred_age, min(self.min_deferred_age * growth, self.longest_deferral))


class Backlog:
    """Runs as one task. Everything else is called by the peerfeed, changes memory, and wakes that task."""

    def __init__(self, owner: Owner, spool: Spool, settings: BacklogSettings, now: Callable[[], int]) -> None:
        self.spool = spool
        self.settings = settings
        self.trouble: SpillError | None = SpillUnavailableError("Redis was not reached yet")
        """Why nothing can be appended; None while it can."""
        self._owner = owner
        self._queue = owner.queue
        self._now = now
        self._wanted = asyncio.Event()
        self._stepped = asyncio.Condition()
        self._resent: dict[int, bytes] = {}
        """Where in R a token stands that is in memory or in flight, by seq."""
        self._adrift: set[int] = set()
        """Seqs in flight whose place in R is not known any more, since the spool was taken over anew."""
        self._put_off: deque[Token] = deque()
        self._buried: deque[Buried] = deque()
        self._unsure: deque[tuple[Durable, list[int]]] = deque()
        """Appended, and not yet known to be on Redis' disk: the feed log owns them too."""
        self._unsure_seqs: set[int] = set()
        self._elsewhere: set[int] = set()
        """Seqs that were written elsewhere while their place in R was not known: R may hold them still."""
        self._writing = False
        self._least_tries = 0
        """Of what was put off since something was promoted; 0 when that is not known."""
        self._forgettable = 0
        """Number of the flush after which Redis may forget what a compaction has dropped; 0 when there is nothing."""
        self.in_doubt = False
        """Something that was appended may be gone, though Redis was not restarted: an audit has to tell."""

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
        """Redis holds what was neither put off nor read back yet."""
        state = self.spool.state
        return state.backlog.entries > 0 or state.resend.entries > len(self._resent)

    def wake(self) -> None:
        """There is something to do."""
        self._wanted.set()

    def by_origin(self, tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
        """Split tokens into those of the feed log and those of R."""
        if not self._resent:
            return list(tokens), []
        fresh = [token for token in tokens if token.seq not in self._resent]
        return fresh, [token for token in tokens if token.seq in self._resent]

    def finish(self, tokens: list[Token]) -> list[Token]:
        """These are settled; returns those of the feed log."""
        if not self._resent and not self._adrift:
            return tokens
        fresh, resent = self.by_origin(tokens)
        self._adrift.difference_update(token.seq for token in fresh)
        if resent:
            self.spool.ack([self._resent.pop(token.seq) for token in resent])
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
        return seq in self._resent or seq in self._adrift

    def lacks(self, seq: int) -> bool:
        """Whether the peer needs an article of which nothing is in memory or in flight."""
        return self._owner.needs(seq) and not self.holds(seq) and not self._in_log_alone(seq)

    async def settled(self) -> None:
        """Wait until all that had to be written is on Redis' disk."""
        async with self._stepped:
            await self._stepped.wait_for(lambda: not self._pending())

    def _pending(self) -> bool:
        return bool(self._writing or self._queue.spilling or self._put_off or self._buried or self._unsure)

    # Called by the custodian

    def lose_resend(self, *, restarted: bool) -> None:
        """The spool was taken over anew: R is read from its checkpoint again, but for what is in flight."""
        if restarted:
            self._elsewhere.clear()
        in_memory = {token.seq for token in self._queue.resent}
        self._queue.resent.clear()
        self._adrift.update(seq for seq in self._resent if seq not in in_memory)
        self._resent.clear()

    def forget_unsure(self) -> set[int]:
        """Seqs that were appended and not known to be on disk; from now on an audit's business."""
        seqs, self._unsure_seqs = self._unsure_seqs, set()
        self._unsure.clear()
        self.in_doubt = False
        return seqs

    async def release_dropped(self) -> bool:
        """Let go of the next entries that a compaction has dropped; whether there may be more. Raises `SpillError`.

        An audit would take them for lost. Redis forgets them once the feed log has let go of them for good.
        """
        if dropped := await self.spool.dropped():
            self._drop(dropped)
            self._forgettable = self._owner.next_flush
            return True
        if self._forgettable and self._owner.flushed >= self._forgettable:
            self._forgettable = 0
            await self.spool.forget_dropped()
        return False

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
        released = await self.release_dropped()
        refilled = await self._refill()
        await self._enforce()
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
        self._elsewhere.update(self._adrift.intersection(seqs))
        self._adrift.difference_update(seqs)
        # A token that was adrift may have been found in R again while it waited to be appended.
        self.spool.ack([entry_id for seq in seqs if (entry_id := self._resent.pop(seq, None))])
        self._unsure.append((durable, seqs))
        self._unsure_seqs.update(seqs)

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
            await self.spool.defer([(self._resent[token.seq], token.encode()) for token in tokens])
        for token in tokens:
            self._resent.pop(token.seq, None)

    async def _write_buried(self) -> None:
        while self._buried:
            batch = pop(self._buried, READ)
            try:
                durable = await self.spool.dead_letter([self._letter(buried) for buried in batch])
            except BaseException:
                put_back(self._buried, batch)
                raise
            fresh = [buried.token for buried in batch if not self._resent.pop(buried.token.seq, None)]
            self._note(fresh, durable)

    def _letter(self, buried: Buried) -> DeadLetter:
        token = buried.token
        return DeadLetter(token.encode(), buried.reason, token.tries, self._now(), self._resent.get(token.seq, b""))

    async def _refill(self) -> bool:
        """Read more of R while the queue runs dry; make an older segment R when there is none."""
        if not (self._owner.is_sending and self._queue.running_dry):
            return False
        count = min(READ, max(1, self._queue.size // 2))
        entries = await self.spool.read(count)
        if not entries and await self._promote():
            entries = await self.spool.read(count)
        self._take_in(entries)
        return bool(entries)

    async def _promote(self) -> bool:
        promotion = await self.spool.promote(self.settings.rest(self._least_tries))
        if promotion.recalled:
            self._least_tries = 0
        self._owner.ledger.recall(promotion.recalled)
        if promotion.done:
            self._elsewhere.clear()
        return promotion.done

    def _take_in(self, entries: list[Entry]) -> None:
        """Queue what was read from R, but for what the peer has by now or what is on its way already."""
        spare: list[bytes] = []
        for entry in entries:
            token = read_token(entry.data)
            if token is None or self._is_elsewhere(token.seq):
                spare.append(entry.id)
            elif self.holds(token.seq):
                # The spool was taken over anew while the token was in memory: this is its place now.
                if (earlier := self._resent.get(token.seq, entry.id)) != entry.id:
                    spare.append(earlier)
                self._adrift.discard(token.seq)
                self._resent[token.seq] = entry.id
            else:
                self._resent[token.seq] = entry.id
                self._queue.resent.append(token)
                self._owner.ledger.unspooled += 1
        self.spool.ack(spare)
        if entries:
            self._owner.refilled()

    def _is_elsewhere(self, seq: int) -> bool:
        """Whether an entry of R is one too many."""
        return seq in self._elsewhere or not self._owner.needs(seq) or self._in_log_alone(seq)

    def _in_log_alone(self, seq: int) -> bool:
        return self._owner.logged(seq) and seq not in self._unsure_seqs

    async def _enforce(self) -> None:
        while dropped := await self.spool.enforce():
            self._drop(dropped)

    def _drop(self, dropped: Dropped) -> None:
        tokens = [token for data in dropped.entries if (token := read_token(data))]
        self._owner.dropped(dropped, [token for token in tokens if self.lacks(token.seq)])

    async def _confirm(self) -> None:
        while self._unsure and self._unsure[0][0].done:
            durable, seqs = self._unsure[0]
            try:
                await durable.wait()
            except SpillUnavailableError:
                self.in_doubt = True
                raise
            self._unsure.popleft()
            self._unsure_seqs.difference_update(seqs)
            self._owner.disown(seqs)


def read_token(data: bytes) -> Token | None:
    """The token in an entry; None, and a line in the log, when it is none."""
    try:
        return decode(data)
    except ValueError as error:
        log.error("an entry of the backlog is left out", reason=str(error))
        return None
