"""A queue at work: messages in, to consumers, and out; its part in the rounds; and its chores."""

import asyncio
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING

import structlog

from forebay.runtime.clock import Clock
from forebay.store.backing.arrivals import Arrivals
from forebay.store.backing.protocol import BackingQueue, Batch
from forebay.store.backing.run import Run, spans_of, total
from forebay.store.queueing import admission, deadletters
from forebay.store.queueing.admission import Admission
from forebay.store.queueing.counting import Counters
from forebay.store.queueing.dedup import Numbers
from forebay.store.queueing.delivering import Delivering
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.letterbox import Forward, Letterbox
from forebay.store.queueing.queuecore import QueueCore
from forebay.store.queueing.rounds import Rounds
from forebay.store.queueing.spec import QueueSpec
from forebay.store.queueing.ticket import CONFIRMED, DUPLICATE, REFUSED, Share, Ticket
from forebay.store.queueing.timer import Timer
from forebay.store.queueing.trimming import Trimming

if TYPE_CHECKING:
    from forebay.store.queueing.waiting import Waiter

log = structlog.stdlib.get_logger(__name__)


class LiveQueue:
    """One queue from its start to its end or its crash; a `Member` of the rounds.

    What goes wrong in a call of the rounds, a timer or a dead letter ends in `crash`. Other calls raise it: their
    caller has to `crash` it then.
    """

    def __init__(
        self,
        spec: QueueSpec,
        backing: BackingQueue,
        counters: Counters,
        clock: Clock,
        rounds: Rounds,
        forward: Forward,
    ) -> None:
        self._rounds = rounds
        self._stirred = asyncio.Event()
        self._failure: Exception | None = None
        self._ended = False
        self._numbers = Numbers()
        self._round: list[Waiter] = []
        self._taken = (0, 0)
        """Messages and octets that the round has, of those that arrived."""
        self._used = clock.monotonic()
        self._duration = inf
        self._timer = Timer(clock, self._stirred.set)
        self.core = QueueCore(
            spec,
            backing,
            counters,
            clock,
            touched=lambda: rounds.add(self),
            touched_soon=lambda: rounds.add_soon(self),
            stirred=self._stirred.set,
        )
        self._letterbox = Letterbox(self.core, forward, self._guarded)
        self._trimming = Trimming(self.core, self._letterbox)
        self.delivering = Delivering(self.core, self._letterbox, self._trimming.trim)

    async def recover(self) -> None:
        """Learn from the disk which messages of named publishers it has."""
        backing = self.core.backing
        for name, number in backing.marks().items():
            self._numbers.restore(name, number)
        for content in (content for run in await backing.unmarked() for content in run.contents or ()):
            name, number = deadletters.origin(content)
            if name:
                self._numbers.restore(name, number)
        self._trimming.largest = backing.octets
        self._stirred.set()

    def change(self, spec: QueueSpec) -> None:
        """It is to be another from now on; what came in keeps its expiry."""
        self.core.spec = spec
        self.delivering.consumers.set_single(spec.single_active_consumer)
        self._trimming.trim()
        self.delivering.serve()
        self._stirred.set()

    # In
    def admit(self, intake: Intake, positions: Sequence[int], name: bytes, first: int) -> Admission:
        """Say what would become of messages of a batch; changes nothing."""
        core = self.core
        known = self._numbers.known(name, first, positions) if name else frozenset()
        takers = self.delivering.consumers.takers
        return admission.admit(core.spec, intake, positions, known=known, standing=core.standing, takers=takers)

    def enter(self, arrivals: Arrivals, admitted: Admission, intake: Intake, ticket: Ticket) -> None:
        """Take in what was admitted, and tell the ticket of all."""
        core, counters = self.core, self.core.counters
        if self._unused_for() >= 0:
            # It was emptied, or had nothing to lose: from here on it is a fresh one.
            self.use()
        if arrivals:
            core.backing.publish(arrivals)
            core.arriving += len(arrivals)
            core.arriving_octets += sum(arrivals.sizes)
            self._trimming.largest = max(self._trimming.largest, intake.largest)
            counters.published += len(arrivals)
            self._promise(ticket, admitted.kept, CONFIRMED)
        if admitted.duplicates:
            counters.duplicates += len(admitted.duplicates)
            self._promise(ticket, admitted.duplicates, DUPLICATE)
        if admitted.expired:
            counters.published += len(admitted.expired)
            counters.expired += len(admitted.expired)
            ticket.note(admitted.expired, CONFIRMED)
            self._pass_on(intake, admitted.expired, deadletters.EXPIRED, ticket)
        if admitted.refused:
            counters.refused += len(admitted.refused)
            ticket.note(admitted.refused, REFUSED, admitted.reason)
            if core.spec.overflow == "reject-publish-dead-letter":
                self._pass_on(intake, admitted.refused, deadletters.MAXLEN, ticket)

    def number(self, name: bytes, first: int, admitted: Admission) -> None:
        """Note which messages of a named publisher were admitted; first: number of that at position 0."""
        if not admitted.broken:
            if admitted.refused:
                self._numbers.refuse(name, [first + position for position in admitted.refused])
            for taken in (admitted.kept, admitted.expired):
                self._numbers.take(name, first, taken)
            self.core.touch()

    def _promise(self, ticket: Ticket, positions: Sequence[int], outcome: int) -> None:
        """An outcome that is true after the next round. A duplicate waits too: the first may not be safe yet."""
        ticket.note(positions, outcome)
        ticket.wait()
        self.core.wait(Share(ticket, positions))

    def _pass_on(self, intake: Intake, positions: Sequence[int], reason: deadletters.Reason, ticket: Ticket) -> None:
        ticket.wait()
        self._letterbox.lose_contents([intake.contents[position] for position in positions], reason, ticket.close)

    # Rounds
    def take(self) -> Batch | None:
        """See `Member`."""
        batch: Batch | None = None

        def work() -> None:
            nonlocal batch
            core = self.core
            for name, number in self._numbers.news().items():
                core.backing.mark(name, number)
            self._round += core.waiting
            core.waiting = []
            self._taken = (core.arriving, core.arriving_octets)
            batch = core.backing.take()

        self._guarded(work)
        return batch

    def write(self, batch: Batch, *, sync: bool) -> None:
        """See `Member`."""
        self.core.backing.write(batch, sync=sync)

    def settle(self, batch: Batch | None) -> None:
        """See `Member`."""
        self._guarded(lambda: self._settle(batch))

    def _settle(self, batch: Batch | None) -> None:
        core = self.core
        self.delivering.expire()
        became_ready = core.backing.settle(batch) if batch else 0
        count, octets = self._taken
        core.arriving -= count
        core.arriving_octets -= octets
        self._taken = (0, 0)
        told, self._round = self._round, []
        for waiter in told:
            waiter.kept()
        if became_ready:
            self._trimming.trim()
            self.delivering.serve()
            self._arm()

    @property
    def unsynced(self) -> bool:
        """See `Member`."""
        return self.core.backing.unsynced

    def sync(self) -> None:
        """See `Member`."""
        self.core.backing.sync()

    @property
    def checkpoint_due(self) -> bool:
        """See `Member`."""
        return not (self._failure or self._ended) and self.core.backing.checkpoint_due

    def checkpoint(self) -> None:
        """See `Member`."""
        self.core.backing.checkpoint()

    @property
    def failed(self) -> bool:
        """It has crashed, and is about to end."""
        return self._failure is not None

    # The end
    def crash(self, error: Exception) -> None:
        """An exception came out of this queue: `work` ends with it."""
        if self._failure is None:
            self._failure = error
        self._rounds.leave(self)
        self._stirred.set()

    def end(self, reason: str) -> None:
        """Tell all who wait that they wait in vain."""
        self._ended = True
        self._timer.cancel()
        self._rounds.leave(self)
        told, self._round, self.core.waiting = [*self._round, *self.core.waiting], [], []
        for waiter in told:
            waiter.failed(reason)

    def _guarded(self, work: Callable[[], None]) -> None:
        if self._failure is None and not self._ended:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the failure is the queue's alone
                self.crash(error)

    def pace(self, duration: float) -> None:
        """Renew the averages; keep in memory what comes and goes in so many seconds."""
        self._guarded(lambda: self._pace(duration))

    def _pace(self, duration: float) -> None:
        self.core.backing.update_rates()
        if duration != self._duration:
            self._duration = duration
            self.core.backing.set_target(duration)
            self.core.touch()

    # Calls
    def use(self) -> None:
        """Somebody uses the queue."""
        self._used = self.core.clock.monotonic()

    async def get(self, count: int, octets: int) -> list[Run]:
        """Take messages from the head; they are acknowledged, which is safe after the next round."""
        self.use()
        core, taken = self.core, list[Run]()
        try:
            while total(taken) < count and octets > 0 and len(core.backing):
                self.delivering.expire()
                if core.backing.cold:
                    await core.backing.warm()
                runs = core.backing.fetch(count - total(taken), octets, counted=False)
                octets -= sum(run.octets for run in runs)
                taken += self.delivering.within_limit(runs)
        except asyncio.CancelledError:
            core.backing.requeue(spans_of(taken))
            self.delivering.serve()
            raise
        core.counters.delivered += total(taken)
        core.counters.acked += total(taken)
        core.ack(spans_of(taken))
        return taken

    async def purge(self) -> int:
        """Remove what is ready; how many messages."""
        removed = await self.core.backing.purge()
        self.core.counters.purged += removed
        self.core.touch()
        return removed

    # Chores
    async def work(self) -> None:
        """Do what has to wait for the disk or for a time, for ever. Raises what the queue crashes by."""
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            if self._failure:
                raise self._failure
            await self._expire_deep()
            await self._trimming.trim_deep()
            await self._letterbox.send()
            await self._warm()
            await self._empty_unused()
            self._arm()

    async def _expire_deep(self) -> None:
        core = self.core
        self.delivering.expire()
        now = core.now_ms
        if 0 < core.backing.next_expiry() <= now and not self._letterbox.busy:
            runs = await core.backing.expire_deep(now)
            core.counters.expired += total(runs)
            self._letterbox.lose(runs, deadletters.EXPIRED)
            self._stirred.set()

    async def _warm(self) -> None:
        backing = self.core.backing
        if (backing.cooling or backing.cold) and len(self.delivering.consumers):
            await backing.warm()
            self.delivering.serve()

    async def _empty_unused(self) -> None:
        """A queue that nobody uses loses its messages; the queue itself stays."""
        core = self.core
        if len(self.delivering.consumers):
            self.use()
        elif self._unused_for() >= 0 and len(core.backing):
            core.counters.expired += await core.backing.purge()
            core.touch()
            self.use()
            log.info("queue was not used and is emptied", queue=core.spec.name)

    def _unused_for(self) -> float:
        """Seconds since it is to be emptied; below 0: it is not yet."""
        expires = self.core.spec.expires_ms
        return -1.0 if expires is None else self.core.clock.monotonic() - self._used - expires / 1000

    def _arm(self) -> None:
        """Wake up when the next thing is due."""
        core = self.core
        if next_expiry := core.backing.next_expiry():
            self._timer.set((next_expiry + 1) / 1000 - core.clock.wall())
        if (again := self._letterbox.retry_in()) is not None:
            self._timer.set(again)
        if core.spec.expires_ms is not None and len(core.backing) and not len(self.delivering.consumers):
            self._timer.set(max(0.0, -self._unused_for()))
