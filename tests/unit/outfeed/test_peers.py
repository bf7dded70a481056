"""All peers: made, changed and deleted as the configuration says."""

from dataclasses import replace

import pytest

from fakeclock import settle
from forebay.outfeed.incoming.intake import Verdict
from forebay.outfeed.peers import Peers
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.storeroom import UNAUDITED
from forebay.runtime.errors import NotFoundError
from forebay.spill import Change, SpillFullError
from manifests import peer_options
from onepeer import IDLE


def names(house):
    return [peer.options.name for peer in house.peers]


def holds(house):
    return house.storeroom.store.stats.holds


def broken(name):
    """Options with a pattern that cannot be read."""
    option = peer_options(name)
    spec = option.spec.model_copy(update={"groups": ("misc.[",)})
    return replace(option, name=name, spec=spec)


async def test_peers_are_listed_by_name(house):
    await house.add("b", "a")
    assert (names(house), len(house.peers)) == (["a", "b"], 2)
    assert house.peers["a"].number != house.peers["b"].number


async def test_a_peer_that_there_is_not_is_told_by_name(house):
    with pytest.raises(NotFoundError, match="there is no peer nobody"):
        house.peers["nobody"]


async def test_a_new_peer_gets_what_comes_from_now_on(house, made):
    await house.add("a")
    await house.offer("one")
    await house.add("a", "b")
    await house.offer("two")
    assert [peer.feed.ledger.offered for peer in house.peers] == [2, 1]


async def test_a_changed_peer_stays_the_same_one(house, made):
    await house.add("a")
    before = house.peers["a"]
    await house.apply(peer_options("a", groups=["comp.*"]))
    assert house.peers["a"] is before
    (judged,) = await house.offer("one")
    assert judged.verdict is Verdict.NO_PEER


async def test_an_unchanged_peer_is_left_alone(house, made, monkeypatch):
    await house.add("a")
    monkeypatch.setattr(house.peers["a"], "change", None)
    await house.add("a")


async def test_a_deleted_peer_gives_up_its_bodies_and_its_streams(house, made):
    await house.add("a", "b")
    await house.offer("one")
    await house.apply(peer_options("b"))
    assert names(house) == ["b"]
    assert list(house.redis.owners) == [peer_options("b").uid]
    assert house.storeroom.store.stats.messages == 1
    await house.apply()
    assert house.storeroom.store.stats.messages == 0
    assert not house.redis.owners


async def test_a_peer_that_was_made_anew_inherits_nothing(house, made):
    await house.add("a")
    await house.offer("one")
    option = peer_options("a")
    await house.apply(replace(option, name="a", uid="another-uid"))
    assert house.peers["a"].feed.ledger.offered == 0
    assert list(house.redis.owners) == ["another-uid"]


async def test_a_faulty_pattern_leaves_the_last_good_options_in_force(house, made):
    await house.add("a", "b")
    violations = await house.apply(broken("a"), peer_options("b", window=5))
    assert {name: violation.field for name, violation in violations.items()} == {"a": "spec.groups"}
    assert house.peers["a"].options == peer_options("a")
    assert house.peers["b"].options.spec.window == 5
    await house.offer("one")
    assert house.peers["a"].feed.ledger.offered == 1


async def test_a_faulty_pattern_makes_no_new_peer(house):
    await house.apply(broken("a"))
    assert names(house) == []


async def test_a_peer_whose_resource_is_faulty_is_kept(house, made):
    await house.add("a", "b")
    await house.apply(peer_options("b"), faulty={peer_options("a").uid})
    assert names(house) == ["a", "b"]


async def test_peers_that_were_deleted_while_the_service_was_down_are_forgotten(house, made):
    await house.storeroom.feedlog.add_peer("gone")
    house.redis.owners["gone"] = type(house.spill.spool("gone").streams)()
    await house.add("a")
    await house.second()
    assert set(house.storeroom.feedlog.peers) == {peer_options("a").uid}
    assert list(house.redis.owners) == [peer_options("a").uid]


async def test_streams_of_a_deleted_peer_go_once_redis_is_back(house, made):
    await house.add("a")
    house.redis.away = True
    await house.apply()
    assert list(house.redis.owners) == [peer_options("a").uid]
    house.redis.away = False
    await house.second()
    assert not house.redis.owners


async def test_bodies_are_kept_until_every_spool_was_audited(house, made):
    house.redis.away = True
    await house.add("a")
    assert UNAUDITED in holds(house)
    house.redis.away = False
    house.spill.tell(Change.AVAILABLE)
    await house.second()
    assert UNAUDITED not in holds(house)


async def test_every_peer_is_told_when_redis_is_back(house, made):
    await house.add("a", "b")
    for peer in house.peers:
        peer.backlog.trouble = SpillFullError("full")
    house.spill.tell(Change.UNAVAILABLE, reason="gone")
    house.spill.tell(Change.FULL, reason="full")
    assert all(peer.backlog.trouble for peer in house.peers)
    house.spill.tell(Change.AVAILABLE)
    assert not any(peer.backlog.trouble for peer in house.peers)


async def test_the_checkpoints_are_those_of_the_peers(house, made):
    await house.add("a", "b")
    made.made[0].open()
    await house.offer("one", "two")
    feed = made.made[0].feed
    assert house.peers.checkpoints == {0: -1, 1: 1}
    feed.settle(Outcome.ACCEPTED, feed.take(1), "239")
    assert house.peers.checkpoints == {0: 0, 1: 1}


async def test_all_peers_are_stopped_at_once(house, made):
    await house.add("a", "b")
    made.made[0].open()
    made.made[1].open()
    await house.offer("one")
    await house.peers.stop(5.0)
    await settle(IDLE)
    assert [connection.ended for connection in made.made] == ["the service stops"] * 2
    assert house.peers.checkpoints == {0: 0, 1: 0}


async def test_what_is_owed_at_a_start_is_counted_as_offered(house, made):
    await house.add("a")
    await house.offer("one", "two")
    await house.peers.stop(5.0)
    again = Peers(house.storeroom, house.masterfeed, house.spill, house.tasks, house.clock)
    await again.apply([peer_options("a")], set())
    await settle(IDLE)
    ledger = again["a"].feed.ledger
    assert (ledger.offered, ledger.queued, ledger.imbalance) == (2, 2, 0)
