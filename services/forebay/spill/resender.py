"""The resender of a spool: makes a segment R, reads it in order, and moves its checkpoint."""

from typing import TYPE_CHECKING, NamedTuple

from forebay.spill import scripts
from forebay.spill.desk import STALLS, Desk, stalled
from forebay.spill.keys import Kind
from forebay.spill.ledger import Segment
from forebay.spill.link import Reply
from forebay.spill.resend import Entry, Passed, ResendWindow

if TYPE_CHECKING:
    from forebay.spill.scripts import Argument

START = b"0-0"
"""An id before all entries."""


class Promotion(NamedTuple):
    """The outcome of a promotion."""

    done: bool
    wait: float | None = None
    """Seconds until the oldest deferred segment is old enough; None when there is none, or R still exists."""
    recalled: int = 0
    """Entries that were deferred until now."""


class Resender:
    """One R at a time."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def promote(self, min_deferred_age: float) -> Promotion:
        """Make the oldest backlog segment R; without any, the oldest deferred one of that age in seconds."""
        await self.checkpoint()
        stalls = recalled = 0
        while stalls < STALLS:
            ledger = self._desk.ledger
            segment = ledger.oldest(Kind.BACKLOG) or ledger.oldest(Kind.DEFERRED)
            if ledger.resend or segment is None:
                return Promotion(done=False, recalled=recalled)
            outcome, *wait = await self._promote(segment, min_deferred_age)
            if outcome in (b"OK", b"GONE") and segment.kind is Kind.DEFERRED:
                recalled += segment.entries
            if outcome in (b"OK", b"YOUNG"):
                return Promotion(outcome == b"OK", wait[0] / 1000 if wait else None, recalled)
            stalls += outcome == b"STALE"
        raise stalled(self._desk.keys)

    async def read(self, count: int) -> list[Entry]:
        """The next entries of R."""
        await self.checkpoint()
        desk = self._desk
        if desk.ledger.resend is None:
            return []
        entries = await desk.entries(desk.keys.resend, desk.window.cursor, count)
        desk.window.add(entries)
        desk.metrics.read += len(entries)
        if not entries and not desk.window.span:
            # Nothing is left though the last checkpoint did not end it: its tail is gone from Redis.
            await self._pass(desk.ledger.resend, Passed(desk.window.cursor or START, 0, 0))
        return entries

    async def checkpoint(self) -> None:
        """Write how far R is settled, where that is further than before."""
        resend, passed = self._desk.ledger.resend, self._desk.window.passed()
        if resend and passed:
            await self._pass(resend, passed)

    async def _pass(self, resend: Segment, passed: Passed) -> None:
        desk = self._desk
        args: list[Argument] = [desk.tenure.token, resend.id, *passed]
        (reply,) = await desk.run(scripts.CHECKPOINT.call([desk.keys.meta, desk.keys.resend], args))
        if reply[0] == b"STALE":
            await desk.reload()
            return
        desk.metrics.acked += passed.entries
        desk.ledger.removed(Kind.RESEND, passed.entries, passed.bytes, gone=reply[0] == b"DONE")
        if desk.ledger.resend is None:
            desk.window = ResendWindow()
        else:
            desk.ledger.checkpoint = passed.checkpoint
            desk.window.move(passed.checkpoint)

    async def _promote(self, segment: Segment, min_deferred_age: float) -> Reply:
        desk = self._desk
        keys = [desk.keys.meta, desk.keys.resend, desk.stream(segment)]
        args: list[Argument] = [desk.tenure.token, segment.kind, segment.id, round(min_deferred_age * 1000)]
        (reply,) = await desk.run(scripts.PROMOTE.call(keys, args))
        if reply[0] == b"OK":
            desk.ledger.promoted(segment.kind)
            desk.window = ResendWindow()
        elif reply[0] == b"GONE":
            desk.ledger.removed(segment.kind, segment.entries, segment.bytes, gone=True)
        elif reply[0] == b"STALE":
            await desk.reload()
        return reply
