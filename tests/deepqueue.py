"""A queue of very many messages in a process of its own: deepqueue.py FOLDER COUNT embedded|stored.

Publishes them without memory to keep them in, starts anew, and takes them all. Tells by how many KiB its own memory
grew at most in each of these.
"""

import asyncio
import sys
from pathlib import Path

from backingqueues import contents, settle
from forebay.msgstore import DiskIndex, MessageStore, Put, QueueIndex, RealDisk, StoreSettings
from forebay.runtime.clock import SystemClock
from forebay.store.backing.run import Arrival, spans_of
from forebay.store.backing.variablequeue import VariableQueue

BATCH = 1000
SIZE = 200
OCTETS = 1 << 20


def own_memory() -> int:
    """KiB that the system can't take back."""
    return int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0])


class Growth:
    """The most that memory grew since the beginning."""

    def __init__(self) -> None:
        self.before = own_memory()
        self.most = 0

    def look(self) -> None:
        self.most = max(self.most, own_memory() - self.before)


def content(number: int) -> bytes:
    return (b"%d " % number).ljust(SIZE, b".")


class DeepQueue:
    def __init__(self, folder: Path) -> None:
        self.disk = RealDisk(folder)
        self.folder = folder

    async def open(self) -> None:
        settings = StoreSettings(reserve=0)
        self.store = MessageStore.open(self.disk, settings, index=lambda: DiskIndex(self.folder / "places"))
        loop = asyncio.get_running_loop()
        self.index = await loop.run_in_executor(None, QueueIndex, self.disk, "queues/q")
        self.queue = await VariableQueue.open(self.index, self.store, self.store, SystemClock())
        self.queue.set_target(0)

    async def publish(self, count: int, growth: Growth, *, embedded: bool) -> None:
        for first in range(0, count, BATCH):
            arrivals = [
                Arrival(content(n), n.to_bytes(16, "big"), embedded) for n in range(first, min(first + BATCH, count))
            ]
            if not embedded:
                await self.store.put([Put(arrival.id, (arrival.content,)) for arrival in arrivals])
            self.queue.publish(arrivals)
            self.round()
            growth.look()

    async def drain(self, growth: Growth) -> int:
        """Take all, in order; how many there were."""
        expected = 0
        while len(self.queue):
            if self.queue.cold:
                await self.queue.warm()
            runs = self.queue.fetch(BATCH, OCTETS)
            for found in contents(runs):
                assert int(found.split()[0]) == expected
                expected += 1
            self.queue.ack(spans_of(runs))
            self.round()
            growth.look()
        return expected

    def round(self) -> None:
        batch = self.queue.take()
        if batch:
            self.queue.write(batch, sync=False)
            self.queue.settle(batch)
        if self.queue.checkpoint_due:
            self.queue.checkpoint()

    def close(self) -> None:
        settle(self.queue)
        self.queue.close()
        self.store.close()


async def main(folder: Path, count: int, *, embedded: bool) -> None:
    deep = DeepQueue(folder)
    await deep.open()
    publishing = Growth()
    await deep.publish(count, publishing, embedded=embedded)
    assert len(deep.queue) == count
    deep.close()
    starting = Growth()
    await deep.open()
    starting.look()
    assert len(deep.queue) == count
    draining = Growth()
    assert await deep.drain(draining) == count
    deep.close()
    sys.stdout.write(f"{publishing.most} {starting.most} {draining.most}\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), embedded=sys.argv[3] == "embedded"))
