"""Outfeed beside innfeed and a bare loop of `sendall`, in turns: to a peer that discards, to innd, and to many peers.

    cd tests && ../.venv/bin/python -m bench.outfeed_bench [--rows NAME...] [--articles N] [--large N] [--rounds N]

Needs root and Debian's inn2. Both feeders send what they have on disk to a fresh peer: innfeed from a batch file,
outfeed from the backlog of a peer that was paused. To the peer that discards it also sends what waits in memory: that
is what a live feed costs, apart from taking articles in. innfeed has its window of 20, with which it is fastest to a
peer on the same machine. Rates are the receiver's own, from its first offer to its last article. Where others keep the
machine busy, compare the microseconds of CPU.
SCALE=10 takes a million articles for the measurement of memory.
"""

import argparse
import asyncio
import functools
import os
import statistics
from collections.abc import Awaitable, Callable, Iterator

import corpus
from articles import Article
from bench.common import MIB, in_turns, ratio_line
from bench.receivers import MakeReceiver, discarding, innd
from bench.rivals import LARGE, SMALL, innfeed_rate, innfeed_spool, sendall_rate
from bench.sendings import Spent, backlog_memory, drain_rate, fan_out_rate, live_rate, offer_rate, queue_rate

FAN_OUT = (1, 10, 50)
"""Numbers of peers."""
FEWEST = 3_000
"""Articles to many peers: with fewer, what the start costs would count."""
DELIVERIES = 40_000
"""Goal a second, to the most peers."""
PIECE = 10_000
Rate = Callable[[list[Article], MakeReceiver, int, Spent], Awaitable[float]]
SCALE = int(os.environ.get("SCALE", "1"))


class Bench:
    """What there is to measure."""

    def __init__(self, articles: int, large: int, backlog: int, rounds: int) -> None:
        self.small = list(corpus.synthetic(articles, SMALL))
        self.large = large
        self.backlog = backlog
        self.rounds = rounds
        self.rows: dict[str, Callable[[], Awaitable[None]]] = {
            "memory": self.memory,
            "offer": self.offer,
            "large": self.beside_sendall,
            "many": self.to_many,
            "drain": self.beside_live,
            "innd-1": functools.partial(self.beside_innfeed, "innd-1", innd, 1, 1.1),
            "innd-2": functools.partial(self.beside_innfeed, "innd-2", innd, 2, 1.1),
            "outfeed": functools.partial(self.beside_innfeed, "outfeed", discarding, 1, 2.0),
            "queue": functools.partial(self.beside_innfeed, "queue", discarding, 1, 2.0, queue_rate),
        }

    async def memory(self) -> None:
        """What a backlog takes of memory."""
        rss = await backlog_memory(self._pieces())
        print(f"  {rss / MIB:.0f} MiB resident with {self.backlog:,} articles in the backlog of an absent peer")

    def _pieces(self) -> Iterator[list[Article]]:
        articles = iter(corpus.synthetic(self.backlog, 600))
        return iter(lambda: [article for _, article in zip(range(PIECE), articles, strict=False)], [])

    async def offer(self) -> None:
        """What is taken in, durably."""
        rates = await in_turns({"offer": functools.partial(offer_rate, self.small)}, self.rounds)
        print(f"  {rates['offer']:,.0f} articles/s of 2 KB are taken in")

    async def beside_innfeed(
        self, name: str, receiver: MakeReceiver, connections: int, goal: float, rate: Rate = drain_rate
    ) -> None:
        """Both feeders to the same kind of receiver; where that has no CPU left, equal rates are enough."""
        spent = {"outfeed": Spent(), "innfeed": Spent()}
        with innfeed_spool(len(self.small)) as sender:
            contenders = {
                "outfeed": functools.partial(rate, self.small, receiver, connections, spent["outfeed"]),
                "innfeed": functools.partial(innfeed_rate, sender, receiver, connections, spent["innfeed"]),
            }
            rates = await in_turns(contenders, self.rounds)
        for feeder, each in spent.items():
            print(f"  {feeder}: {each}")
        print(f"{ratio_line(name, rates['outfeed'], rates['innfeed'])} goal={goal:g}", flush=True)

    async def beside_live(self) -> None:
        """From the backlog, and from memory while articles come in."""
        contenders = {
            "drain": functools.partial(drain_rate, self.small, discarding),
            "live": functools.partial(live_rate, self.small, discarding),
        }
        rates = await in_turns(contenders, self.rounds)
        print(f"{ratio_line('drain', rates['drain'], rates['live'])} goal=0.8", flush=True)

    async def to_many(self) -> None:
        """The same articles to more and more peers."""
        spent = {peers: Spent() for peers in FAN_OUT}
        contenders = {
            f"{peers} peers": functools.partial(
                fan_out_rate, self.small[: max(FEWEST, len(self.small) // peers)], peers, spent[peers]
            )
            for peers in FAN_OUT
        }
        rates = await in_turns(contenders, self.rounds)
        costs = [statistics.median(spent[peers].sender) for peers in FAN_OUT]
        listed = ", ".join(f"{cost:.1f} to {peers}" for peers, cost in zip(FAN_OUT, costs, strict=True))
        falls = "" if costs == sorted(costs, reverse=True) else ": it does not fall"
        print(f"  microseconds of CPU a delivery, by peers: {listed}{falls}")
        print(f"{ratio_line('many', rates[f'{FAN_OUT[-1]} peers'], DELIVERIES)} goal=1", flush=True)

    async def beside_sendall(self) -> None:
        """Large articles."""
        articles = list(corpus.synthetic(self.large, LARGE))
        contenders = {
            "outfeed": functools.partial(drain_rate, articles, discarding),
            "sendall": functools.partial(sendall_rate, articles),
        }
        rates = await in_turns(contenders, self.rounds)
        print(f"{ratio_line('large', rates['outfeed'], rates['sendall'])} goal=0.8", flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=[])
    parser.add_argument("--articles", type=int, default=30_000)
    parser.add_argument("--large", type=int, default=500)
    parser.add_argument("--backlog", type=int, default=1_000_000 if SCALE >= 10 else 100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bench = Bench(options.articles, options.large, options.backlog, options.rounds)
    for name in options.rows or bench.rows:
        print(f"{name}, load of the machine {os.getloadavg()[0]:.1f}", flush=True)
        await bench.rows[name]()


if __name__ == "__main__":
    asyncio.run(main())
