"""Outfeed beside innfeed and a bare loop of `sendall`, in turns: to a peer that discards, and to innd.

    cd tests && ../.venv/bin/python -m bench.outfeed_bench [--articles N] [--large N] [--backlog N] [--rounds N]

Needs root and Debian's inn2. Both feeders send what they have on disk to a fresh peer: innfeed from a batch file,
outfeed from the backlog of a peer that was paused. Rates are the receiver's own, from its first offer to its last
article.
SCALE=10 takes a million articles for the measurement of memory.
"""

import argparse
import asyncio
import functools
import os
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager

import corpus
from articles import Article
from bench.common import MIB, cost, in_turns, ratio_line, scratch_folder
from bench.receivers import discarding, innd
from bench.rivals import LARGE, SMALL, innfeed_rate, innfeed_spool, sendall_rate
from outfeedserver import OutfeedServer
from peers.innsend import InnSender
from peers.valkey import run_valkey
from ports import free_port

PEER = "peer"
FAN_OUT = (1, 10, 50)
"""Numbers of peers."""
SCALE = int(os.environ.get("SCALE", "1"))


@asynccontextmanager
async def outfeed(port: int, **options: object) -> AsyncIterator[OutfeedServer]:
    """An outfeed with one peer on a port, and a Valkey of its own."""
    with scratch_folder() as folder:
        async with run_valkey() as valkey:
            server = OutfeedServer(folder, valkey.url, {"articles": {"maxSize": "2MB"}}, watch=False)
            server.peer(PEER, port, **options)
            await server.start()
            try:
                yield server
            finally:
                await server.close()


async def drain_rate(
    articles: Sequence[Article], receiver: Callable, connections: int, loads: list[float] | None = None
) -> float:
    """Articles a second that leave the backlog of a peer once it is resumed; the receiver's load goes to `loads`."""
    async with receiver() as peer, outfeed(peer.port, pause=True, connections={"max": connections}) as server:
        await offer(server, articles)
        await server.flush(PEER)
        server.peer_options[PEER]["pause"] = False
        await server.apply()
        await server.drained(PEER, within=300, every=0.25)
    assert peer.articles == len(articles), f"{peer.articles} of {len(articles)} articles arrived"
    if loads is not None:
        loads.append(peer.load)
    return peer.rate


async def fan_out_rate(articles: Sequence[Article], peers: int, costs: list[float]) -> float:
    """Deliveries a second to so many peers while articles are offered; microseconds of CPU a delivery go to `costs`."""
    names = [f"{PEER}-{number}" for number in range(peers)]
    async with discarding() as peer, outfeed(peer.port, pause=True) as server:
        for name in names:
            server.peer(name, peer.port)
        await server.apply()
        for name in names:
            await server.connected(name)
        del server.peer_options[PEER]
        await server.apply()
        before = cost(server.pid)
        await offer(server, articles)
        for name in names:
            await server.drained(name, within=300, every=0.25)
        used = cost(server.pid) - before
    assert peer.articles == peers * len(articles)
    costs.append(used.cpu / peer.articles * 1e6)
    return peer.rate


async def live_rate(articles: Sequence[Article], receiver: Callable) -> float:
    """Articles a second that reach a connected peer while they are offered."""
    async with receiver() as peer, outfeed(peer.port, connections={"max": 1}) as server:
        await server.connected(PEER)
        await offer(server, articles)
        await server.drained(PEER, within=300, every=0.25)
    assert peer.articles == len(articles)
    return peer.rate


async def offer_rate(articles: Sequence[Article]) -> float:
    """Articles a second that are taken in durably over gRPC, for a peer that is away."""
    async with outfeed(free_port()) as server:
        return await offer(server, articles)


async def offer(server: OutfeedServer, articles: Sequence[Article]) -> float:
    batch = 250 if len(articles[0].content) < 10_000 else 8
    began = time.perf_counter()
    offered = await server.offer(articles, batch=batch)
    assert len(offered.confirmed) == len(articles), offered.outcomes
    return len(articles) / (time.perf_counter() - began)


async def backlog_memory(count: int) -> int:
    """Octets resident with `count` articles in the backlog of one absent peer."""
    async with outfeed(free_port()) as server:
        for piece in pieces(corpus.synthetic(count, 600), 10_000):
            await offer(server, piece)
        await server.flush(PEER)
        counters = await server.counters(PEER)
        assert counters.queued == count
        return cost(server.pid).rss


def pieces(articles: Iterable[Article], size: int) -> Iterable[list[Article]]:
    piece: list[Article] = []
    for article in articles:
        piece.append(article)
        if len(piece) == size:
            yield piece
            piece = []
    if piece:
        yield piece


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=30_000)
    parser.add_argument("--large", type=int, default=500)
    parser.add_argument("--backlog", type=int, default=1_000_000 if SCALE >= 10 else 100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rss = await backlog_memory(options.backlog)
    print(f"memory: {rss / MIB:.0f} MiB resident with {options.backlog:,} articles in the backlog of an absent peer")
    small = list(corpus.synthetic(options.articles, SMALL))
    rates = await in_turns({"offer": functools.partial(offer_rate, small)}, options.rounds)
    print(f"offer: {rates['offer']:,.0f} articles/s of 2 KB, durable")
    await beside_sendall(list(corpus.synthetic(options.large, LARGE)), options.rounds)
    with innfeed_spool(options.articles) as sender:
        for connections in (1, 2):
            await beside_innfeed(sender, small, connections, options.rounds)
        rates = await in_turns(
            {
                "outfeed": functools.partial(drain_rate, small, discarding, 1),
                "outfeed, live": functools.partial(live_rate, small, discarding),
                "innfeed": functools.partial(innfeed_rate, sender, discarding, 1),
            },
            options.rounds,
        )
    print(ratio_line("outfeed live", rates["outfeed, live"], rates["innfeed"]))
    print(ratio_line("outfeed", rates["outfeed"], rates["innfeed"]))
    print(ratio_line("backlog beside live", rates["outfeed"], rates["outfeed, live"]))
    await to_many(small, options.rounds)


async def beside_innfeed(sender: InnSender, articles: Sequence[Article], connections: int, rounds: int) -> None:
    """To innd; where its load is near 100 %, innd is the limit."""
    loads: dict[str, list[float]] = {"outfeed": [], "innfeed": []}
    contenders = {
        "outfeed": functools.partial(drain_rate, articles, innd, connections, loads["outfeed"]),
        "innfeed": functools.partial(innfeed_rate, sender, innd, connections, loads["innfeed"]),
    }
    rates = await in_turns(contenders, rounds)
    print(ratio_line(f"innd with {connections} connections:", rates["outfeed"], rates["innfeed"]))
    for name, measured in loads.items():
        print(f"  innd's CPU under {name}: {statistics.median(measured):.0%} of a core")


async def to_many(articles: Sequence[Article], rounds: int) -> None:
    """The same articles to more and more peers."""
    for peers in FAN_OUT:
        costs: list[float] = []
        share = articles[: max(1_000, len(articles) // peers * 2)]
        rates = await in_turns({f"{peers} peers": functools.partial(fan_out_rate, share, peers, costs)}, rounds)
        print(
            f"{peers} peers: {rates[f'{peers} peers']:,.0f} deliveries/s of 2 KB, "
            f"{statistics.median(costs):.1f} us of CPU a delivery"
        )


async def beside_sendall(articles: Sequence[Article], rounds: int) -> None:
    contenders = {
        "outfeed": functools.partial(drain_rate, articles, discarding, 1),
        "sendall": functools.partial(sendall_rate, articles),
    }
    rates = await in_turns(contenders, rounds)
    print(ratio_line("750 KB", rates["outfeed"], rates["sendall"]))


if __name__ == "__main__":
    asyncio.run(main())
