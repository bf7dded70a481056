"""A backing queue over a real message store, on one disk; rounds as a store makes them."""

from contextlib import suppress

from backingqueues import contents, fetch
from fakeclock import FakeClock
from forebay.msgstore import Disk, MessageStore, MessageStoreError, Put, QueueIndex, StoreSettings
from forebay.store.backing.run import Arrival, spans_of
from forebay.store.backing.variablequeue import VariableQueue

FOLDER = "queues/q"
SMALL = StoreSettings(file_size=4096, reserve=0)


class QueueSite:
    """A queue, the stores under it, and their starts. Messages are numbered; `content` tells what each has."""

    def __init__(self, disk: Disk, settings: StoreSettings = SMALL, *, checked: bool = True) -> None:
        self.disk = disk
        self.settings = settings
        self.checked = checked
        self.clock = FakeClock()
        self.store: MessageStore | None = None
        self.passing: MessageStore | None = None
        self.queue: VariableQueue | None = None
        self.missing: list[bytes] = []
        """Ids that the queue counts on and the store has not, at the last start."""

    async def open(self) -> VariableQueue:
        self.store = MessageStore.open(self.disk, self.settings)
        self.passing = MessageStore.open(self.disk, self.settings, transient=True)
        index = QueueIndex(self.disk, FOLDER)
        self.queue = await VariableQueue.open(index, self.store, self.passing, self.clock, checked=self.checked)
        self.index = index
        if self.store.report.files and not self.store.report.clean:
            self.missing = self.store.recount(self.queue.references())
        return self.queue

    async def publish(self, arrivals: list[Arrival]) -> None:
        """A whole round: bodies, then the index, then visible."""
        stored = [Put(arrival.id, (arrival.content,)) for arrival in arrivals if not arrival.embedded]
        if stored:
            await self.store.put(stored)
        self.queue.publish(arrivals)
        self.settle()

    def settle(self) -> None:
        if batch := self.queue.take():
            self.queue.write(batch)
            self.queue.settle(batch)

    async def take(self, count: int) -> list[bytes]:
        """Fetch and acknowledge; the contents."""
        runs = await fetch(self.queue, count)
        self.queue.ack(spans_of(runs))
        self.settle()
        return contents(runs)

    async def drain(self) -> list[bytes]:
        return await self.take(len(self.queue))

    async def close(self) -> None:
        """Whatever its disk did to it."""
        for part in (self.queue, self.store, self.passing):
            if part is not None:
                with suppress(OSError, MessageStoreError):
                    part.close()
        self.queue = self.store = self.passing = None

    async def reopen(self, disk: Disk | None = None) -> VariableQueue:
        await self.close()
        self.disk = disk or self.disk
        return await self.open()


def content(number: int, size: int = 100) -> bytes:
    return (b"%d " % number).ljust(size, b".")


def arrivals(numbers, size: int = 100, *, embedded: bool = True) -> list[Arrival]:
    return [Arrival(content(n, size), n.to_bytes(16, "big"), embedded) for n in numbers]


def numbers(bodies: list[bytes]) -> list[int]:
    return [int(body.split()[0]) for body in bodies]
