"""What a message costs in a backing queue: python -m bench.backing_bench

CPU and wall time of publish, write, settle, fetch and acknowledge, with a disk in memory that is never synced; and how
long a start after a crash takes with a million messages.
"""

import asyncio
import sys
import time
from itertools import pairwise
from tempfile import TemporaryDirectory

from bench.common import MEMORY_DISK
from forebay.msgstore import MessageStore, Put, QueueIndex, RealDisk
from forebay.runtime.clock import SystemClock
from forebay.store.backing.run import Arrival, spans_of
from forebay.store.backing.variablequeue import VariableQueue

OCTETS = 1 << 30
MESSAGES = 200_000
RECOVERED = 1_000_000
RECOVERY = ("message files", "queue", "references")
STAGES = ("publish", "write", "settle", "fetch", "ack", "checkpoint")


class NoBodies:
    """A message store that is not what is measured."""

    async def fetch(self, ids):
        return [b"" for _ in ids]

    def remove(self, ids):
        pass


def arrivals(count, *, embedded):
    body = bytes(1024)
    return [Arrival(body + i.to_bytes(4, "big"), i.to_bytes(16, "big"), embedded) for i in range(count)]


async def measure(batch, *, embedded, folder):
    """Microseconds of this process's CPU a message, in all and for each stage."""
    index = QueueIndex(RealDisk(folder), f"{batch}-{embedded}")
    queue = await VariableQueue.open(index, NoBodies(), NoBodies(), SystemClock())
    messages = arrivals(batch, embedded=embedded)
    spent = dict.fromkeys(STAGES, 0.0)

    def timed(stage, work, *args, **options):
        begun = time.thread_time()
        result = work(*args, **options)
        spent[stage] += time.thread_time() - begun
        return result

    for _ in range(MESSAGES // batch):
        timed("publish", queue.publish, messages)
        taken = queue.take()
        timed("write", queue.write, taken, sync=False)
        timed("settle", queue.settle, taken)
        runs = timed("fetch", queue.fetch, batch, OCTETS)
        timed("ack", queue.ack, spans_of(runs))
        if queue.checkpoint_due:
            timed("checkpoint", queue.checkpoint)
    queue.close()
    return {stage: seconds / MESSAGES * 1e6 for stage, seconds in spent.items()}


async def drain(folder):
    """Messages a second from disk, and the seconds that recovery took."""
    name = "drain"
    index = QueueIndex(RealDisk(folder), name)
    queue = await VariableQueue.open(index, NoBodies(), NoBodies(), SystemClock())
    messages = arrivals(500, embedded=True)
    for _ in range(MESSAGES // 500):
        queue.publish(messages)
        taken = queue.take()
        queue.write(taken, sync=False)
        queue.settle(taken)
        if queue.checkpoint_due:
            queue.checkpoint()
    queue.close()
    begun = time.perf_counter()
    index = QueueIndex(RealDisk(folder), name)
    recovered = time.perf_counter()
    queue = await VariableQueue.open(index, NoBodies(), NoBodies(), SystemClock())
    while len(queue):
        if queue.cold:
            await queue.warm()
        queue.ack(spans_of(queue.fetch(500, OCTETS)))
        if (taken := queue.take()) is not None:
            queue.write(taken, sync=False)
            queue.settle(taken)
        if queue.checkpoint_due:
            queue.checkpoint()
    drained = time.perf_counter()
    queue.close()
    return MESSAGES / (drained - recovered), recovered - begun


async def recovery(folder, count, *, embedded):
    """Seconds, and seconds of CPU, that a start after a crash takes: message files, queue, references."""
    disk, name = RealDisk(folder), "q"
    store = MessageStore.open(disk)
    index = QueueIndex(disk, name)
    queue = await VariableQueue.open(index, store, store, SystemClock())
    queue.set_target(0)
    body = bytes(1024)
    for first in range(0, count, 1000):
        messages = [Arrival(body, n.to_bytes(16, "big"), embedded) for n in range(first, first + 1000)]
        if not embedded:
            await store.put([Put(message.id, (body,)) for message in messages])
        queue.publish(messages)
        taken = queue.take()
        queue.write(taken, sync=False)
        queue.settle(taken)
        if queue.checkpoint_due:
            queue.checkpoint()
    queue.close()
    store.close()
    for snapshot in (name for name in disk.names("persistent") if name.startswith("index")):
        disk.unlink(f"persistent/{snapshot}")
    times = [(time.perf_counter(), time.process_time())]
    store = MessageStore.open(disk)
    times.append((time.perf_counter(), time.process_time()))
    index = QueueIndex(disk, name)
    queue = await VariableQueue.open(index, store, store, SystemClock())
    times.append((time.perf_counter(), time.process_time()))
    missing = store.recount(queue.references()) if store.report.files else []
    times.append((time.perf_counter(), time.process_time()))
    assert (len(queue), missing) == (count, [])
    queue.close()
    store.close()
    return [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise(times)]


async def main():
    with TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None) as folder:
        for embedded in (True, False):
            for batch in (1, 100, 500):
                costs = await measure(batch, embedded=embedded, folder=folder)
                parts = " ".join(f"{stage}={cost:.2f}" for stage, cost in costs.items())
                kind = "embedded" if embedded else "stored"
                print(
                    f"backing {kind} 1 KB, {batch} a batch: {sum(costs.values()):.2f} us a message: {parts}", flush=True
                )
        rate, seconds = await drain(folder)
        print(f"backing drain from disk: {rate:,.0f}/s; recovery of {MESSAGES:,}: {seconds:.2f} s")
    for embedded in (True, False):
        with TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None) as folder:
            parts = await recovery(folder, RECOVERED, embedded=embedded)
        kind = "embedded" if embedded else "stored"
        each = ", ".join(
            f"{what} {wall:.2f} (CPU {cpu:.2f})" for what, (wall, cpu) in zip(RECOVERY, parts, strict=True)
        )
        print(f"backing recovery of {RECOVERED:,} {kind}: {sum(wall for wall, _ in parts):.2f} s: {each}", flush=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
