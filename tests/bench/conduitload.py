"""Programs that put conduit, or zenoh, under load: each is a process of its own, told what to do by its arguments.

    python -m bench.conduitload {ours,rival} {read,write,echo,ask} PORT SAMPLES KIND

All listen or connect on 127.0.0.1, over UDP. Samples have 64 octets and are all different. KIND is `fast`, `lossy` or
`single`: how the sample goes out.
"""

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import Any

import uvloop

from bench.programs import LONGEST, measured, tell, told_to_go_on
from eventually import eventually

OCTETS = 64
BATCH = 400
RATE, ASKED, ANSWERED = "/bench/rate", "/bench/asked", "/bench/answered"
QUIET = 3.0
"""Seconds without a sample after which a reader has had all that will come."""


def samples(first: int, count: int) -> list[bytes]:
    """So many different ones."""
    rest = bytes(OCTETS - 4)
    return [number.to_bytes(4, "big") + rest for number in range(first, first + count)]


class Taken:
    """What a reader has got, and when."""

    def __init__(self, expected: int, kind: str) -> None:
        self.expected = expected
        self.received = 0
        self.began = self.ended = self.cpu = 0.0
        self.keeps = kind == "lossy"
        """Whether the samples themselves are looked at, in the end."""
        self.payloads: list[bytes] = []

    def add(self, count: int) -> bool:
        """So many more; whether that is all."""
        self.ended = time.monotonic()
        if not self.received:
            self.began, self.cpu = self.ended, time.process_time()
        self.received += count
        return self.received >= self.expected

    @property
    def over(self) -> bool:
        """Whether nothing more is to be expected."""
        return bool(self.received) and time.monotonic() - self.ended > QUIET

    def tell(self) -> None:
        cpu, rate = time.process_time() - self.cpu, self.received / (self.ended - self.began)
        tell(received=self.received, rate=rate, cpu=cpu, **self.looked_at())

    def looked_at(self) -> dict[str, Any]:
        if not self.keeps:
            return {}
        ordered = all(one < other for one, other in pairwise(self.payloads))
        return {"different": len(set(self.payloads)), "ordered": ordered}


# Ours.


@asynccontextmanager
async def node(kind: str, port: int = 0, peers: tuple[str, ...] = ()) -> AsyncIterator[Any]:
    from forebay.client.conduit import ConduitNodeSettings, Node
    from forebay.conduit.core.conduits.settings import ConduitSettings

    conduit = {
        "fast": ConduitSettings(window_octets=1 << 20, window_samples=8000, mtu=8192),
        "lossy": ConduitSettings(
            window_octets=1 << 19, window_samples=8000, reorder_samples=8000, synch_interval=0.003
        ),
        "single": ConduitSettings(latency_budget=0.0),
    }[kind]
    settings = ConduitNodeSettings(
        listen=f"udp/127.0.0.1:{port}", peers=peers, conduits=(conduit,), unicast=conduit, scout_interval=0.1
    )
    async with Node(settings) as made:
        yield made


async def heard(made: Any, publisher: Any, peers: int = 1) -> None:
    """Until so many subscribe to what it publishes, and know its resource."""
    core = made.participant.node
    rid = core.publisher(publisher.number).settings.rid
    await eventually(lambda: len(core.declarations.subscribers(rid)) >= peers, within=LONGEST)


async def ours_read(port: int, count: int, kind: str) -> None:
    taken = Taken(count, kind)
    async with node(kind, port) as made:
        subscription = made.subscribe(RATE)
        tell(ready=True)
        ending = asyncio.get_running_loop().create_task(until_over(taken, subscription))
        async for delivery in subscription:
            if taken.keeps:
                taken.payloads += delivery.payloads
            if taken.add(len(delivery.payloads)):
                break
        ending.cancel()
        taken.tell()
        await told_to_go_on()


async def until_over(taken: Taken, subscription: Any) -> None:
    await eventually(lambda: taken.over, within=LONGEST, every=QUIET / 10)
    subscription.close()


async def ours_write(port: int, count: int, kind: str) -> None:
    batches = [samples(first, BATCH) for first in range(0, count, BATCH)]
    async with node(kind, peers=(f"udp/127.0.0.1:{port}",)) as made:
        publisher = made.publisher(RATE)
        await heard(made, publisher)
        tell(ready=True)
        await told_to_go_on()
        before = time.process_time()
        for batch in batches:
            await publisher.write(batch)
        await made.drained()
        tell(cpu=time.process_time() - before)
        await told_to_go_on()


async def ours_echo(port: int, count: int, kind: str) -> None:
    async with node(kind, port) as made:
        publisher = made.publisher(ANSWERED)
        tell(ready=True)
        await heard(made, publisher)
        async for delivery in made.subscribe(ASKED):
            await publisher.write(delivery.payloads)


async def ours_ask(port: int, count: int, kind: str) -> None:
    async with node(kind, peers=(f"udp/127.0.0.1:{port}",)) as made:
        publisher, subscription = made.publisher(ASKED), made.subscribe(ANSWERED)
        await heard(made, publisher)
        sample = samples(0, 1)

        async def ask() -> None:
            await publisher.write(sample)
            await anext(subscription)

        await measured(ask, count)


# The rival.


def rival_session(**places: str) -> Any:
    import zenoh

    config = zenoh.Config()
    config.insert_json5("scouting/multicast/enabled", "false")
    config.insert_json5("scouting/gossip/enabled", "false")
    config.insert_json5("transport/shared_memory/enabled", "false")
    for name, place in places.items():
        config.insert_json5(f"{name}/endpoints", json.dumps([place]))
    return zenoh.open(config)


def rival_listening(port: int) -> Any:
    return rival_session(listen=f"udp/127.0.0.1:{port}")


def rival_connected(port: int) -> Any:
    return rival_session(listen="udp/127.0.0.1:0", connect=f"udp/127.0.0.1:{port}")


def rival_publisher(session: Any, uri: str, *, express: bool = False) -> Any:
    import zenoh

    block, reliable = zenoh.CongestionControl.BLOCK, zenoh.Reliability.RELIABLE
    return session.declare_publisher(uri[1:], congestion_control=block, reliability=reliable, express=express)


async def matching(publisher: Any) -> None:
    await eventually(lambda: publisher.matching_status.matching)


async def rival_read(port: int, count: int, kind: str) -> None:
    taken, done = Taken(count, kind), threading.Event()

    def take(sample: Any) -> None:
        if taken.keeps:
            taken.payloads.append(sample.payload.to_bytes())
        if taken.add(1):
            done.set()

    with rival_listening(port) as session:
        subscriber = session.declare_subscriber(RATE[1:], take)
        tell(ready=True)
        while not done.wait(QUIET / 10) and not taken.over:
            pass
        taken.tell()
        await told_to_go_on()
        subscriber.undeclare()


async def rival_write(port: int, count: int, kind: str) -> None:
    written = samples(0, count)
    with rival_connected(port) as session:
        publisher = rival_publisher(session, RATE)
        await matching(publisher)
        tell(ready=True)
        await told_to_go_on()
        before = time.process_time()
        for sample in written:
            publisher.put(sample)
        tell(cpu=time.process_time() - before)
        await told_to_go_on()


async def rival_echo(port: int, count: int, kind: str) -> None:
    with rival_listening(port) as session:
        publisher = rival_publisher(session, ANSWERED, express=True)
        subscriber = session.declare_subscriber(ASKED[1:], lambda sample: publisher.put(sample.payload))
        tell(ready=True)
        await told_to_go_on()
        subscriber.undeclare()


async def rival_ask(port: int, count: int, kind: str) -> None:
    answers: SimpleQueue[Any] = SimpleQueue()
    with rival_connected(port) as session:
        publisher = rival_publisher(session, ASKED, express=True)
        subscriber = session.declare_subscriber(ANSWERED[1:], answers.put)
        await matching(publisher)
        (sample,) = samples(0, 1)

        async def ask() -> None:
            """Again and again: the first answers go nowhere, and any datagram may get lost."""
            while True:
                publisher.put(sample)
                with suppress(Empty):
                    answers.get(timeout=0.5)
                    return

        await measured(ask, count)
        subscriber.undeclare()


def main() -> None:
    side, role, port, count, kind = sys.argv[1:]
    run: Callable[..., None] = uvloop.run if side == "ours" else asyncio.run
    run(globals()[f"{side}_{role}"](int(port), int(count), kind))


if __name__ == "__main__":
    main()
