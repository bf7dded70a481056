"""An article at which the peer breaks the connection: all others arrive, and it is given up."""

import pytest

from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import has_spilled, ids

COUNT = 200
OPTIONS = {"reconnect": {"initial": "100ms", "maximum": "200ms"}}


class Breaking:
    """Breaks the connection as it is asked about some articles, or as it gets them."""

    def __init__(self, peer, bad, command):
        self.peer = peer
        self.bad = bad
        self.asked, self.got = peer.check, peer.take
        self.breaks = 0
        setattr(peer, command, getattr(self, command))

    def check(self, message_id):
        self.look(message_id)
        return self.asked(message_id)

    def take(self, message_id, wire):
        if message_id not in self.bad:
            return self.got(message_id, wire)
        self.look(message_id)
        return b"239"

    def look(self, message_id):
        if message_id in self.bad:
            self.breaks += 1
            self.peer.cut()


WAYS = [
    pytest.param("check", {"noCheck": {"enabled": False}}, id="check"),
    pytest.param("take", {"noCheck": {"enabled": False}}, id="takethis after check"),
    pytest.param("take", {"noCheck": {"on": 1, "off": 0.5}}, id="takethis alone"),
    pytest.param("check", {"streaming": False}, id="ihave"),
    pytest.param("check", {"connections": {"max": 2}, "noCheck": {"enabled": False}}, id="two connections"),
]


@pytest.mark.parametrize(("command", "options"), WAYS)
async def test_the_others_arrive_and_it_is_given_up(outfeed, peer, command, options):
    articles = list(synthetic(COUNT, 500))
    bad = {articles[3].message_id, articles[120].message_id}
    Breaking(peer, bad, command)
    outfeed.peer("picky", peer.port, **OPTIONS, **options)
    await outfeed.start()
    await outfeed.offer(articles)
    await all_others_go_on(outfeed, peer, articles, bad)


async def test_one_at_the_head_of_the_backlog_does_not_hold_it_up(outfeed, peer):
    articles = list(synthetic(COUNT, 500))
    bad = {articles[0].message_id}
    Breaking(peer, bad, "check")
    await peer.stop()
    outfeed.peer("picky", peer.port, noCheck={"enabled": False}, **OPTIONS)
    await outfeed.start()
    await outfeed.offer(articles)
    await eventually(lambda: has_spilled(outfeed, "picky", COUNT))
    await peer.start()
    await all_others_go_on(outfeed, peer, articles, bad)


async def all_others_go_on(outfeed, peer, articles, bad):
    await eventually(lambda: len(peer.articles) == COUNT - len(bad))
    more = synthetic(10_000, 500, start=COUNT)
    # That the peer takes others meanwhile shows that it is not the peer that is broken.
    await eventually(lambda: are_given_up(outfeed, bad, next(more)), within=60)
    counters = await outfeed.drained("picky")
    assert counters.offered == len(peer.articles) + len(bad)
    assert set(ids(articles)) - peer.articles.keys() == bad
    letters = (await outfeed.stub.ListDeadLetters(pb.ListDeadLettersRequest(peer="picky"))).dead_letters
    assert {(letter.message_id.encode(), letter.tries) for letter in letters} == {(each, 3) for each in bad}
    assert {letter.reason for letter in letters} == {"the connection broke at this article"}


async def are_given_up(outfeed, bad, article):
    """Offer one more, and look."""
    await outfeed.offer([article])
    return (await outfeed.counters("picky")).dead_lettered == len(bad)


async def test_a_peer_that_breaks_every_connection_costs_no_article(outfeed, peer):
    articles = list(synthetic(COUNT, 500))
    breaking = Breaking(peer, set(ids(articles)), "check")
    outfeed.peer("broken", peer.port, **OPTIONS)
    await outfeed.start()
    await outfeed.offer(articles)
    await eventually(lambda: breaking.breaks > 30)
    breaking.bad.clear()
    counters = await outfeed.drained("broken")
    assert (counters.accepted, counters.dead_lettered) == (COUNT, 0)
