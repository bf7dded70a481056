"""Store beside RabbitMQ, in turns: rates with every message synced before its confirm, latency, memory and recovery.

    cd tests && ../.venv/bin/python -m bench.store_bench [--rounds N] [--seconds N] [--rows NAME...] [--folder DIR]

Needs root, Debian's rabbitmq-server and PerfTest; it tells how to get what is missing. Everything listens on loopback
and keeps its data below --folder, on a real disk. Rates are messages a second that consumers got, or that were
confirmed where nobody consumes. SCALE=10 takes the full sizes: a million messages to drain and to recover, five million
to keep.
"""

import argparse
import asyncio
import functools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bench import barestream, perftest, storeload
from bench.common import MIB, cost, in_turns, ratio_line
from bench.loads import Load, Second, steady_p99, steady_rate
from conftest import SHARED
from peers import rabbitmq
from peers.rabbitmq import RabbitMq, run_rabbitmq
from storecommand import run_store

SCALE = int(os.environ.get("SCALE", "1"))
MILLION = 100_000 * SCALE
"""As many as CI has the time for."""
SCRIPT = SHARED / "peers" / "rabbitmq.sh"

PutUnder = Callable[[Load], Awaitable[list[Second]]]


class Side(NamedTuple):
    """One of the two that are compared."""

    warm_up: float
    """Seconds at the start of a run that do not count."""
    place: Callable[[int], AbstractAsyncContextManager[PutUnder]]
    """So many fresh queues, to be put under loads one after the other."""


class Row(NamedTuple):
    """A load that both are put under."""

    load: Load
    goal: float = 0.0
    """How many times the rival's rate ours is to be; 0: as it comes."""


def rows(seconds: float) -> dict[str, Row]:
    load = Load(seconds=seconds)
    return {
        "confirm-1": Row(replace(load, window=1), 2),
        "fan-out": Row(replace(load, queues=10), 4),
        "publish": Row(replace(load, consumes=False)),
        "8-KB": Row(replace(load, size=8192)),
        "12-octets": Row(replace(load, size=12)),
        "unsynced-rival": Row(replace(load, version=2)),
        "store": Row(load, 4),
    }


def ours(folder: Path) -> Side:
    """A store of its own for every run."""

    @asynccontextmanager
    async def place(queues: int) -> AsyncIterator[PutUnder]:
        async with run_store(storeload.queues(queues), folder) as server:
            yield functools.partial(storeload.put_under, server.address)

    return Side(1.0, place)


def rival(broker: RabbitMq) -> Side:
    """One broker for all runs, with queues of their own."""
    names = iter(range(1 << 31))

    @asynccontextmanager
    async def place(queues: int) -> AsyncIterator[PutUnder]:
        name = f"bench{next(names)}"
        yield functools.partial(perftest.put_under, broker, name)
        for queue in perftest.queue_names(name, queues):
            await broker.delete(queue)

    return Side(perftest.WARM_UP, place)


async def rate(side: Side, load: Load) -> float:
    """Messages a second of a load that lasts for a time."""
    async with side.place(load.queues) as put_under:
        return steady_rate(await put_under(load), side.warm_up)


async def p99(side: Side, load: Load) -> float:
    """Milliseconds within which 99 of 100 messages arrive."""
    async with side.place(load.queues) as put_under:
        return steady_p99(await put_under(load), side.warm_up)


async def drain_rate(side: Side, count: int) -> float:
    """Messages a second that leave a full queue to which nobody publishes."""
    async with side.place(1) as put_under:
        await put_under(Load(messages=count, consumes=False))
        seconds = await put_under(Load(messages=count, produces=False))
        # A small queue may be empty before Java is warm.
        return steady_rate(seconds, min(side.warm_up, seconds[-1].until / 2))


async def recovery(folder: Path, count: int) -> None:
    """Print how long a store takes from its start until it serves, with so many messages, after kill -9."""
    async with run_store(storeload.queues(1), folder) as server:
        await storeload.put_under(server.address, Load(messages=count, consumes=False))
        await server.kill()
        began = time.perf_counter()
        await server.start()
        await storeload.recovered(server.address, count)
        seconds = time.perf_counter() - began
    print(f"recovery: {seconds:.1f} s with {count:,} messages of 1 KB, after kill -9", flush=True)


async def memory(folder: Path, count: int) -> None:
    """Print what a store holds in memory with so many messages in a queue."""
    async with run_store(storeload.queues(1), folder) as server:
        await storeload.put_under(server.address, Load(messages=count, consumes=False))
        used = cost(server.pid)
    print(f"memory: {used.rss / MIB:.0f} MiB resident with {count:,} messages of 1 KB in a queue", flush=True)


async def bare(folder: Path, load: Load) -> None:
    """Print what no confirm of a lone message can be faster than."""
    each = await barestream.rate(folder, load.size, load.seconds)
    print(f"confirm-1: a bare gRPC stream with one sync a message does {each:.0f}/s", flush=True)


class Bench:
    """Both sides, and how they are measured."""

    def __init__(self, broker: RabbitMq, folder: Path, rounds: int, seconds: float) -> None:
        self.sides = {"store": ours(folder), "RabbitMQ": rival(broker)}
        self.folder = folder
        self.rounds = rounds
        self.rows = rows(seconds)
        self.measures = {
            "recovery": functools.partial(recovery, folder, MILLION),
            "memory": functools.partial(memory, folder, 5 * MILLION),
            "drain": functools.partial(self.compare, "drain", drain_rate, MILLION, 4),
            "latency": self.latency,
            "bare": functools.partial(bare, folder, self.rows["confirm-1"].load),
            **{name: functools.partial(self.compare, name, rate, *row) for name, row in self.rows.items()},
        }

    async def compare(self, name: str, measure: Callable, load: object, goal: float = 0.0) -> float:
        """Print the medians of both in turns; the rival's."""
        contenders = {side: functools.partial(measure, self.sides[side], load) for side in self.sides}
        print(f"{name}, load of the machine {os.getloadavg()[0]:.1f}")
        rates = await in_turns(contenders, self.rounds)
        line = ratio_line(name, rates["store"], rates["RabbitMQ"])
        print(f"{line} goal={goal:g}" if goal and name != "store" else line, flush=True)
        return rates["RabbitMQ"]

    async def latency(self) -> None:
        """Compare latencies at half of the most that the rival can do."""
        load = self.rows["store"].load
        most = statistics.median([await rate(self.sides["RabbitMQ"], load) for _ in range(self.rounds)])
        half = int(most / 2)
        print(f"latency, 99 of 100 within ms, at {half} messages/s")
        await self.compare("latency", p99, replace(load, rate=half))


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rows", nargs="*", default=[])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    if reason := rabbitmq.lacking(SCRIPT) or perftest.lacking():
        sys.exit(reason)
    async with run_rabbitmq(SCRIPT, options.folder) as broker:
        bench = Bench(broker, options.folder, options.rounds, options.seconds)
        for name in options.rows or bench.measures:
            await bench.measures[name]()


if __name__ == "__main__":
    asyncio.run(main())
