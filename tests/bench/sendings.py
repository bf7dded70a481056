"""How fast outfeed takes in and sends, and what CPU an article costs a sender and its receiver."""

import statistics
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from articles import Article
from bench.common import cost, scratch_folder
from bench.receivers import MakeReceiver, Receiver, discarding
from outfeedserver import OutfeedServer
from peers.valkey import run_valkey
from ports import free_port

PEER = "peer"
PATIENCE = 300.0
"""Seconds after which what is not sent never will be."""
BUSY = 0.9
"""Of the time a receiver, which has one thread, runs when it is the limit."""


class Spent:
    """What the rounds of one sender cost beside their time."""

    def __init__(self) -> None:
        self.sender: list[float] = []
        """Microseconds of CPU an article, of all its threads."""
        self.loads: list[float] = []
        self.waits: list[float] = []
        """Of the receiver, as `Receiver` has them."""

    def note(self, seconds: float, peer: Receiver) -> None:
        """A round ended."""
        self.sender.append(seconds / peer.articles * 1e6)
        self.loads.append(peer.load)
        self.waits.append(peer.waiting)

    def __str__(self) -> str:
        sender, load, wait = map(statistics.median, (self.sender, self.loads, self.waits))
        limit = ""
        if load > BUSY:
            limit = ": it is the limit"
        elif load + wait > BUSY:
            limit = ": the machine is too busy to compare rates"
        return (
            f"{sender:.1f} us of CPU an article; the receiver ran for {load:.0%} of the time "
            f"and was kept from running for {wait:.0%}{limit}"
        )


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
    articles: Sequence[Article],
    receiver: MakeReceiver,
    connections: int = 1,
    spent: Spent | None = None,
    **options: object,
) -> float:
    """Articles a second that leave the backlog of a peer once it is resumed."""
    options = {"pause": True, "connections": {"max": connections}, **options}
    async with receiver() as peer, outfeed(peer.port, **options) as server:
        await offer(server, articles)
        await server.flush(PEER)
        before = cost(server.pid)
        server.peer_options[PEER]["pause"] = False
        await server.apply()
        await server.drained(PEER, within=PATIENCE, every=0.25)
        used = cost(server.pid) - before
    assert peer.articles == len(articles), f"{peer.articles} of {len(articles)} articles arrived"
    if spent:
        spent.note(used.cpu, peer)
    return peer.rate


async def queue_rate(articles: Sequence[Article], receiver: MakeReceiver, connections: int, spent: Spent) -> float:
    """Articles a second that leave the memory queue of a peer once it is resumed, as in a live feed."""
    waiting = {"backlog": {"enabled": False}, "queue": {"size": len(articles)}}
    return await drain_rate(articles, receiver, connections, spent, **waiting)


async def live_rate(articles: Sequence[Article], receiver: MakeReceiver) -> float:
    """Articles a second that reach a connected peer while they are offered."""
    async with receiver() as peer, outfeed(peer.port) as server:
        await server.connected(PEER)
        await offer(server, articles)
        await server.drained(PEER, within=PATIENCE, every=0.25)
    assert peer.articles == len(articles)
    return peer.rate


async def fan_out_rate(articles: Sequence[Article], peers: int, spent: Spent) -> float:
    """Deliveries a second to so many peers while articles are offered."""
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
            await server.drained(name, within=PATIENCE, every=0.25)
        used = cost(server.pid) - before
    assert peer.articles == peers * len(articles)
    spent.note(used.cpu, peer)
    return peer.rate


async def offer_rate(articles: Sequence[Article]) -> float:
    """Articles a second that are taken in durably over gRPC, for a peer that is away."""
    async with outfeed(free_port()) as server:
        return await offer(server, articles)


async def offer(server: OutfeedServer, articles: Sequence[Article]) -> float:
    """Offer articles; returns how many a second were taken in."""
    batch = 250 if len(articles[0].content) < 10_000 else 8
    began = time.perf_counter()
    offered = await server.offer(articles, batch=batch)
    assert len(offered.confirmed) == len(articles), offered.outcomes
    return len(articles) / (time.perf_counter() - began)


async def backlog_memory(pieces: Iterable[Sequence[Article]]) -> int:
    """Octets resident with all these articles in the backlog of one absent peer."""
    async with outfeed(free_port()) as server:
        count = 0
        for piece in pieces:
            await offer(server, piece)
            count += len(piece)
        await server.flush(PEER)
        counters = await server.counters(PEER)
        assert counters.queued == count
        return cost(server.pid).rss
