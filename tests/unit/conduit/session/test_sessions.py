import pytest

from forebay.conduit.core.errors import UnknownPeerError
from forebay.conduit.core.session.identity import LIFE_BITS, MASK, PEER_ID, session_of, with_session
from forebay.conduit.core.session.posted import Posted
from forebay.conduit.core.wire.messages import (
    VERSION,
    Accept,
    Close,
    CloseReason,
    Hello,
    KeepAlive,
    Open,
    Role,
    Scout,
)

ME, YOU, NEW = b"me", b"you", b"new"
HELLO = Hello(Role.PEER)


def kinds(posted):
    return [(type(message).__name__, to) for message, to, _ in posted]


def test_a_scout_is_answered_with_hello(house):
    assert house.sessions.scouted(Scout(5), "a") == [Posted(Hello(Role.PEER), "a")]


def test_hello_tells_where_the_node_is_reached(make_house):
    house = make_house(locators=("udp/1.2.3.4:7447",))
    assert house.sessions.scouted(Scout(4), "a")[0].message.locators == ("udp/1.2.3.4:7447",)


@pytest.mark.parametrize("mask", [0, 1, 2, 8])
def test_a_scout_for_others_is_not_answered(house, mask):
    assert house.sessions.scouted(Scout(mask), "a") == []


def test_a_scout_of_an_established_peer_is_not_answered(house):
    house.opened(YOU, "a")
    assert house.sessions.scouted(Scout(5), "a") == []
    assert house.sessions.scouted(Scout(5, ((PEER_ID, YOU),)), "a") == []


def test_a_scout_of_somebody_else_at_the_address_of_a_peer_is_answered(house):
    house.opened(YOU, "a")
    assert kinds(house.sessions.scouted(Scout(5, ((PEER_ID, NEW),)), "a")) == [("Hello", "a")]


def test_the_nodes_own_scout_is_not_answered(house):
    assert house.sessions.scouted(house.sessions.scout_message(), "self") == []
    assert house.sessions.scouted(Scout(5), "self") == []
    assert house.sessions.greeted(HELLO, "self", 0.0) == []


def test_without_extras_a_scout_says_nothing_of_itself(make_house):
    assert make_house(extended=False).sessions.scout_message() == Scout(5)


def test_hello_opens_a_session(house):
    ((message, to, _),) = house.sessions.greeted(HELLO, "a", 0.0)
    assert (message.version, message.peer_id, message.lease, to) == (VERSION, ME, 50, "a")
    assert house.states == [(b"", "a", "opening")]


def test_a_second_hello_opens_nothing_more(house):
    house.sessions.greeted(HELLO, "a", 0.0)
    assert house.sessions.greeted(HELLO, "a", 0.05) == []


def test_a_peer_that_shows_life_is_asked_again_before_its_time(house):
    """The OPEN must have been lost."""
    house.sessions.greeted(HELLO, "a", 0.0)
    assert kinds(house.sessions.kept_alive(KeepAlive(YOU), "a", 0.2)) == [("Open", "a")]
    assert house.sessions.kept_alive(KeepAlive(YOU), "a", 0.25) == []
    assert [(peer.tries, peer.next_open) for peer in house.sessions.peers] == [(1, 1.0)]


def test_hello_of_a_role_that_is_not_sought_opens_nothing(house):
    assert house.sessions.greeted(Hello(Role.CLIENT), "a", 0.0) == []


def test_open_establishes_the_session_and_is_accepted(house):
    ((message, to, _),) = house.opened(YOU, "a", lease=600)
    assert (message.opener, message.accepter, message.lease, to) == (YOU, ME, 50, "a")
    assert house.states == [(YOU, "a", "established")]
    assert house.sessions.peers.by_id(YOU).lease == 60.0


def test_accept_establishes_the_session(house):
    house.sessions.greeted(HELLO, "a", 0.0)
    assert house.accepted(YOU, "a") == []
    assert house.states == [(YOU, "a", "established")]


@pytest.mark.parametrize("source", ["a", "b"])
def test_an_accept_that_was_not_asked_for_is_ignored(house, source):
    house.sessions.greeted(HELLO, "a", 0.0)
    house.sessions.accepted(Accept(b"other", YOU, 50), source, 0.0)
    house.accepted(YOU, "b")
    assert house.states == [(b"", "a", "opening")]


def test_when_both_open_at_once_there_is_one_session(house):
    house.sessions.greeted(HELLO, "a", 0.0)
    house.opened(YOU, "a", session=9)
    house.accepted(YOU, "a", session=9)
    assert house.states == [(YOU, "a", "established")]
    assert len(house.sessions.fresh) == 1


def test_an_open_that_comes_twice_is_accepted_twice(house):
    """The first ACCEPT may have been lost."""
    first = house.opened(YOU, "a", session=9)
    assert house.opened(YOU, "a", session=9) == first
    assert len(house.sessions.fresh) == 1


def test_an_open_of_an_earlier_session_is_ignored(house):
    house.opened(YOU, "a", session=9)
    assert house.opened(YOU, "a", session=8) == []
    assert len(house.sessions.fresh) == 1


def test_a_peer_that_lost_the_session_gets_a_new_one_at_once(house):
    house.opened(YOU, "a", session=9)
    house.opened(YOU, "a", session=10)
    assert house.states == [(YOU, "a", "established"), (YOU, "a", "expired")]
    assert house.sessions.peers.by_id(YOU).previous == YOU


def test_a_restarted_peer_replaces_its_old_session_at_once(house):
    house.opened(YOU, "a")
    house.opened(NEW, "a")
    assert house.states == [(NEW, "a", "established"), (YOU, "a", "expired")]
    assert house.sessions.peers.by_address("a").previous == YOU


def test_a_peer_without_numbers_of_sessions_is_reopened_by_a_later_open(house):
    house.opened(YOU, "a", now=0.0, session=None)
    house.opened(YOU, "a", now=1.0, session=None)
    assert len(house.sessions.fresh) == 1
    house.opened(YOU, "a", now=10.0, session=None)
    assert len(house.sessions.fresh) == 2


def test_a_peer_at_another_address_keeps_its_session(house):
    house.opened(YOU, "a", session=9)
    house.opened(YOU, "b", session=9)
    assert house.states == [(YOU, "b", "established")]


def test_hello_of_an_established_peer_of_our_kind_is_told_that_there_is_a_session(house):
    """Only if it has that no more, it asks for one."""
    house.opened(YOU, "a", session=9)
    assert house.sessions.greeted(HELLO, "a", 10.0) == [Posted(KeepAlive(ME), "a")]
    assert house.states == [(YOU, "a", "established")]


def test_an_accept_that_comes_twice_ends_nothing(house):
    house.opened(YOU, "a", session=9)
    assert house.accepted(YOU, "a", session=9) == []
    assert house.accepted(YOU, "a", session=8) == []
    assert house.states == [(YOU, "a", "established")]


@pytest.mark.parametrize("peer_id", [YOU, NEW], ids=["the same peer", "another one"])
def test_when_a_peer_accepts_what_was_not_asked_both_begin_anew(house, peer_id):
    """Samples of that session may have come already, and were taken for ones of the old."""
    house.opened(YOU, "a", session=9)
    assert kinds(house.accepted(peer_id, "a", session=10)) == [("Open", "a")]
    assert house.states == [(b"", "a", "opening"), (YOU, "a", "expired")]
    house.accepted(peer_id, "a", session=11)
    assert house.sessions.peers.by_id(peer_id).previous == YOU


def test_keepalive_of_another_one_at_the_address_of_a_peer_begins_anew(house):
    house.opened(YOU, "a")
    assert kinds(house.sessions.kept_alive(KeepAlive(NEW), "a", 1.0)) == [("Open", "a")]
    assert house.states == [(b"", "a", "opening"), (YOU, "a", "expired")]


def test_hello_of_any_other_established_peer_means_that_it_has_reconnected(house):
    house.opened(YOU, "a", session=None)
    assert kinds(house.sessions.greeted(HELLO, "a", 10.0)) == [("Open", "a")]
    assert house.states == [(b"", "a", "opening"), (YOU, "a", "expired")]


def test_hello_that_was_sent_before_the_session_was_there_means_nothing(house):
    house.opened(YOU, "a", session=None, now=10.0)
    assert house.sessions.greeted(HELLO, "a", 10.5) == []


def test_the_nodes_own_open_is_not_accepted(house):
    house.sessions.greeted(HELLO, "self", 0.0)
    assert house.opened(ME, "self") == []
    assert house.states == [(b"", "self", "expired")]
    assert house.sessions.meet("self", 0.0) == []


def test_a_late_open_of_who_was_at_the_nodes_address_before_it_leaves_no_peer(house):
    """Else what the node sends to all would renew its lease for ever."""
    house.opened(YOU, "self")
    house.sessions.scouted(house.sessions.scout_message(), "self")
    assert house.states == [(YOU, "self", "expired")]


def test_another_version_is_refused(house):
    assert house.sessions.opened(Open(2, YOU, 50), "a", 0.0) == [Posted(Close(ME, CloseReason.PROTOCOL), "a", YOU)]


def test_another_length_of_numbers_is_refused(make_house):
    house = make_house(number_bits=28)
    assert house.opened(YOU, "a") == [Posted(Close(ME, CloseReason.NUMBER_LENGTH), "a", YOU)]
    assert house.states == []


def test_an_accept_with_another_length_of_numbers_ends_it(house):
    house.sessions.greeted(HELLO, "a", 0.0)
    posted = house.sessions.accepted(Accept(ME, YOU, 50, ((4, b"\x1c"),)), "a", 0.0)
    assert posted == [Posted(Close(ME, CloseReason.NUMBER_LENGTH), "a", YOU)]
    assert house.states == [(b"", "a", "expired")]


def test_the_length_of_numbers_is_told(make_house):
    house = make_house(number_bits=28)
    ((message, _, _),) = house.sessions.greeted(HELLO, "a", 0.0)
    assert (4, b"\x1c") in message.properties
    other = make_house(number_bits=28)
    assert kinds(other.sessions.opened(message._replace(peer_id=YOU), "b", 0.0)) == [("Accept", "b")]


def test_without_a_slot_a_peer_is_refused(make_house):
    house = make_house(max_peers=1)
    house.opened(YOU, "a")
    assert house.opened(NEW, "b") == [Posted(Close(ME, CloseReason.NO_RESOURCES), "b", NEW)]
    assert house.sessions.greeted(HELLO, "b", 0.0) == []
    assert house.sessions.refused == 2


def test_close_ends_the_session_of_its_sender(house):
    house.opened(YOU, "a")
    house.sessions.closed(Close(YOU, 0), "a")
    assert house.states == [(YOU, "a", "expired")]


def test_close_of_a_stranger_ends_nothing(house):
    house.opened(YOU, "a")
    house.sessions.closed(Close(NEW, 0), "a")
    assert house.states == [(YOU, "a", "established")]


def test_close_refuses_a_session_that_is_being_opened(house):
    house.sessions.greeted(HELLO, "a", 0.0)
    house.sessions.closed(Close(YOU, 3), "a")
    assert house.states == [(b"", "a", "expired")]


def test_keepalive_renews_the_lease(house):
    house.opened(YOU, "a", now=0.0)
    house.sessions.kept_alive(KeepAlive(YOU), "a", 3.0)
    assert house.sessions.peers.by_id(YOU).lease_ends == 8.0


def test_keepalive_from_elsewhere_binds_the_peer_to_its_new_address(house):
    house.opened(YOU, "a", now=0.0)
    house.sessions.kept_alive(KeepAlive(YOU), "b", 3.0)
    assert house.sessions.peers.by_address("b").peer_id == YOU
    assert house.sessions.peers.by_address("a") is None


def test_a_peer_that_moves_ends_the_session_of_who_was_there(house):
    house.opened(YOU, "a")
    house.opened(NEW, "b")
    house.sessions.kept_alive(KeepAlive(YOU), "b", 1.0)
    assert house.states == [(NEW, "b", "expired"), (YOU, "b", "established")]


def test_keepalive_of_a_stranger_opens_a_session(house):
    """It believes that there is one."""
    assert kinds(house.sessions.kept_alive(KeepAlive(YOU), "a", 0.0)) == [("Open", "a")]


def test_the_nodes_own_keepalive_is_ignored(house):
    assert house.sessions.kept_alive(KeepAlive(ME), "self", 0.0) == []


@pytest.mark.parametrize("named", [{"peer_id": YOU}, {"address": "a"}], ids=["by id", "by address"])
def test_a_session_is_closed(house, named):
    house.opened(YOU, "a")
    house.sessions.close("no more", **named)
    assert house.states == [(YOU, "a", "expired")]
    assert house.upkeep.run(1.0)[0] == Posted(Close(ME, CloseReason.OK), "a", YOU)


@pytest.mark.parametrize("named", [{"peer_id": NEW}, {"address": "z"}], ids=["by id", "by address"])
def test_closing_what_is_not_there_is_an_error_that_names_it(house, named):
    house.opened(YOU, "a")
    with pytest.raises(UnknownPeerError, match=r"6e6577|z"):
        house.sessions.close("no more", **named)


def test_an_expired_peer_may_open_again_before_housekeeping_came(house):
    house.opened(YOU, "a", session=1)
    house.sessions.closed(Close(YOU, 0), "a")
    house.opened(YOU, "a", session=2)
    assert house.states == [(YOU, "a", "established"), (YOU, "a", "expired")]


def test_numbers_of_sessions_wrap(house):
    house.opened(YOU, "a", session=MASK)
    house.opened(YOU, "a", session=0)
    assert len(house.sessions.fresh) == 2


def test_a_peer_that_comes_back_in_a_later_life_has_a_new_session_wherever_its_numbers_begin(house):
    house.opened(YOU, "a", session=7 << LIFE_BITS | 900)
    house.opened(YOU, "a", session=8 << LIFE_BITS | 3)
    assert house.opened(YOU, "a", session=7 << LIFE_BITS | 901) == []
    assert len(house.sessions.fresh) == 2


@pytest.mark.parametrize("value", [b"", b"\0\0\0\1", b"\0\0\0\0\0\0\0\0\1"], ids=str)
def test_a_number_of_a_session_of_another_size_is_none(value):
    assert session_of(((35, value),)) is None
    assert session_of(with_session((), 7)) == 7
