"""Peers that want a login: it is given, refused and told, changed, and it troubles no other peer."""

import pytest

from articles import without_path
from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import has_spilled, ids

AUTH = {"username": "feeder", "passwordFrom": {"secretRef": {"name": "east", "key": "value"}}}


@pytest.fixture
async def east(outfeed, peer):
    """A peer that wants a login, and another that does not; the outfeed is not started."""
    peer.login = (b"feeder", b"right")
    outfeed.peer("east", peer.port, auth=AUTH)
    return peer


async def is_refused(outfeed, name):
    return (await outfeed.peers())[name].error_reason == "AUTH_FAILED"


def faults(response):
    return [(each.name, violation.field) for each in response.results for violation in each.violations]


async def test_a_peer_is_fed_after_the_login(outfeed, east):
    outfeed.secrets["east"] = "right"
    await outfeed.start()
    articles = list(synthetic(50, 500))
    await outfeed.offer(articles)
    assert (await outfeed.drained("east")).accepted == 50
    assert set(east.articles) == set(ids(articles))


async def test_a_refused_login_is_told_and_a_changed_password_tried_at_once(outfeed, east):
    outfeed.secrets["east"] = "wr0ng"
    await outfeed.start()
    await outfeed.offer(synthetic(50, 500))
    await eventually(lambda: is_refused(outfeed, "east"))
    await eventually(lambda: has_spilled(outfeed, "east", 50))

    async def is_tried_again():
        status = (await outfeed.peers())["east"]
        return status.state in (pb.PEER_STATE_BACKING_OFF, pb.PEER_STATE_CONNECTING) and status

    # Between the end of the wait and the next look, which is once a second, it is neither.
    status = await eventually(is_tried_again)
    assert "does not accept the user name and password: AUTHINFO PASS was answered: 481 no" in status.last_error
    outfeed.secrets["east"] = "right"
    assert not faults(await outfeed.apply())
    assert (await outfeed.drained("east")).accepted == 50
    assert (await outfeed.peers())["east"].error_reason == ""
    assert "wr0ng" not in outfeed.log_text()


async def test_a_peer_that_wants_a_login_it_is_not_given_says_so(outfeed, east):
    outfeed.peer("east", east.port)
    await outfeed.start()
    await eventually(lambda: is_refused(outfeed, "east"))
    assert "the peer wants a login, see spec.auth" in (await outfeed.peers())["east"].last_error


async def test_a_rotated_password_is_used_with_the_next_connection_and_ends_none(outfeed, east):
    outfeed.secrets["east"] = "right"
    await outfeed.start()
    await outfeed.connected("east")
    east.login = (b"feeder", b"newer")
    outfeed.secrets["east"] = "newer"
    await outfeed.apply()
    await outfeed.offer(synthetic(50, 500))
    assert (await outfeed.drained("east")).accepted == 50
    assert east.opened == 1
    east.cut()
    await outfeed.offer(synthetic(50, 500, start=50))
    assert (await outfeed.drained("east")).accepted == 100
    assert east.opened == 2
    assert not (await outfeed.peers())["east"].error_reason


async def test_a_peer_whose_password_is_gone_goes_on_as_it_was_and_so_do_others(outfeed, east, recording_peer):
    west = await recording_peer()
    outfeed.peer("west", west.port)
    outfeed.secrets["east"] = "right"
    await outfeed.start()
    for name in ("east", "west"):
        await outfeed.connected(name)
    del outfeed.secrets["east"]
    outfeed.peer("west", west.port, groups=["*"])
    assert faults(await outfeed.apply()) == [("east", "spec.auth.passwordFrom.secretRef")]
    await outfeed.offer(synthetic(50, 500))
    for name in ("east", "west"):
        assert (await outfeed.drained(name)).accepted == 50
    assert (east.opened, west.opened) == (1, 1)


async def test_a_peer_whose_password_is_missing_at_the_start_keeps_its_backlog(outfeed, east):
    outfeed.secrets["east"] = "wrong"
    await outfeed.start()
    await outfeed.offer(synthetic(50, 500))
    await eventually(lambda: has_spilled(outfeed, "east", 50))
    await outfeed.stop()
    del outfeed.secrets["east"]
    await outfeed.start()
    assert not await outfeed.peers()
    outfeed.secrets["east"] = "right"
    assert not faults(await outfeed.apply())
    assert (await outfeed.drained("east")).accepted == 50


@pytest.mark.inn
async def test_innd_is_fed_after_the_login(outfeed, make_inn):
    inn = make_inn()
    await inn.start()
    await inn.stop()
    inn.configure(password="right")
    await inn.start()
    outfeed.peer("inn", inn.port, auth=AUTH)
    outfeed.secrets["east"] = "wrong"
    await outfeed.start()
    articles = list(synthetic(50, 500))
    await outfeed.offer(articles)
    await eventually(lambda: is_refused(outfeed, "inn"))
    outfeed.secrets["east"] = "right"
    await outfeed.apply()
    assert (await outfeed.drained("inn")).accepted == 50
    stored = inn.stored()
    assert {name: without_path(wire) for name, wire in stored.items()} == {
        article.message_id: without_path(article.wire) for article in articles
    }
