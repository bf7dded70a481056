"""Backing queues under test, with the stores under them, and rounds as a store makes them."""

import asyncio
from collections.abc import Iterable, Sequence

from fakeclock import FakeClock
from forebay.msgstore import QueueIndex
from forebay.store.backing.priorityqueue import PriorityQueue
from forebay.store.backing.run import Arrival, Run, Span, spans_of
from forebay.store.backing.variablequeue import VariableQueue

FOLDER = "queues/q"
ALL = 1 << 40


class Shelf:
    """Bodies in memory; a `Bodies` that counts references and tells what went wrong."""

    def __init__(self) -> None:
        self.bodies: dict[bytes, bytes] = {}
        self.fetched = 0

    def put(self, id: bytes, body: bytes) -> None:
        self.bodies[id] = body

    async def fetch(self, ids: Sequence[bytes]) -> list[bytes | None]:
        await asyncio.sleep(0)
        self.fetched += len(ids)
        return [self.bodies.get(id) for id in ids]

    def remove(self, ids: Sequence[bytes]) -> None:
        for id in ids:
            del self.bodies[id]


class Stores:
    """What a queue needs under it."""

    def __init__(self, disk) -> None:
        self.disk = disk
        self.bodies = Shelf()
        self.passing = Shelf()
        self.clock = FakeClock()
        self.made = 0

    async def open(self, folder=FOLDER) -> VariableQueue:
        index = QueueIndex(self.disk, folder)
        return await VariableQueue.open(index, self.bodies, self.passing, self.clock, checked=True)

    async def open_levels(self, top: int) -> PriorityQueue:
        return PriorityQueue([await self.open(f"{FOLDER}/p{level}") for level in range(top + 1)])

    def arrival(self, *, size=10, embedded=True, persistent=True, expiry=0, priority=0) -> Arrival:
        self.made += 1
        id = self.made.to_bytes(16, "big")
        content = (b"%d " % self.made).ljust(size, b".")
        if not embedded:
            (self.bodies if persistent else self.passing).put(id, content)
        return Arrival(content, id, embedded, expiry, priority, persistent)

    def arrivals(self, count: int, **options) -> list[Arrival]:
        return [self.arrival(**options) for _ in range(count)]


def settle(queue) -> int:
    """A round: what happened becomes durable, then visible."""
    batch = queue.take()
    if batch is None:
        return 0
    queue.write(batch)
    return queue.settle(batch)


def publish(queue, arrivals) -> list[Span]:
    spans = queue.publish(arrivals)
    settle(queue)
    return spans


async def fetch(queue, count=1000, **options) -> list[Run]:
    """So many messages, from the disk where they must."""
    runs: list[Run] = []
    while count > 0 and len(queue):
        if queue.cold:
            await queue.warm()
        found = queue.fetch(count, ALL, **options)
        count -= sum(map(len, found))
        runs += found
    return runs


async def drain(queue) -> list[bytes]:
    """Contents of everything, acknowledged."""
    runs = await fetch(queue, len(queue))
    queue.ack(spans_of(runs))
    settle(queue)
    return contents(runs)


def contents(runs: Iterable[Run]) -> list[bytes]:
    return [content for run in runs for content in run.contents]


def seqs(runs: Iterable[Run]) -> list[int]:
    return [seq for run in runs for seq in run.seqs]


def deliveries(runs: Iterable[Run]) -> list[int]:
    return [times for run in runs for times in run.deliveries or [0] * len(run)]


def span(first, count=1, level=0) -> Span:
    return Span(level, first, count)


def stages(queue) -> tuple[int, int, int, int, int]:
    """q1, q2, delta, q3, q4."""
    (insides,) = queue.insides()
    return insides.q1, insides.q2, insides.delta, insides.q3, insides.q4
