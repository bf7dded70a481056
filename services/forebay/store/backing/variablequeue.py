"""A queue that is in memory as far as there is room, and on disk beyond that."""

import logging
from collections.abc import Iterator, Sequence
from math import inf

from forebay.msgstore import QueueIndex, Taken
from forebay.msgstore.record import ID_SIZE
from forebay.runtime.clock import Clock
from forebay.store.backing.browsing import browse
from forebay.store.backing.expiring import Expiring
from forebay.store.backing.indexpager import IndexPager, count_delivery, deliveries_of
from forebay.store.backing.insides import check_insides, insides_of
from forebay.store.backing.intake import Intake
from forebay.store.backing.loader import Loader
from forebay.store.backing.paging import Paging
from forebay.store.backing.pending import Pending
from forebay.store.backing.protocol import Batch, Bodies, Browsed, Insides
from forebay.store.backing.rates import Rates
from forebay.store.backing.run import Arrival, Run, Span, joined, total
from forebay.store.backing.stages import Stages
from forebay.store.backing.unsettled import Unsettled
from forebay.store.backing.warming import LOAD, Warming

log = logging.getLogger(__name__)

TIGHT_UNSAVED = 4 << 20
"""Octets of messages that a queue lets its index keep in memory till a checkpoint, while it pages out."""

COOLING = 1024
"""Messages in memory from which on more should be loaded."""

_ALL = 1 << 62


class VariableQueue:
    """A `BackingQueue` of one level over an index and two message stores. Make it with `open`.

    bodies: the store of persistent messages; passing: that of the others. checked: `check` runs after each operation.
    """

    def __init__(
        self, index: QueueIndex, bodies: Bodies, passing: Bodies, clock: Clock, *, checked: bool = False
    ) -> None:
        self._index = index
        self._bodies = bodies
        self._passing = passing
        self._checked = checked
        self._rates = Rates(clock)
        self._pager = IndexPager(index)
        self._pending = Pending()
        self._unsettled = Unsettled()
        self._stages = Stages(self._pager)
        self._paging = Paging(self._stages, self._pending, self._rates, self._pager)
        self._loader = Loader(index, bodies, passing)
        self._warming = Warming(index, self._stages, self._pending, self._rates, self._pager, self._loader, self._lose)
        self._intake = Intake(index, self._unsettled, self._rates)
        self._expiring = Expiring(self._stages, self._pager, self._warming)
        self.lost = 0
        """Messages whose content turned out to be damaged since the start."""

    @classmethod
    async def open(
        cls, index: QueueIndex, bodies: Bodies, passing: Bodies, clock: Clock, *, checked: bool = False
    ) -> "VariableQueue":
        """The queue that an index holds."""
        queue = cls(index, bodies, passing, clock, checked=checked)
        first, count = index.low_seq, len(index)
        if count:
            delta = queue._stages.delta
            delta.start, delta.stop, delta.count, delta.octets = first, index.next_seq, count, index.octets_found
            queue._pager.seek(delta.seqs)
            await queue._warming.refill()
        queue._done()
        return queue

    # Coming in
    def publish(self, arrivals: Sequence[Arrival]) -> list[Span]:
        """See `BackingQueue`."""
        return self._intake.publish(arrivals)

    def take(self) -> Batch | None:
        """See `BackingQueue`."""
        return self._intake.take()

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        """See `BackingQueue`."""
        self._index.write(batch.taken[0], sync=sync)

    def settle(self, batch: Batch) -> int:
        """See `BackingQueue`."""
        arrived = self._unsettled.take_arrivals(batch.arrivals[0])
        for run in joined(arrived):
            self._stages.append(run)
        for store, ids in self._unsettled.take_releases(batch.releases[0]):
            store.remove(ids)
        self._done()
        return total(arrived)

    @property
    def unsynced(self) -> bool:
        """See `BackingQueue`."""
        return self._index.unsynced

    def sync(self) -> None:
        """See `BackingQueue`."""
        self._index.write(Taken(0))

    # Going out
    def fetch(self, count: int, octets: int, *, counted: bool = True) -> list[Run]:
        """See `BackingQueue`."""
        runs = [run.held(counted=counted) for run in self._stages.q4.take(count, octets)]
        if counted:
            for run in runs:
                count_delivery(self._index, run)
        return self._hand_out(runs)

    def _hand_out(self, runs: list[Run]) -> list[Run]:
        for run in runs:
            self._pending.add(run)
        count = total(runs)
        self._rates.left += count
        self._rates.handed += count
        self._stages.move_up()
        self._done()
        return runs

    @property
    def cold(self) -> bool:
        """See `BackingQueue`."""
        return not self._stages.q4.count and self._stages.q3.count > 0

    @property
    def cooling(self) -> bool:
        """See `BackingQueue`."""
        return self._stages.q4.count < COOLING and self._stages.q3.count > 0

    async def warm(self) -> None:
        """See `BackingQueue`."""
        await self._warming.warm()
        self._done()

    def ack(self, spans: Sequence[Span]) -> None:
        """See `BackingQueue`."""
        for runs in self._settled(spans):
            self._finish(runs)
        self._done()

    def _finish(self, runs: list[Run]) -> None:
        """Consecutive messages are done with."""
        if any(run.filed for run in runs):
            self._index.acknowledge(range(runs[0].first, runs[-1].last + 1))
        self._rates.acknowledged += total(runs)
        for run in runs:
            if ids := run.released():
                self._unsettled.release(self._bodies if run.persistent else self._passing, ids)

    def requeue(self, spans: Sequence[Span]) -> None:
        """See `BackingQueue`."""
        for runs in self._settled(spans):
            for run in runs:
                self._stages.place(run.with_deliveries(deliveries_of(run)))
                self._stages.move_up()
        self._done()

    def held(self, spans: Sequence[Span]) -> list[Run]:
        """See `BackingQueue`."""
        return [run for span in spans for run in self._pending.find(span)]

    def _settled(self, spans: Sequence[Span]) -> Iterator[list[Run]]:
        for span in spans:
            self._pending.find(span)
        return (self._pending.take(span) for span in spans)

    # Going another way
    def drop(self, count: int) -> list[Run]:
        """See `BackingQueue`."""
        stages, dropped = self._stages, []
        while count > 0 and len(stages):
            free = stages.q3.count - (1 if stages.delta.count else 0)
            runs = stages.q4.take(count, _ALL) or stages.q3.take(min(count, free), _ALL)
            if not runs:
                break
            dropped += runs
            count -= total(runs)
            stages.move_up()
        return self._hand_out([run.held(counted=False) for run in dropped])

    async def warm_victims(self) -> None:
        """See `BackingQueue`."""
        await self._warming.refill()
        self._done()

    def expire(self, now_ms: int) -> list[Run]:
        """See `BackingQueue`."""
        expired = self._expiring.take(now_ms)
        return self._hand_out([run.held(counted=False) for run in expired]) if expired else []

    async def expire_deep(self, now_ms: int) -> list[Run]:
        """See `BackingQueue`."""
        runs = await self._expiring.take_deep(now_ms)
        self._hand_out([run.held(counted=False) for run in runs])
        if 0 < self._stages.soonest <= now_ms:
            await self._warming.refill()
        return runs + self.expire(now_ms)

    def next_expiry(self) -> int:
        """See `BackingQueue`."""
        return self._expiring.next_time()

    async def purge(self) -> int:
        """See `BackingQueue`."""
        upto = self._intake.next_seq
        removed = await self._warming.purge(upto, lambda run: self._finish([run]))
        for queue in (self._stages.q4, self._stages.q3, self._stages.q2, self._stages.q1):
            runs = queue.take_until(upto)
            removed += total(runs)
            for run in runs:
                self._finish([run])
        await self._warming.refill()
        self._done()
        return removed

    # Looking
    async def contents_of(self, runs: Sequence[Run]) -> list[Run]:
        """See `BackingQueue`."""
        return await self._loader.contents(runs)

    def head(self) -> Run | None:
        """See `BackingQueue`."""
        head = self._stages.head
        return head.part(0, 1) if head else None

    def position(self, span: Span) -> int:
        """The sequence number."""
        return span.first

    async def browse(self, position: int, count: int, octets: int) -> Browsed:
        """See `BackingQueue`."""
        return await browse(self._stages, self._pending, self._loader, position, count, octets)

    def __len__(self) -> int:
        return len(self._stages)

    @property
    def octets(self) -> int:
        """See `BackingQueue`."""
        return self._stages.octets

    @property
    def unacked(self) -> int:
        """See `BackingQueue`."""
        return self._pending.count

    @property
    def unacked_octets(self) -> int:
        """See `BackingQueue`."""
        return self._pending.octets

    @property
    def ram_octets(self) -> int:
        """See `BackingQueue`."""
        octets = self._stages.ram_octets + self._pending.ram_octets + self._unsettled.octets
        return max(octets, self._index.unsaved_octets)

    def insides(self) -> list[Insides]:
        """See `BackingQueue`."""
        paging = self._paging
        return [insides_of(self._stages, self._rates, self._intake.next_seq, paging.ram_count, self.ram_octets)]

    # Memory
    def set_target(self, duration: float) -> None:
        """See `BackingQueue`."""
        self._rates.set_duration(duration)
        self._stages.warmed = -1
        self._paging.reduce_fully()
        self._done()

    @property
    def duration(self) -> float:
        """See `BackingQueue`."""
        rates = self._rates
        return self._paging.ram_count / rates.total if rates.total else inf

    def update_rates(self) -> None:
        """See `BackingQueue`."""
        self._rates.update()
        self._done()

    # Disk
    @property
    def checkpoint_due(self) -> bool:
        """See `BackingQueue`."""
        tight = self._paging.tight and self._index.unsaved_octets >= TIGHT_UNSAVED
        return tight or self._index.checkpoint_due

    def checkpoint(self) -> None:
        """See `BackingQueue`."""
        self._index.checkpoint()

    def mark(self, name: bytes, value: int) -> None:
        """See `BackingQueue`."""
        self._index.mark(name, value)

    def marks(self) -> dict[bytes, int]:
        """See `BackingQueue`."""
        return self._index.marks()

    async def unmarked(self) -> list[Run]:
        """See `BackingQueue`."""
        runs = [run for seqs in self._index.behind_marks() for run in await self._loader.stretch(seqs)]
        return await self._loader.contents(runs)

    def references(self) -> Iterator[tuple[bytes, int]]:
        """See `BackingQueue`."""
        return self._index.references()

    def close(self) -> None:
        """See `BackingQueue`."""
        self._index.close()

    def erase(self) -> None:
        """See `BackingQueue`."""
        stored = b"".join(id for id, _ in self._index.references())
        self._index.erase()
        for start in range(0, len(stored), ID_SIZE * LOAD):
            part = stored[start : start + ID_SIZE * LOAD]
            self._bodies.remove([part[at : at + ID_SIZE] for at in range(0, len(part), ID_SIZE)])

    def _lose(self, run: Run) -> None:
        """Messages whose contents cannot be read are set aside."""
        log.error("%d messages from %d on are damaged and set aside", len(run), run.first)
        self.lost += len(run)
        self._finish([run])

    # Order
    def check(self) -> None:
        """See `BackingQueue`."""
        check_insides(self._stages, self._pending, self._warming)

    def _done(self) -> None:
        """After each operation."""
        self._paging.reduce()
        if self._checked:
            self.check()
