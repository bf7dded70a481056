"""Peers that are broken or mean: the one beside them gets all, and so do they once they are mended."""

import re

import psutil
import pytest

from corpus import synthetic
from eventually import eventually
from peers import badpeers
from peers.badpeers import BadServer

from .waiting import ids

MIB = 1 << 20
ROOM = 64 * MIB
"""Octets by which the service may grow beside a bad peer."""
TIMEOUT = r"no answer to {} within 1 s"
TOO_LONG = "a line that is too long for a reply"
KINDS = [
    (badpeers.NeverReads, TIMEOUT.format("CHECK <.*>")),
    (badpeers.OctetByOctet, TIMEOUT.format("CHECK <.*>")),
    (badpeers.WrongIds, "expected the reply for <.*>, got: 238 <wrong-0@id.example>"),
    (badpeers.OutOfOrder, "expected the reply for <.*>, got: 238 <.*>"),
    (badpeers.LongLines, TOO_LONG),
    (badpeers.EndlessLine, TOO_LONG),
    (badpeers.Unasked, "a reply without a command: 239 <nobody@asked.example>"),
    (badpeers.CutsArticles, "closed the connection|the connection broke"),
    (badpeers.Hangs, TIMEOUT.format("MODE STREAM")),
    (badpeers.Floods, "a reply without a command|expected the reply for"),
]


@pytest.fixture
async def bad_server(request):
    server = BadServer(request.param)
    await server.start()
    yield server
    await server.stop()


@pytest.mark.parametrize(
    ("bad_server", "fault"), KINDS, indirect=["bad_server"], ids=[kind.__name__ for kind, _ in KINDS]
)
async def test_a_bad_peer_harms_nobody_else(outfeed, peer, recording_peer, bad_server, fault):
    articles = list(synthetic(400, 2_000))
    outfeed.peer("good", peer.port)
    outfeed.peer("bad", bad_server.port, timeouts={"response": "1s"})
    await outfeed.start()
    before = psutil.Process(outfeed.pid).memory_info().rss
    offered = await outfeed.offer(articles)
    assert offered.confirmed == ids(articles)
    await outfeed.drained("good")
    assert sorted(peer.articles) == sorted(ids(articles))
    assert not peer.repeats
    assert len(peer.offered) == len(articles)
    await eventually(lambda: tells(outfeed, fault))
    # The fault is not told once only: it goes on, and so does the service.
    await eventually(lambda: bad_server.opened > 2)
    assert psutil.Process(outfeed.pid).memory_info().rss < before + ROOM
    mended = await recording_peer()
    outfeed.peer("bad", mended.port)
    await outfeed.apply()
    counters = await outfeed.drained("bad")
    assert sorted(mended.articles) == sorted(ids(articles))
    assert (counters.offered, counters.accepted) == (len(articles), len(articles))
    assert not peer.repeats
    await outfeed.emptied()


async def tells(outfeed, fault):
    status = (await outfeed.peers())["bad"]
    assert re.search(fault, status.last_error), status.last_error
    return True
