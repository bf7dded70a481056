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
WAVES, WAVE = 3, 200
"""So many times so many articles are offered, each time in front of another connection of the bad peer."""
TIMEOUT = r"no answer to {} within 1 s"
TOO_LONG = "a line that is too long for a reply"
KINDS = [
    (badpeers.NeverReads, TIMEOUT.format("CHECK <.*>")),
    (badpeers.OctetByOctet, TIMEOUT.format("CHECK <.*>")),
    (badpeers.WrongIds, "expected the reply for <.*>, got: 238 <wrong-0@id.example>"),
    # Alone, an article has its CHECK answered in order; but then its TAKETHIS gets a 238 too.
    (badpeers.OutOfOrder, "expected the reply for <.*>, got: 238 <.*>|nothing but errors: 238"),
    (badpeers.LongLines, TOO_LONG),
    (badpeers.EndlessLine, TOO_LONG),
    (badpeers.Unasked, "a reply without a command: 239 <nobody@asked.example>"),
    (badpeers.CutsArticles, "closed the connection|the connection broke"),
    (badpeers.Hangs, TIMEOUT.format("MODE STREAM")),
    (badpeers.Floods, "a reply without a command|expected the reply for"),
    (badpeers.EndlessGreeting, TOO_LONG),
    (badpeers.EndlessCapabilities, "the list of capabilities has no end"),
    (badpeers.Rubbish, "not an NNTP reply"),
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
async def test_a_bad_peer_harms_nobody_else(outfeed, recording_peer, bad_server, fault):
    good = {name: await recording_peer() for name in ("good", "better")}
    for name, peer in good.items():
        outfeed.peer(name, peer.port)
    compress = bad_server.kind is badpeers.EndlessCapabilities
    outfeed.peer("bad", bad_server.port, timeouts={"response": "1s"}, compress=compress)
    await outfeed.start()
    before = psutil.Process(outfeed.pid).memory_info().rss
    articles = list(synthetic(WAVES * WAVE, 2_000))
    for first in range(0, len(articles), WAVE):
        wave = articles[first : first + WAVE]
        opened = bad_server.opened
        assert (await outfeed.offer(wave)).confirmed == ids(wave)
        for name, peer in good.items():
            await outfeed.drained(name)
            assert set(ids(wave)) <= peer.articles.keys()
        # All the while the bad one goes on.
        await eventually(lambda opened=opened: bad_server.opened > opened)
    await eventually(lambda: tells(outfeed, fault))
    assert psutil.Process(outfeed.pid).memory_info().rss < before + ROOM
    for peer in good.values():
        assert peer.offered == ids(articles), "each was offered once, in order"
        assert peer.opened == 1, "no connection was lost"
    mended = await recording_peer()
    outfeed.peer("bad", mended.port)
    await outfeed.apply()
    counters = await outfeed.drained("bad")
    assert sorted(mended.articles) == sorted(ids(articles))
    assert (counters.offered, counters.accepted) == (len(articles), len(articles))
    assert not any(peer.repeats for peer in good.values())
    await outfeed.emptied()


@pytest.mark.parametrize("bad_server", [badpeers.NeverReads, badpeers.Hangs, badpeers.OctetByOctet], indirect=True)
async def test_others_do_not_wait_for_a_peer_that_makes_us_wait(outfeed, peer, bad_server):
    """With a patience of an hour, nothing would arrive within the time of the test if they did."""
    outfeed.peer("good", peer.port)
    outfeed.peer("bad", bad_server.port, timeouts={"response": "1h"}, queue={"size": 100})
    await outfeed.start()
    await eventually(lambda: bad_server.opened)
    articles = list(synthetic(3_000, 2_000))
    assert (await outfeed.offer(articles)).confirmed == ids(articles)
    await outfeed.drained("good")
    assert sorted(peer.articles) == sorted(ids(articles))
    status = (await outfeed.peers())["bad"]
    assert bad_server.opened == 1
    assert status.queue_length <= 200
    assert status.counters.queued + status.counters.in_flight + status.counters.deferred == len(articles)


async def tells(outfeed, fault):
    status = (await outfeed.peers())["bad"]
    assert re.search(fault, status.last_error), status.last_error
    return True
