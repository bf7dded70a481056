"""The overflow: jobs for which the queue has no room wait in a stream of Redis, and come back in their order."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import structlog

from forebay.announcer.lasting.digest import NO_DIGEST, digest_of
from forebay.announcer.lasting.jobcodec import Times, decode, encode
from forebay.announcer.lasting.waitinglist import WaitingList
from forebay.spill import Kind, SpillFullError

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.announcer.forwarding.dispatcher import Dispatcher
    from forebay.announcer.forwarding.job import Job
    from forebay.runtime.clock import Clock
    from forebay.spill import Entry, Spill
    from forebay.spill.tenure import Tenure

OWNER = "overflow"
BATCH = 1000
"""Most jobs that are written, or read, at once."""
MOST_PUT = 10_000
"""Most jobs that are not written yet; a job is some 1000 octets of memory."""
REFILL = 10
"""What part of the queue must be free before more is read: a tenth, so that reading is worth its while."""

log = structlog.stdlib.get_logger(__name__)


class _Returned(NamedTuple):
    job: Job
    entry: bytes
    """Its id in the stream."""


class OverflowStream:
    """Jobs pass through three places: those just put, the stream, and those just read, which the queue takes next.

    It takes none while Redis is away or full: then the queue's own rules hold.
    """

    def __init__(self, dispatcher: Dispatcher, spill: Spill, clock: Clock, signal: Callable[[], None]) -> None:
        """`signal` is called when there is something to write."""
        self.enabled = False
        """Whether it takes jobs at all. What waits comes back in any case."""
        self.usable = False
        """Whether the lease is held, and Redis answered last time."""
        self._dispatcher = dispatcher
        self._spill = spill
        self._spool = spill.spool(OWNER)
        self._clock = clock
        self._signal = signal
        self._list = WaitingList(dispatcher.settings.schedule_size)
        self._put: deque[Job] = deque()
        # As of the last answer of Redis: it is asked at each announce.
        self._stored = 0
        self._read: deque[_Returned] = deque()
        self._done: list[bytes] = []

    @property
    def is_open(self) -> bool:
        """Whether it takes jobs now."""
        room = len(self._put) < MOST_PUT
        return self.enabled and self.usable and room and self._spill.available and not self._spill.full

    @property
    def is_empty(self) -> bool:
        """Whether none waits."""
        return not (self._put or self._stored or self._read)

    @property
    def unsettled(self) -> bool:
        """Whether a restart would lose jobs, or bring back once more what was brought back already."""
        return bool(self._done or self._put)

    @property
    def tenure(self) -> Tenure:
        """The lease."""
        return self._spool.tenure

    def __len__(self) -> int:
        """Jobs that wait, and that Redis has confirmed: those just put may yet be lost."""
        return self._stored + len(self._read)

    def put(self, job: Job) -> None:
        """Let a job wait, unless the same is known to wait here already."""
        if self._list.add(job):
            self._put.append(job)
            self._signal()

    def stopped(self, info_hash: bytes, peer_id: bytes, now: float) -> None:
        """A client has stopped: what it has waiting here is not to be sent."""
        self._list.stop(info_hash, peer_id, now)

    async def load(self) -> None:
        """Take the stream over. Raises `SpillError`, as all that follows."""
        await self._spool.load()
        # What had been read is read again, since the checkpoint has not passed it.
        self._read.clear()
        self._done.clear()
        self._count()

    async def round(self) -> None:
        """Bring back what finds room, and write what was put. What was brought back before is safe by now."""
        self._list.most = self._dispatcher.settings.schedule_size
        await self._acknowledge()
        self._count()
        self._requeue()
        if self._wants_more():
            await self._fetch()
            self._requeue()
        if self.is_empty:
            self._list.clear()
        for _ in range(0, len(self._put), BATCH):
            await self._store()

    async def flush(self) -> None:
        """Write what was put, and how far the stream is settled, before the end."""
        while self._put:
            await self._store()
        await self._acknowledge()
        await self._spool.release()

    async def _acknowledge(self) -> None:
        if self._done:
            done, self._done = self._done, []
            self._spool.ack(done)
            await self._spool.checkpoint()

    def _requeue(self) -> None:
        """Queue what was read, and, when nothing is stored before it, what was put."""
        now, woken = self._clock.monotonic(), False
        while self._read and self._bring_back(self._read[0].job, now):
            self._done.append(self._read.popleft().entry)
            woken = True
        while not self._read and not self._stored and self._put and self._bring_back(self._put[0], now):
            self._put.popleft()
            woken = True
        if woken:
            self._dispatcher.wake()

    def _bring_back(self, job: Job, now: float) -> bool:
        if not self._dispatcher.jobs.queue.room:
            return False
        if self._list.remove(job):
            return self._dispatcher.bring_back(job, now)
        self._dispatcher.jobs.counters.cancelled += 1
        return True

    def _wants_more(self) -> bool:
        queue = self._dispatcher.jobs.queue
        return self._stored > 0 and not self._read and queue.room * REFILL >= queue.capacity

    async def _fetch(self) -> None:
        """Read on in the stream."""
        count = min(BATCH, self._dispatcher.jobs.queue.room)
        entries = await self._spool.read(count)
        if not entries and (await self._spool.promote(0)).done:
            entries = await self._spool.read(count)
        self._count()
        times = Times(self._clock.monotonic(), self._clock.wall())
        for entry in entries:
            self._receive(entry, times)

    def _receive(self, entry: Entry, times: Times) -> None:
        try:
            job, digest = decode(entry.data, times)
        except ValueError as error:
            log.warning("a job in Redis is damaged, and dropped", owner=OWNER, problem=str(error))
        else:
            forwarder = self._dispatcher.forwarders.get(job.forwarder)
            if forwarder is not None and digest_of(forwarder.spec) == digest:
                self._read.append(_Returned(job, entry.id))
                return
        self._done.append(entry.id)

    async def _store(self) -> None:
        """Write some of those that were put."""
        batch = list(islice(self._put, BATCH))
        times = Times(self._clock.monotonic(), self._clock.wall())
        try:
            await self._spool.append(Kind.BACKLOG, [self._encode(job, times) for job in batch])
        except SpillFullError as error:
            self._forget(error.appended)
            raise
        self._forget(len(batch))

    def _encode(self, job: Job, times: Times) -> bytes:
        forwarder = self._dispatcher.forwarders.get(job.forwarder)
        return encode(job, digest_of(forwarder.spec) if forwarder else NO_DIGEST, times)

    def _forget(self, number: int) -> None:
        """So many of those that were put are stored now."""
        self._count()
        for _ in range(number):
            self._put.popleft()

    def _count(self) -> None:
        self._stored = max(0, self._spool.unread)
