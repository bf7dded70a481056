"""The table of torrents and forwarders."""

import math

import pytest

from forebay.announcer.forwarding.eligibility import REMEMBERED, Eligibility
from forebay.announcer.forwarding.forwarderstate import ForwarderState
from forebay.announcer.forwarding.outcome import Cause
from forwardings import spec

HASH = b"h" * 20
A, B = ForwarderState(spec("a"), 0, lambda: None), ForwarderState(spec("b"), 5, lambda: None)


@pytest.fixture
def table():
    return Eligibility()


def test_who_never_heard_of_the_torrent_is_due(table):
    assert table.due(HASH, [A, B], now=0.0).forwarders == [A, B]


def test_due_at_the_next_announce_and_not_before(table):
    table.told(HASH, b"peer", A, next_announce=100.0, now=1.0)
    assert table.due(HASH, [A, B], now=99.9).forwarders == [B]
    assert table.due(HASH, [A, B], now=100.0).forwarders == [A, B]


def test_torrents_are_apart(table):
    table.told(HASH, b"peer", A, next_announce=100.0, now=1.0)
    assert table.due(b"o" * 20, [A], now=1.0).forwarders == [A]


def test_a_disabled_forwarder_is_not_due(table):
    state = ForwarderState(spec(), 0, table.look_again)
    state.disable(Cause.REJECTED, "HTTP 404")
    assert table.due(HASH, [state], now=1e12).forwarders == []


def test_a_suspended_forwarder_is_due_when_its_time_has_passed(table):
    state = ForwarderState(spec(), 0, table.look_again)
    state.suspend(300.0, Cause.TOO_MANY_REQUESTS, "HTTP 429")
    assert table.due(HASH, [state], now=299.9).forwarders == []
    assert table.due(HASH, [state], now=300.0).forwarders == [state]


def test_putting_off_never_brings_forward(table):
    table.put_off(HASH, A, until=500.0, now=1.0)
    table.put_off(HASH, A, until=100.0, now=1.0)
    assert table.next_announce(HASH, A) == 500.0


def test_only_those_that_were_told_know_the_client(table):
    table.told(HASH, b"peer", B, next_announce=100.0, now=1.0)
    assert table.knowing(HASH, b"peer", [A, B], now=1.0) == [B]
    assert table.knowing(HASH, b"other", [A, B], now=1.0) == []


def test_after_a_stop_it_does_not_know_the_client(table):
    table.told(HASH, b"peer", A, next_announce=100.0, now=1.0)
    table.told(HASH, b"peer", B, next_announce=100.0, now=1.0)
    table.stopped(HASH, b"peer", A, now=2.0)
    assert table.knowing(HASH, b"peer", [A, B], now=2.0) == [B]


def test_after_the_stop_of_the_last_client_the_torrent_is_due_again(table):
    table.told(HASH, b"first", A, next_announce=100.0, now=1.0)
    table.told(HASH, b"second", A, next_announce=100.0, now=1.0)
    table.stopped(HASH, b"first", A, now=2.0)
    assert table.due(HASH, [A], now=2.0).forwarders == []
    table.stopped(HASH, b"second", A, now=2.0)
    assert table.due(HASH, [A], now=2.0).forwarders == [A]


def test_clients_are_forgotten_after_a_time(table):
    table.told(HASH, b"old", A, next_announce=1.0, now=1.0)
    table.told(HASH, b"new", A, next_announce=1.0, now=1.0 + REMEMBERED)
    assert table.knows(HASH, b"old", A)
    table.told(HASH, b"new", A, next_announce=1.0, now=1.1 + REMEMBERED)
    assert not table.knows(HASH, b"old", A)
    assert table.knows(HASH, b"new", A)


def test_torrents_are_forgotten_after_a_time(table):
    table.told(HASH, b"peer", A, next_announce=1.0, now=1.0)
    table.expire(1.0 + REMEMBERED)
    assert len(table) == 1
    table.expire(1.1 + REMEMBERED)
    assert len(table) == 0


def test_a_torrent_is_not_forgotten_while_a_forwarder_must_not_be_asked(table):
    table.put_off(HASH, A, until=3 * REMEMBERED, now=1.0)
    table.expire(2 * REMEMBERED)
    assert table.due(HASH, [A], now=2 * REMEMBERED).forwarders == []


def test_so_many_are_forgotten_at_once(table):
    for number in range(5):
        table.told(bytes([number]) * 20, b"peer", A, next_announce=1.0, now=1.0)
    table.expire(2 * REMEMBERED, limit=3)
    assert len(table) == 2


def test_a_slot_that_is_given_to_another_knows_nothing(table):
    table.told(HASH, b"peer", A, next_announce=math.inf, now=1.0)
    table.told(HASH, b"peer", B, next_announce=100.0, now=1.0)
    table.forget_slots([A.slot])
    assert table.due(HASH, [A, B], now=1.0).forwarders == [A]
    assert table.knowing(HASH, b"peer", [A, B], now=1.0) == [B]


def test_a_torrent_that_was_not_due_is_due_when_the_earliest_forwarder_is(table):
    table.told(HASH, b"peer", A, next_announce=200.0, now=1.0)
    table.told(HASH, b"peer", B, next_announce=100.0, now=1.0)
    assert table.due(HASH, [A, B], now=50.0).forwarders == []
    assert table.due(HASH, [A, B], now=100.0).forwarders == [B]


def test_a_torrent_that_was_not_due_is_due_when_a_suspension_ends(table):
    state = ForwarderState(spec(), 0, table.look_again)
    state.suspend(300.0, Cause.TOO_MANY_REQUESTS, "HTTP 429")
    table.told(HASH, b"peer", state, next_announce=100.0, now=1.0)
    assert table.due(HASH, [state], now=50.0).forwarders == []
    assert table.due(HASH, [state], now=299.0).forwarders == []
    assert table.due(HASH, [state], now=300.0).forwarders == [state]


def test_a_stop_makes_a_torrent_due_that_was_not(table):
    table.told(HASH, b"peer", A, next_announce=100.0, now=1.0)
    assert table.due(HASH, [A], now=50.0).forwarders == []
    table.stopped(HASH, b"peer", A, now=50.0)
    assert table.due(HASH, [A], now=50.0).forwarders == [A]


def test_a_change_of_a_forwarder_holds_for_torrents_that_were_looked_at(table):
    state = ForwarderState(spec(), 0, table.look_again)
    table.told(HASH, b"peer", state, next_announce=10.0, now=1.0)
    for torrent in (HASH, b"o" * 20):
        assert table.due(torrent, [state], now=50.0).forwarders == [state]
        state.suspend(60.0, Cause.TOO_MANY_REQUESTS, "HTTP 429")
        assert table.due(torrent, [state], now=50.0).forwarders == []
        assert table.due(torrent, [state], now=60.0).forwarders == [state]
        state.disable(Cause.REJECTED, "HTTP 404")
        assert table.due(torrent, [state], now=60.0).forwarders == []
        state.enable()
        assert table.due(torrent, [state], now=50.0).forwarders == [state]


def test_who_is_told_is_not_due_where_all_were(table):
    assert table.due(HASH, [A, B], now=1.0).forwarders == [A, B]
    table.told(HASH, b"peer", A, next_announce=100.0, now=1.0)
    assert table.due(HASH, [A, B], now=1.0).forwarders == [B]
    table.put_off(HASH, B, until=50.0, now=1.0)
    assert table.due(HASH, [A, B], now=1.0).forwarders == []
    assert table.due(b"o" * 20, [A, B], now=1.0).forwarders == [A, B]


def test_the_due_but_those_of_some_names(table):
    due = table.due(HASH, [A, B], now=0.0)
    assert list(due.without(frozenset())) == [A, B]
    assert list(due.without({A.name})) == [B]
    assert list(due.without({A.name, B.name, "another"})) == []
