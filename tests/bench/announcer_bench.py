"""Announcer beside opentracker and npm's bittorrent-tracker, in turns: rates over HTTP and UDP, memory, forwarding.

    cd tests && ../.venv/bin/python -m bench.announcer_bench [--rounds N] [--seconds N] [--rows NAME...]

Needs root, Debian's opentracker, wrk, nodejs and npm; it tells how to get what is missing. Everything listens on
loopback. Rates are announces a second that were answered. The load takes a processor of its own, so there have to be
two that are idle. SCALE=10 takes a million peers for the measurement of memory.
"""

import argparse
import asyncio
import functools
import os
import statistics
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import NamedTuple

from bench import forwardingcost, httpload, trackersides, udpload
from bench.common import MIB, cost, in_turns, ratio_line, scratch_folder
from bench.crowds import Crowd, announces
from bench.trackersides import Place, Side

SCALE = int(os.environ.get("SCALE", "1"))
SIDES: dict[str, Side] = {
    "announcer": trackersides.ours,
    "opentracker": trackersides.open_tracker,
    "npm": trackersides.npm,
}
MANY, ONE, LARGE = Crowd(1000, 50), Crowd(1, 5000), Crowd(1, 50_000)
STORED = Crowd(10_000 * SCALE, 10)
PAGE = 1000
MOST_MEMORY = 600
"""MiB that a million peers may take."""


class Goal(NamedTuple):
    """How many times a rival's rate ours is to be."""

    rival: str
    times: float


HTTP_GOALS = (Goal("opentracker", 2), Goal("npm", 2))
UDP_GOALS = (Goal("opentracker", 0.6), Goal("npm", 5))


class Costs:
    """What the trackers spend."""

    def __init__(self) -> None:
        self._each: dict[str, list[float]] = {}

    async def counted(self, name: str, place: Place, measure: Awaitable[float], seconds: float) -> float:
        """The rate that is measured."""
        before = cost(place.pid)
        rate = await measure
        spent = (cost(place.pid) - before).cpu
        self._each.setdefault(name, []).append(spent / (rate * seconds) * 1e6)
        return rate

    def __str__(self) -> str:
        """The medians; a busy machine changes them less than rates."""
        return ", ".join(f"{name} {statistics.median(each):.1f}" for name, each in self._each.items())


async def http_rate(place: Place, crowd: Crowd, seconds: float) -> float:
    """Announces a second over connections that are kept."""
    with scratch_folder() as folder:
        httpload.write_targets(crowd, folder / "targets")
        return await httpload.rate(place.port, folder / "targets", seconds)


async def udp_rate(place: Place, crowd: Crowd, seconds: float) -> float:
    """Announces a second in packets."""
    return await udpload.rate(place.port, crowd, seconds)


class Bench:
    """How the trackers are measured."""

    def __init__(self, rounds: int, seconds: float) -> None:
        self.rounds = rounds
        self.seconds = seconds
        self.rows: dict[str, Callable[[], Awaitable[None]]] = {
            "memory": self.memory,
            "growth": self.growth,
            "forwarding": functools.partial(self.forwarding, "forwarding", forwardingcost.FEW),
            "forwarding-full": functools.partial(self.forwarding, "forwarding-full", forwardingcost.MANY),
            "udp-swarm": functools.partial(self.compare, "udp-swarm", udp_rate, ONE, UDP_GOALS),
            "udp-swarms": functools.partial(self.compare, "udp-swarms", udp_rate, MANY, UDP_GOALS),
            "http-swarm": functools.partial(self.compare, "http-swarm", http_rate, ONE, HTTP_GOALS),
            "announcer": functools.partial(self.compare, "announcer", http_rate, MANY, HTTP_GOALS),
        }

    async def compare(self, name: str, measure: Callable, crowd: Crowd, goals: tuple[Goal, ...]) -> None:
        """Print the medians of all in turns, and how they compare; last with the best of the rivals."""
        print(f"{name}: {crowd}, load of the machine {os.getloadavg()[0]:.1f}")
        costs = Costs()
        async with AsyncExitStack() as stack:
            places = {side: await stack.enter_async_context(run(crowd.torrents())) for side, run in SIDES.items()}

            async def rate(side: str) -> float:
                measuring = measure(places[side], crowd, self.seconds)
                return await costs.counted(side, places[side], measuring, self.seconds)

            contenders = {side: functools.partial(rate, side) for side in SIDES}
            for side in SIDES:
                await measure(places[side], crowd, self.seconds / 2)  # until all clients are known
            rates = await in_turns(contenders, self.rounds)
        print(f"  microseconds of CPU an announce: {costs}")
        for rival, times in sorted(goals, key=lambda goal: rates[goal.rival]):
            line = ratio_line(name, rates["announcer"], rates[rival])
            print(f"  beside {rival}: {line} goal={times:g}", flush=True)
        if name == "announcer":
            print(ratio_line(name, rates["announcer"], max(rates[goal.rival] for goal in goals)), flush=True)

    async def growth(self) -> None:
        """Print what a larger swarm costs."""
        async with AsyncExitStack() as stack:
            crowds = {str(crowd): crowd for crowd in (LARGE, ONE)}
            contenders = {}
            for name, crowd in crowds.items():
                place = await stack.enter_async_context(trackersides.ours(crowd.torrents()))
                await udp_rate(place, crowd, self.seconds / 2)
                contenders[name] = functools.partial(udp_rate, place, crowd, self.seconds)
            rates = await in_turns(contenders, self.rounds)
        print(f"{ratio_line('growth', rates[str(LARGE)], rates[str(ONE)])} goal=0.8", flush=True)

    async def memory(self) -> None:
        """Print what an announcer holds in memory with many peers."""
        with scratch_folder() as folder:
            server = trackersides.announcer(folder)
            await server.start()
            assert server.running is not None
            try:
                async with server.client() as client:
                    for page in announces(STORED, PAGE):
                        await client.announce(page)
                    queue = await client.queue()
                assert (queue.peers, queue.swarms) == (STORED.swarms * STORED.peers, STORED.swarms), queue
                used = cost(server.running.process.pid)
            finally:
                server.running.kill()
        print(
            f"memory: {used.rss / MIB:.0f} MiB resident with {STORED}; goal with a million: {MOST_MEMORY}", flush=True
        )

    async def forwarding(self, name: str, crowd: Crowd) -> None:
        """Print what forwarding costs."""
        print(f"{name}: {crowd}, load of the machine {os.getloadavg()[0]:.1f}")
        forwarding, alone = await forwardingcost.rates(crowd, self.rounds)
        print(f"{ratio_line(name, forwarding, alone)} goal=0.8", flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rows", nargs="*", default=[])
    options = parser.parse_args()
    if reason := trackersides.lacking() or httpload.lacking():
        sys.exit(reason)
    bench = Bench(options.rounds, options.seconds)
    for name in options.rows or bench.rows:
        await bench.rows[name]()


if __name__ == "__main__":
    asyncio.run(main())
