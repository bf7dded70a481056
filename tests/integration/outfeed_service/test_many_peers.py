"""Many peers on one service: 50, and 500 with SCALE=10."""

from contextlib import AsyncExitStack

import psutil
import pytest

from conftest import SCALE
from corpus import synthetic
from eventually import eventually
from peers.recordingpeer import RecordingPeer

from .waiting import ids

PEERS = 50 * SCALE
ARTICLES = 40
MIB = 1 << 20
ROOM = 40 * MIB + PEERS * MIB // 2
"""Octets by which the service may grow once it has peers."""
SPARE = 64
"""Threads and files that are not a peer's."""

pytestmark = pytest.mark.timeout(300 * SCALE)


@pytest.fixture
async def peers():
    async with AsyncExitStack() as stack:
        started = {}
        for number in range(PEERS):
            peer = started[f"peer-{number}"] = RecordingPeer()
            await peer.start()
            stack.push_async_callback(peer.stop)
        yield started


async def test_all_of_many_peers_are_fed(make_outfeed, redis, peers):
    articles = list(synthetic(3 * ARTICLES, 2_000))
    outfeed = make_outfeed(redis, watch=False)
    await outfeed.start()
    alone = psutil.Process(outfeed.pid).memory_info().rss
    for name, peer in peers.items():
        outfeed.peer(name, peer.port)
    await outfeed.apply()
    await fed(outfeed, peers, articles[:ARTICLES])
    await fed(outfeed, peers, articles[ARTICLES : 2 * ARTICLES])
    process = psutil.Process(outfeed.pid)
    assert process.memory_info().rss < alone + ROOM
    assert process.num_threads() < SPARE
    assert process.num_fds() < PEERS + SPARE
    await outfeed.stop()
    await outfeed.start()
    await fed(outfeed, peers, articles[2 * ARTICLES :])
    for peer in peers.values():
        assert sorted(peer.articles) == sorted(ids(articles))
        assert not peer.repeats
        assert peer.opened == 2
    await outfeed.emptied()
    await outfeed.stop()


async def fed(outfeed, peers, articles):
    """Offer the articles, and wait until all peers have them."""
    offered = await outfeed.offer(articles)
    assert offered.confirmed == ids(articles)
    last = articles[-1].message_id
    await eventually(lambda: all(last in peer.articles for peer in peers.values()), within=60 * SCALE)
    await eventually(lambda: owes_nothing(outfeed), within=60 * SCALE, every=0.25)


async def owes_nothing(outfeed):
    statuses = await outfeed.peers()
    assert len(statuses) == PEERS
    counters = [status.counters for status in statuses.values()]
    return not sum(each.queued + each.deferred + each.in_flight for each in counters)
