"""A store under a load of two processes, one that publishes and one that consumes, each by `forebay.client.Store`.

Each is `python -m bench.storeload produce|consume ADDRESS LOAD`, LOAD as JSON. It prints a line of JSON a second.
"""

import asyncio
import gc
import json
import struct
import sys
import time
from dataclasses import asdict
from pathlib import Path

import uvloop

from bench.loads import PREFETCH, Load, Second
from eventually import eventually
from forebay.client import PublishSettings, Store, make_message
from forebay.client.publisher import Publisher

ADDRESS = "bench"
"""Of every message."""
STAMP = struct.Struct("<q")
"""When a message was published, in nanoseconds of the machine's monotonic clock: what each body begins with."""
BATCH = 250
"""Most messages that are made at once."""
TICK = 0.001
"""Seconds between looks at what the given rate asks for."""


def queues(count: int) -> dict[str, dict[str, object]]:
    """Specs of queues that are bound to `ADDRESS`, by name."""
    return {f"{ADDRESS}-{number}": {"bindings": [ADDRESS]} for number in range(count)}


async def recovered(address: str, count: int) -> None:
    """Wait until a queue has so many messages ready."""
    async with Store.connect(address) as store:

        async def ready() -> bool:
            return any(queue.ready == count for queue in await store.queues())

        await eventually(ready, within=300)


class Meter:
    """Counts messages, and prints what came of each second."""

    def __init__(self) -> None:
        self.count = self.counted = 0
        self.delays: list[int] = []
        self.begun = self.since = time.monotonic()

    async def run(self) -> None:
        """Print until cancelled."""
        while True:
            await asyncio.sleep(1)
            self.print()

    def print(self) -> None:
        now = time.monotonic()
        rate = (self.count - self.counted) / (now - self.since)
        self.delays.sort()
        p99 = self.delays[len(self.delays) * 99 // 100] / 1e6 if self.delays else 0.0
        print(json.dumps(Second(now - self.begun, rate, p99)._asdict()), flush=True)
        self.counted, self.since = self.count, now
        self.delays.clear()


class Producer:
    """Publishes until the time is over or all messages are confirmed."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.batch = max(1, min(BATCH, load.window // 4))
        self.padding = bytes(load.size - STAMP.size)
        self.sent = 0
        self.begun = time.monotonic()

    async def run(self, store: Store, meter: Meter) -> None:
        # A batch is let into the window as soon as there is room for one.
        settings = PublishSettings(window_messages=self.load.window - self.batch + 1)
        async with store.publisher(settings=settings) as publisher:
            while not self.over:
                if count := self.due():
                    await self.publish(publisher, count)
                else:
                    await asyncio.sleep(TICK)
                meter.count = publisher.tally.confirmed
            await publisher.flush()
            meter.count = publisher.tally.confirmed

    async def publish(self, publisher: Publisher, count: int) -> None:
        body = STAMP.pack(time.monotonic_ns()) + self.padding
        if self.load.window == 1:
            await publisher.publish(make_message(ADDRESS, body))
        else:
            await publisher.send([make_message(ADDRESS, body) for _ in range(count)])
        self.sent += count

    def due(self) -> int:
        """How many messages are to be published now."""
        most = min(self.batch, self.load.messages - self.sent) if self.load.messages else self.batch
        if not self.load.rate:
            return most
        return min(most, int((time.monotonic() - self.begun) * self.load.rate) - self.sent)

    @property
    def over(self) -> bool:
        if self.load.seconds:
            return time.monotonic() > self.begun + self.load.seconds
        return self.sent >= self.load.messages


async def produce(store: Store, load: Load) -> None:
    meter = Meter()
    printing = asyncio.ensure_future(meter.run())
    await Producer(load).run(store, meter)
    printing.cancel()
    meter.print()


async def consume(store: Store, load: Load) -> None:
    meter = Meter()
    printing = asyncio.ensure_future(meter.run())
    consumers = [
        asyncio.ensure_future(consume_one(store, queue, load.messages, meter)) for queue in queues(load.queues)
    ]
    await asyncio.wait(consumers, timeout=load.seconds or None, return_when=asyncio.FIRST_EXCEPTION)
    printing.cancel()
    meter.print()
    for consumer in consumers:
        consumer.cancel()
    for result in await asyncio.gather(*consumers, return_exceptions=True):
        if isinstance(result, Exception):
            raise result


async def consume_one(store: Store, queue: str, messages: int, meter: Meter) -> None:
    """Acknowledge what comes from a queue, until it was so many messages."""
    count = 0
    unpack, clock = STAMP.unpack_from, time.monotonic_ns
    async with store.consume(queue, prefetch=PREFETCH) as deliveries:
        async for delivery in deliveries:
            meter.delays.append(clock() - unpack(delivery.body)[0])
            meter.count += 1
            count += 1
            delivery.ack()
            if count == messages:
                return


ROLES = {"produce": produce, "consume": consume}


async def put_under(address: str, load: Load) -> list[Second]:
    """What came of a load on a store."""
    roles = [role for role, wanted in (("consume", load.consumes), ("produce", load.produces)) if wanted]
    told = await asyncio.gather(*(seconds_of(role, address, load) for role in roles))
    return told[0]


async def seconds_of(role: str, address: str, load: Load) -> list[Second]:
    """Run one of the processes to its end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bench.storeload", role, address, json.dumps(asdict(load))),
        cwd=Path(__file__).parents[1],
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, f"{role} ended with {process.returncode}"
    return [Second(**json.loads(line)) for line in output.splitlines()]


async def main() -> None:
    role, address, load = sys.argv[1:]
    async with Store.connect(address) as store:
        await ROLES[role](store, Load(**json.loads(load)))


if __name__ == "__main__":
    # What was imported need not be looked through with every collection.
    gc.freeze()
    uvloop.run(main())
