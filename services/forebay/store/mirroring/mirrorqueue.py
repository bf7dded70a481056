"""The queue of a primary: what happens to it is also told to the mirrors."""

import asyncio
from collections.abc import Iterator, Sequence

from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.store.backing.protocol import BackingQueue, Batch
from forebay.store.backing.proxy import QueueProxy
from forebay.store.backing.run import Arrival, Run, Span, spans_of, total
from forebay.store.mirroring import changes

COPY_COUNT = 1000
COPY_OCTETS = 1 << 20
"""Messages, and octets of them, that a new mirror is sent at once; but one."""


class MirrorQueue(QueueProxy):
    """Wraps any backing queue, one with priorities too. `told` gets what happens, in its order."""

    def __init__(self, under: BackingQueue, uid: str, told: list[pb.QueueChange]) -> None:
        super().__init__(under)
        self.uid = uid
        self._told = told
        self._done: list[Span] | None = None
        """What was acknowledged while a copy is made."""
        self._came = self._taken = self._settled = 0
        """Calls of `publish`: all, those that the last round covers, and those whose messages are in the queue."""
        self._settling = asyncio.Event()
        self._gone = False
        told.append(self.opened())

    def opened(self) -> pb.QueueChange:
        """What a mirror must know before anything else."""
        return changes.opened(self.uid, self._under.insides())

    def publish(self, arrivals: Sequence[Arrival]) -> list[Span]:
        """See `BackingQueue`."""
        spans = self._under.publish(arrivals)
        self._told.extend(changes.published(self.uid, spans, arrivals))
        self._came += 1
        return spans

    def take(self) -> Batch | None:
        """See `BackingQueue`."""
        batch = self._under.take()
        self._taken = self._came
        if batch is None:
            self._arrived()
        return batch

    def settle(self, batch: Batch) -> int:
        """See `BackingQueue`."""
        settled = self._under.settle(batch)
        self._arrived()
        return settled

    def _arrived(self) -> None:
        self._settled = self._taken
        self._settling.set()

    async def settled(self) -> None:
        """Wait until all messages that came up to now are in the queue, where a copy finds them.

        Those of a round that is under way are not, and whoever begins to follow meanwhile was not told of them.
        """
        came = self._came
        while self._settled < came and not self._gone:
            self._settling.clear()
            await self._settling.wait()

    def fetch(self, count: int, octets: int, *, counted: bool = True) -> list[Run]:
        """See `BackingQueue`."""
        runs = self._under.fetch(count, octets, counted=counted)
        if counted:
            self._told.extend(changes.delivered(self.uid, runs))
        return runs

    def ack(self, spans: Sequence[Span]) -> None:
        """See `BackingQueue`."""
        held = self._under.held(spans)
        self._under.ack(spans)
        self._told.extend(changes.acknowledged(self.uid, held))
        if self._done is not None:
            self._done += spans

    async def purge(self) -> int:
        """See `BackingQueue`; what is dropped is told by name."""
        removed, wanted = 0, len(self)
        while removed < wanted and len(self):
            runs = self.drop(wanted - removed)
            self.ack(spans_of(runs))
            removed += total(runs)
            if not runs:
                await self.warm_victims()
        return removed

    def forget(self) -> None:
        """It is gone for good: nothing of it is waited for."""
        self._gone = True
        self._settling.set()

    def mark(self, name: bytes, value: int) -> None:
        """See `BackingQueue`."""
        self._under.mark(name, value)
        self._told.append(changes.marked(self.uid, name, value))

    def copied_marks(self) -> list[pb.QueueChange]:
        """All small facts."""
        return [changes.marked(self.uid, name, value) for name, value in self.marks().items()]

    async def copy(self, position: int) -> tuple[list[Run], int]:
        """Messages from a position on, 0 for the first, to be sent to a new mirror at this very instant.

        Also returns the position from which to go on, 0 when these are the last. One copy at a time.
        """
        self._done = []
        try:
            browsed = await self._under.browse(position, COPY_COUNT, COPY_OCTETS)
            return list(_without(browsed.runs, self._done)), browsed.next
        finally:
            self._done = None


def _without(runs: Sequence[Run], gone: Sequence[Span]) -> Iterator[Run]:
    """The messages that none of the spans names."""
    for run in runs:
        places = bytearray(b"\1") * len(run)
        for level, first, count in gone:
            if level == run.level:
                start, stop = max(first, run.first) - run.first, min(first + count, run.last + 1) - run.first
                if start < stop:
                    places[start:stop] = bytes(stop - start)
        yield from _stretches(run, places)


def _stretches(run: Run, places: bytearray) -> Iterator[Run]:
    start = places.find(1)
    while start >= 0:
        stop = places.find(0, start)
        stop = len(places) if stop < 0 else stop
        yield run.part(start, stop)
        start = places.find(1, stop)
