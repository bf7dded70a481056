"""Keeps a dispatcher's jobs in Redis, so that they are there after a restart.

Queued, scheduled and running jobs are rows of a timetable; those for which the queue has no room wait in a stream.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import structlog

from forebay.announcer.lasting.changes import Changes
from forebay.announcer.lasting.digest import NO_DIGEST, digest_of
from forebay.announcer.lasting.jobcodec import Times, decode, due, encode, key_of
from forebay.announcer.lasting.overflowstream import OverflowStream
from forebay.spill import LeaseLostError, Row, SpillError

if TYPE_CHECKING:
    from forebay.announcer.forwarding.dispatcher import Dispatcher
    from forebay.announcer.forwarding.job import Job, PendingKey
    from forebay.announcer.lasting.changes import Batch
    from forebay.runtime.clock import Clock
    from forebay.spill import Spill

OWNER = "jobs"
BATCH = 1000
"""Most changes written at once: they take some 5 ms to make, and clients wait so long."""
PACE = 0.01
"""Seconds between two rounds of writing; what comes and goes within one is never written."""
REST = 2
"""Times as long as a round took, others have the machine; then comes the next one if workers wait for it."""
LOOK = 1.0
"""Seconds after which it is looked whether the lease is still held, though there is nothing to write."""
PAUSE = 0.5
"""Seconds until Redis is tried again."""
PATIENCE = 5.0
"""Seconds that the last writing may take."""
LOADING = "jobs of before are not loaded yet: another process has the lease on them, or had it until lately"

log = structlog.stdlib.get_logger(__name__)


class JobKeeper:
    """One for a dispatcher, made within a running event loop. It is the dispatcher's watcher and its overflow."""

    def __init__(self, dispatcher: Dispatcher, spill: Spill, clock: Clock, *, overflow: bool) -> None:
        self._dispatcher = dispatcher
        self._spill = spill
        self._clock = clock
        self._timetable = spill.timetable(OWNER)
        self._work = asyncio.Event()
        self._stream = OverflowStream(dispatcher, spill, clock, self._work.set)
        self._changes = Changes()
        self._settled: asyncio.Future[None] | None = None
        self._problem = LOADING
        self._loaded = False
        self.overflow = overflow
        dispatcher.jobs.watcher = self
        dispatcher.overflow = self._stream

    @property
    def overflow(self) -> bool:
        """Whether jobs for which the queue has no room wait in Redis; may be changed at any time."""
        return self._stream.enabled

    @overflow.setter
    def overflow(self, enabled: bool) -> None:
        self._stream.enabled = enabled

    @property
    def problem(self) -> str:
        """Why Redis cannot be used now; empty while it can."""
        return self._spill.problem or self._problem

    @property
    def spilled(self) -> int:
        """Jobs that wait in Redis for room in the queue."""
        return len(self._stream)

    def kept(self, job: Job) -> None:
        """A job is like this now."""
        self._changes.kept(job)
        self._work.set()

    def gone(self, key: PendingKey) -> None:
        """There is no such job any more."""
        self._changes.gone(key)
        self._work.set()

    async def settle(self) -> None:
        """Return once all that was told is written, or Redis cannot be used."""
        if self._stream.usable and (self._changes or self._stream.unsettled):
            if self._settled is None:
                self._settled = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._settled)

    async def run(self) -> NoReturn:
        """Take the lease, load what lay there, then keep all in step until cancelled."""
        while True:
            try:
                if not self._spill.available:
                    self._give_up(self._spill.problem)
                    await self._spill.ready()
                if not self._loaded:
                    await self._load()
                await self._round()
            except SpillError as error:
                self._fail(error)
                await self._clock.sleep(PAUSE)

    async def close(self) -> None:
        """Write what is not written yet, and give the leases back. `run` has been cancelled by now."""
        try:
            async with asyncio.timeout(PATIENCE if self._spill.available else 0):
                if not self._loaded:
                    await self._load()
                await self._write()
                await self._stream.flush()
                await self._timetable.release()
        except (SpillError, TimeoutError) as error:
            log.warning("jobs are left in Redis as they were written last", problem=str(error) or self.problem)
        self._loaded = self._stream.usable = False

    def _fail(self, error: SpillError) -> None:
        self._give_up(str(error))
        if isinstance(error, LeaseLostError):
            self._loaded = False

    def _give_up(self, problem: str) -> None:
        """Nothing can be written for now: nobody waits for it."""
        if self._stream.usable:
            log.warning("jobs cannot be kept in Redis now", problem=problem)
        self._stream.usable = False
        self._problem = problem
        self._release(self._settled)
        self._settled = None

    @staticmethod
    def _release(waiting: asyncio.Future[None] | None) -> None:
        if waiting is not None:
            waiting.set_result(None)

    async def _load(self) -> None:
        """Take over what lies there, and have all jobs of this process written that are not there."""
        self._problem = LOADING
        await self._timetable.load()
        await self._stream.load()
        rows: set[PendingKey] = set()
        restored = 0
        async for page in self._timetable.rows():
            restored += self._adopt(page, rows)
        self._changes.begin_again(rows, self._dispatcher.jobs)
        self._loaded = True
        log.info("jobs loaded from Redis", restored=restored, spilled=len(self._stream))

    def _adopt(self, page: list[Row], rows: set[PendingKey]) -> int:
        """Restore jobs, and mark rows that nobody wants; how many were restored."""
        times, restored = self._times(), 0
        for row in page:
            try:
                job, digest = decode(row.value, times)
            except ValueError as error:
                log.warning("a job in Redis is damaged, and left alone", key=row.key.hex(), problem=str(error))
                continue
            key = job.pending_key
            rows.add(key)
            self._changes.found(key)
            if key in self._changes or key in self._dispatcher.jobs.pending:
                continue
            if self._restore(job, digest, times):
                restored += 1
            else:
                self._changes.strike(key)
        self._dispatcher.wake()
        return restored

    def _restore(self, job: Job, digest: bytes, times: Times) -> bool:
        forwarder = self._dispatcher.forwarders.get(job.forwarder)
        if forwarder is None or digest_of(forwarder.spec) != digest:
            return False
        return self._dispatcher.restore(job, times.monotonic)

    async def _round(self) -> None:
        """Write once there is something to write, and bring back what finds room."""
        if not await self._something():
            return
        settled, self._settled = self._settled, None
        began = self._clock.monotonic()
        try:
            await self._write()
            await self._stream.round()
        finally:
            self._release(settled)
        self._stream.usable = True
        self._problem = ""
        await self._clock.sleep(min(PACE, REST * (self._clock.monotonic() - began)))
        if self._settled is None:
            await self._clock.sleep(PACE)

    async def _something(self) -> bool:
        """Wait for something to do; False when there was nothing for long.

        Raises `LeaseLostError` when another has taken over.
        """
        found = bool(self._changes or self._stream.unsettled) or not (self._stream.is_empty and self._stream.usable)
        if not found:
            self._work.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    found = await self._work.wait()
        self._timetable.tenure.require()
        self._stream.tenure.require()
        return found

    async def _write(self) -> None:
        """Write the changes that there are."""
        for _ in range(0, len(self._changes), BATCH):
            batch = self._changes.take(BATCH)
            try:
                await self._write_batch(batch)
            except BaseException:
                self._changes.failed(batch)
                raise
            self._changes.written(batch)

    async def _write_batch(self, batch: Batch) -> None:
        times = self._times()
        rows = [self._row(job, times) for job in batch.values() if job is not None]
        await self._timetable.change(rows, [key_of(key) for key, job in batch.items() if job is None])

    def _row(self, job: Job, times: Times) -> Row:
        forwarder = self._dispatcher.forwarders.get(job.forwarder)
        digest = digest_of(forwarder.spec) if forwarder else NO_DIGEST
        return Row(key_of(job.pending_key), due(job, times), encode(job, digest, times))

    def _times(self) -> Times:
        return Times(self._clock.monotonic(), self._clock.wall())
