from math import inf

import pytest

from forebay.conduit.core.session.peer import PeerState
from forebay.conduit.core.session.posted import Audience, Posted
from forebay.conduit.core.wire.messages import Close, CloseReason, Hello, KeepAlive, Open, Role, Scout

ME, YOU, NEW = b"me", b"you", b"new"
HELLO = Hello(Role.PEER)


def kinds(posted, wanted=object):
    return [(type(message).__name__, to) for message, to, _ in posted if isinstance(message, wanted)]


def test_it_scouts_at_once_and_then_at_intervals(house):
    assert kinds(house.upkeep.run(10.0)) == [("Scout", Audience.GROUP)]
    assert house.upkeep.due() == 13.0
    assert house.upkeep.run(12.9) == []
    assert kinds(house.upkeep.run(13.0)) == [("Scout", Audience.GROUP)]


def test_it_scouts_so_often(make_house):
    house = make_house(scout_count=2)
    assert [len(house.upkeep.run(3.0 * turn)) for turn in range(4)] == [1, 1, 0, 0]
    assert house.upkeep.due() == inf


def test_it_does_not_scout_at_all(make_house):
    house = make_house(scout_interval=inf)
    assert house.upkeep.run(0.0) == []
    assert house.upkeep.run(100.0) == []


def test_static_peers_are_scouted_until_they_are_there(make_house):
    house = make_house(static_peers=("a", "b"))
    assert kinds(house.upkeep.run(0.0)) == [("Scout", Audience.GROUP), ("Scout", "a"), ("Scout", "b")]
    house.opened(YOU, "a")
    assert kinds(house.upkeep.run(3.0), Scout) == [("Scout", Audience.GROUP), ("Scout", "b")]


def test_who_is_sought_anew_is_scouted_at_once(house):
    house.upkeep.run(0.0)
    house.upkeep.seek(("a", "b"))
    assert kinds(house.upkeep.run(0.1)) == [("Scout", Audience.GROUP), ("Scout", "a"), ("Scout", "b")]
    house.upkeep.seek(("b",))
    assert house.upkeep.run(0.2) == []
    assert kinds(house.upkeep.run(3.1)) == [("Scout", Audience.GROUP), ("Scout", "b")]


def test_nobody_is_scouted_who_is_sought_by_a_node_that_does_not_scout(make_house):
    house = make_house(scout_interval=inf)
    house.upkeep.seek(("a",))
    assert house.upkeep.run(0.1) == []


def test_open_is_sent_again_until_the_tries_are_used_up(house):
    house.sessions.greeted(HELLO, "a", 0.0)
    sent = [len(kinds(house.upkeep.run(float(second)), Open)) for second in range(1, 8)]
    assert sent == [1, 1, 1, 1, 0, 0, 0]
    assert house.states == []
    assert house.events == []


def test_how_often_and_when_are_settings(make_house):
    house = make_house(open_interval=0.5, open_tries=2)
    house.sessions.greeted(HELLO, "a", 0.0)
    assert [len(kinds(house.upkeep.run(0.5 * turn), Open)) for turn in range(1, 4)] == [1, 0, 0]


def test_an_established_peer_is_welcomed_and_told_of(house):
    house.opened(YOU, "a")
    assert house.upkeep.due() == -inf
    house.upkeep.run(0.0)
    assert [peer.peer_id for peer in house.welcomed] == [YOU]
    assert house.changes == [("connected", YOU, None)]
    house.upkeep.run(1.0)
    assert len(house.events) == 1


def test_the_lease_that_a_peer_advertised_ends_its_session(house):
    house.opened(YOU, "a", now=0.0, lease=10)
    house.opened(NEW, "b", now=0.0, lease=600)
    house.upkeep.run(0.0)
    house.upkeep.run(0.99)
    assert house.sessions.peers.by_id(YOU).state is PeerState.ESTABLISHED
    posted = house.upkeep.run(1.0)
    assert Posted(Close(ME, CloseReason.OK), "a", YOU) in posted
    assert house.changes[-1] == ("disconnected", YOU, None)
    assert "lease of 1 s" in house.events[-1].reason
    assert house.states == [(NEW, "b", "established")]


def test_a_lease_of_nothing_never_ends(house):
    house.opened(YOU, "a", now=0.0, lease=0)
    house.upkeep.run(1e9)
    assert house.states == [(YOU, "a", "established")]


def test_leases_end_established_sessions_only(house):
    house.sessions.greeted(HELLO, "a", 0.0)
    (peer,) = house.sessions.peers
    peer.lease = 0.1
    house.upkeep.run(0.5)
    assert peer.state is PeerState.OPENING


def test_housekeeping_comes_when_a_lease_ends(make_house):
    house = make_house(lease=0)
    house.opened(YOU, "a", now=0.0, lease=10)
    house.upkeep.run(0.0)
    assert house.upkeep.due() == 1.0


def test_an_expired_peer_stays_while_receivers_are_active(house):
    house.opened(YOU, "a")
    house.upkeep.run(0.0)
    peer = house.sessions.peers.by_id(YOU)
    assert peer.enter()
    assert peer.enter()
    peer.expire("test")
    house.upkeep.run(0.1)
    peer.leave()
    house.upkeep.run(0.2)
    assert (peer.state, house.dismissed) == (PeerState.EXPIRED, [])
    assert house.upkeep.due() > 0.2
    peer.leave()
    assert house.upkeep.due() == -inf
    house.upkeep.run(0.3)
    assert (peer.state, house.dismissed) == (PeerState.UNKNOWN, [peer])


def test_nothing_is_received_of_an_expired_peer(house):
    house.opened(YOU, "a")
    peer = house.sessions.peers.by_id(YOU)
    peer.expire("test")
    assert not peer.enter()
    assert peer.active == 0


def test_a_closed_session_is_told_of_once(house):
    house.opened(YOU, "a")
    house.upkeep.run(0.0)
    house.sessions.closed(Close(YOU, 7), "a")
    assert kinds(house.upkeep.run(0.1)) == []
    assert house.changes == [("connected", YOU, None), ("disconnected", YOU, None)]
    assert "reason 7" in house.events[-1].reason


@pytest.mark.parametrize("new", [YOU, NEW], ids=["the same node", "a restarted one"])
def test_a_replaced_session_is_a_reconnection(house, new):
    house.opened(YOU, "a", session=1)
    house.upkeep.run(0.0)
    house.opened(new, "a", session=2)
    house.upkeep.run(0.1)
    assert house.changes == [("connected", YOU, None), ("reconnected", new, YOU)]
    assert [peer.peer_id for peer in house.dismissed] == [YOU]
    assert [peer.peer_id for peer in house.welcomed] == [YOU, new]


def test_what_replaces_a_session_finds_its_predecessor_gone(house):
    order = []
    house.welcome = lambda peer, now: order.append(("welcome", peer.peer_id))
    house.dismiss = lambda peer, now: order.append(("dismiss", peer.peer_id))
    house.opened(YOU, "a")
    house.upkeep.run(0.0)
    house.opened(NEW, "a")
    house.upkeep.run(0.1)
    assert order == [("welcome", YOU), ("dismiss", YOU), ("welcome", NEW)]


def test_a_session_that_ended_before_housekeeping_came_is_cleaned_up_and_not_told_of(house):
    house.opened(YOU, "a")
    (peer,) = house.sessions.peers
    house.sessions.closed(Close(YOU, 0), "a")
    house.upkeep.run(0.0)
    assert (house.events, house.welcomed, house.dismissed, house.states) == ([], [], [peer], [])


def test_slots_are_used_again(house):
    for turn in range(3):
        house.opened(YOU, "a", session=turn + 1)
        house.upkeep.run(turn)
        assert house.sessions.peers.by_id(YOU).index == 0
        house.sessions.closed(Close(YOU, 0), "a")
        house.upkeep.run(turn + 0.5)


def keepalives(house, now):
    return kinds(house.upkeep.run(now), KeepAlive)


def test_a_keepalive_goes_out_at_a_quarter_of_the_own_lease(make_house):
    house = make_house(lease=4.0)
    house.opened(YOU, "a", now=0.0, lease=0)
    house.upkeep.run(0.0)
    house.sessions.peers.group_sent = 0.0
    assert house.upkeep.due() == 1.0
    assert keepalives(house, 0.99) == []
    assert keepalives(house, 1.0) == [("KeepAlive", "a")]


def test_data_to_all_make_keepalives_superfluous(house):
    house.opened(YOU, "a", now=0.0, lease=0)
    house.opened(NEW, "b", now=0.0, lease=0)
    house.upkeep.run(0.0)
    house.sessions.peers.group_sent = 1.0
    assert keepalives(house, 2.0) == []
    assert keepalives(house, 2.25) == [("KeepAlive", Audience.PEERS)]


def test_data_to_one_do_not_count_for_the_others(house):
    house.opened(YOU, "a", now=0.0, lease=0)
    house.opened(NEW, "b", now=0.0, lease=0)
    house.upkeep.run(0.0)
    house.sessions.peers.by_id(YOU).sent = 1.0
    assert keepalives(house, 1.25) == [("KeepAlive", "b")]


def test_data_to_each_count_as_data_to_all(house):
    house.opened(YOU, "a", now=0.0, lease=0)
    house.opened(NEW, "b", now=0.0, lease=0)
    house.upkeep.run(0.0)
    for peer in house.sessions.peers:
        peer.sent = 1.0
    assert keepalives(house, 2.0) == []


def test_who_lives_for_ever_need_not_say_so(make_house):
    house = make_house(lease=0)
    house.opened(YOU, "a", now=0.0, lease=0)
    assert keepalives(house, 1e6) == []


def test_without_peers_nobody_is_told(house):
    assert keepalives(house, 100.0) == []
