"""Articles that a peer cannot take, by whatever way they go to it: they are given up, and all others arrive."""

import pytest

from corpus import synthetic
from eventually import eventually
from forebay.outfeed.peering.poison import WRONG_AFTER
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import has_spilled, ids

COUNT = 200


class Picky:
    """Says 501 to some articles, without naming them, as it is asked about them or as it gets them."""

    def __init__(self, peer, poison, command):
        self.peer = peer
        self.poison = poison
        self.asked, self.got = peer.check, peer.take
        self.failures = []
        setattr(peer, command, getattr(self, command))

    def check(self, message_id):
        return self.fail(message_id) or self.asked(message_id)

    def take(self, message_id, wire):
        return self.fail(message_id) or self.got(message_id, wire)

    def fail(self, message_id):
        if message_id not in self.poison:
            return b""
        self.failures.append(message_id)
        return b"501"


WAYS = [
    pytest.param("check", {"noCheck": {"enabled": False}}, id="check"),
    pytest.param("take", {"noCheck": {"enabled": False}}, id="takethis after check"),
    pytest.param("take", {"noCheck": {"on": 1, "off": 0.5}}, id="takethis alone"),
    pytest.param("check", {"streaming": False}, id="ihave"),
]


@pytest.mark.parametrize("waits", [False, True], ids=["live", "from the backlog"])
@pytest.mark.parametrize(("command", "options"), WAYS)
async def test_more_of_them_than_make_a_peer_wrong_are_given_up_and_all_others_arrive(
    outfeed, peer, command, options, waits
):
    articles = list(synthetic(COUNT, 500))
    # Put off together, they are offered again in a row.
    poison = set(ids(articles)[3::4])
    assert len(poison) > 2 * WRONG_AFTER
    picky = Picky(peer, poison, command)
    outfeed.peer("picky", peer.port, **options)
    if waits:
        await peer.stop()
    await outfeed.start()
    await outfeed.offer(articles)
    if waits:
        await eventually(lambda: has_spilled(outfeed, "picky", COUNT))
        await peer.start()
    counters = await outfeed.drained("picky")
    assert (counters.accepted, counters.dead_lettered, counters.offered) == (COUNT - len(poison), len(poison), COUNT)
    assert set(peer.articles) == set(ids(articles)) - poison
    assert not peer.repeats
    assert sorted(picky.failures) == sorted([*poison] * 3)
    assert peer.opened == 1, "no connection was given up for them"
    letters = (await outfeed.stub.ListDeadLetters(pb.ListDeadLettersRequest(peer="picky"))).dead_letters
    assert {letter.message_id.encode() for letter in letters} == poison
    assert {(letter.reason[:3], letter.tries) for letter in letters} == {("501", 3)}


async def test_one_at_the_head_of_the_backlog_does_not_hold_it_up(outfeed, fake_peer, recording_peer):
    """What innfeed fails at: it puts the article first again, each time."""
    away = await recording_peer()
    await away.stop()
    outfeed.peer("picky", away.port)
    await outfeed.start()
    articles = list(synthetic(100, 500))
    await outfeed.offer(articles)
    await eventually(lambda: has_spilled(outfeed, "picky", 100))
    peer = await fake_peer("501", "--match", articles[0].message_id.decode(), port=away.port)
    counters = await outfeed.drained("picky")
    assert (counters.accepted, counters.dead_lettered) == (99, 1)
    assert [reply for message_id, reply in peer.replies("CHECK") if message_id == articles[0].message_id] == ["501"] * 3
    assert len([event for event in peer.events if event.name == "open"]) == 1
