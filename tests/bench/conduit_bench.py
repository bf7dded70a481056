"""Conduit beside zenoh, in turns, over UDP on loopback: rates, what is lost where datagrams are, round trips, memory.

    cd tests && ../.venv/bin/python -m bench.conduit_bench [--rounds N] [--samples N] [--rows NAME...]

Needs the wheel eclipse-zenoh. A reader, a writer and the relay that loses datagrams are a process each. Samples have 64
octets; ours are reliable and packed, zenoh's are as it sends them over UDP, reliable and blocking. A rate is what was
received, from the first sample to the last one. SCALE=10 for ten times as many samples.
"""

import argparse
import asyncio
import os
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from bench.common import MIB, cost, in_turns, ratio_line
from bench.programs import Program, program
from ports import free_port

SCALE = int(os.environ.get("SCALE", "1"))
SIDES = ("ours", "rival")
LOSS = 0.1
"""Of the datagrams in each direction."""
ASKED = 2000 * SCALE
RESOURCES, PEERS = 1000, 256
GOAL_RATE = 100_000
"""Samples a second."""
GOAL_LOSSY = 15_000
GOAL_TRIP = 3.0
"""Times the rival's."""
GOAL_MEMORY = 150
"""MiB."""

Passage = Callable[[int], Any]
"""An asynchronous context manager from the reader's port to the way there."""


class Way:
    """How a writer gets to the reader."""

    def __init__(self, port: int, relay: Program | None = None) -> None:
        self.port = port
        self._relay = relay

    def lose(self) -> None:
        """Sessions are there: now datagrams get lost, where they do."""
        if self._relay:
            self._relay.go_on()

    async def lost(self) -> str:
        """What to say of it."""
        if not self._relay:
            return ""
        self._relay.go_on()
        told = await self._relay.told()
        return f", {told['lost']:,} of {told['lost'] + told['passed']:,} datagrams lost"


@asynccontextmanager
async def straight(port: int) -> AsyncIterator[Way]:
    yield Way(port)


@asynccontextmanager
async def lossy(port: int) -> AsyncIterator[Way]:
    async with program("bench.udprelay", port, LOSS) as relay:
        yield Way((await relay.told())["port"], relay)


class Rates:
    """Transfers from one process to another, and what they have cost."""

    def __init__(self, kind: str, passage: Passage, samples: int) -> None:
        self._kind = kind
        self._passage = passage
        self._samples = samples
        self.lost: dict[str, list[int]] = {side: [] for side in SIDES}
        self.costs: dict[str, list[float]] = {}

    async def rate(self, side: str) -> float:
        port = free_port()
        start = partial(program, "bench.conduitload", side)
        async with start("read", port, self._samples, self._kind) as reader:
            await reader.told()
            async with self._passage(port) as way, start("write", way.port, self._samples, self._kind) as writer:
                await writer.told()
                way.lose()
                writer.go_on()
                told, wrote = await asyncio.gather(reader.told(), writer.told())
                note = await way.lost()
        lost = self._samples - told.get("different", told["received"])
        assert side == "rival" or told.get("ordered", True), "samples came twice, or out of order"
        print(f"  {side}: {self._samples:,} samples written, {lost:,} of them lost{note}", flush=True)
        self.lost[side].append(lost)
        for role, spent in (("writer", wrote["cpu"]), ("reader", told["cpu"])):
            self.costs.setdefault(f"{side} {role}", []).append(spent / self._samples * 1e6)
        return float(told["rate"])

    def tell(self) -> None:
        """A busy machine changes that less than rates."""
        costs = ", ".join(f"{name} {statistics.median(each):.1f}" for name, each in self.costs.items())
        print(f"  microseconds of CPU a sample: {costs}", flush=True)


async def round_trip(side: str) -> tuple[float, float]:
    """p50 and p99 of a sample and its echo, in microseconds."""
    port = free_port()
    start = partial(program, "bench.conduitload", side)
    async with start("echo", port, ASKED, "single") as echo:
        await echo.told()
        async with start("ask", port, ASKED, "single") as asker:
            told = await asker.told()
    return told["p50"], told["p99"]


class Bench:
    """How the two are measured."""

    def __init__(self, rounds: int, samples: int) -> None:
        self.rounds = rounds
        self.samples = samples
        self.rows: dict[str, Callable[[], Awaitable[None]]] = {
            "memory": self.memory,
            "round-trip": self.round_trip,
            "lossy": self.lossy,
            "conduit": self.conduit,
        }

    async def memory(self) -> None:
        """Print what a node with many peers and resources holds in memory."""
        port = free_port()
        start = partial(program, "bench.conduitcrowd")
        async with start("hold", port, RESOURCES, PEERS) as node:
            await node.told()
            async with start("join", port, RESOURCES, PEERS) as crowd:
                holding, _ = await asyncio.gather(node.told(), crowd.told())
                used = cost(node.process.pid).rss / MIB
        print(
            f"memory ours={used:.0f} MiB with {holding['resources']:,} resources, {holding['peers']} peers "
            f"goal={GOAL_MEMORY} {met(used < GOAL_MEMORY)}",
            flush=True,
        )

    async def round_trip(self) -> None:
        """Print how long one sample and its echo take."""
        trips: dict[str, list[tuple[float, float]]] = {side: [] for side in SIDES}
        for _ in range(self.rounds):
            for side, found in trips.items():
                found.append(await round_trip(side))
        for place, name in enumerate(("p50", "p99")):
            ours, rival = (statistics.median(each[place] for each in trips[side]) for side in SIDES)
            line = ratio_line(f"round-trip-{name}-us", ours, rival)
            print(f"{line} goal={GOAL_TRIP:g} {met(ours <= GOAL_TRIP * rival)}", flush=True)

    async def lossy(self) -> None:
        """Print rates, and what is lost, where every tenth datagram is, in both directions."""
        rates = Rates("lossy", lossy, self.samples // 5)
        found = await self._compare(rates)
        lost = {side: sum(each) for side, each in rates.lost.items()}
        good = found["ours"] >= GOAL_LOSSY and not lost["ours"]
        print(f"{ratio_line('lossy', found['ours'], found['rival'])} goal={GOAL_LOSSY} {met(good)}")
        print(f"lossy-samples-lost ours={lost['ours']} rival={lost['rival']} goal=0", flush=True)

    async def conduit(self) -> None:
        """Print rates where no datagram is lost on its way; last the line that counts."""
        found = await self._compare(Rates("fast", straight, self.samples))
        print(f"conduit goal={GOAL_RATE} {met(found['ours'] >= GOAL_RATE)}")
        print(ratio_line("conduit", found["ours"], found["rival"]), flush=True)

    async def _compare(self, rates: Rates) -> dict[str, float]:
        found = await in_turns({side: partial(rates.rate, side) for side in SIDES}, self.rounds)
        rates.tell()
        return found


def met(good: bool) -> str:
    """Of a goal."""
    return "met" if good else "missed"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=400_000 * SCALE)
    parser.add_argument("--rows", nargs="*", default=[])
    options = parser.parse_args()
    bench = Bench(options.rounds, options.samples)
    for name in options.rows or bench.rows:
        print(f"{name}: load of the machine {os.getloadavg()[0]:.1f}", flush=True)
        await bench.rows[name]()


if __name__ == "__main__":
    asyncio.run(main())
