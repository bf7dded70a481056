"""Outlets, the registry, ways of groups, alarms, traces and name rules."""

import pytest

from fakeclock import FakeClock
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router import alarmboard, traces
from forebay.router.alarmboard import AlarmBoard
from forebay.router.core.message import plain_opening
from forebay.router.groupways import GroupWays
from forebay.router.outlet import Outlet
from forebay.router.registry import Entry, Registry
from forebay.router.settings import NameRule, RouterSettings
from forebay.router.traces import Trace, Traces
from forebay.runtime import NotFoundError
from unit.router.switches import LIMITS, parcel, receipt, signal


def test_an_outlet_gives_what_fits_into_one_message():
    outlet, woken = Outlet("p", LIMITS), []
    outlet.wake = lambda: woken.append(1)
    outlet.parcel(parcel(messages=b"x" * 200))
    outlet.parcel(parcel(messages=b"x" * 50))
    outlet.parcel(parcel(messages=b"x" * 20))
    outlet.signal(signal(1))
    outlet.receipt(receipt())
    outlet.obituary(pb.Obituary())
    assert outlet.octets == 270
    first = outlet.take()
    assert ([len(each.messages) for each in first.parcels], len(first.signals)) == ([200], 1)
    assert (len(first.receipts), len(first.obituaries)) == (1, 1)
    assert [len(each.messages) for each in outlet.take().parcels] == [50]
    assert [len(each.messages) for each in outlet.take().parcels] == [20]
    assert outlet.take() is None
    assert outlet.octets == 0
    assert len(woken) == 6


def test_a_signal_waits_once_as_the_latest():
    outlet = Outlet("p", LIMITS)
    for kind in (pb.SIGNAL_KIND_XOFF, pb.SIGNAL_KIND_XON, pb.SIGNAL_KIND_XOFF, pb.SIGNAL_KIND_XOFF):
        outlet.signal(signal(kind))
    outlet.signal(signal(pb.SIGNAL_KIND_XON, sender="c@x"))
    told = [(each.sender, each.kind) for each in outlet.take().signals]
    assert told == [("a@x", pb.SIGNAL_KIND_XON), ("a@x", pb.SIGNAL_KIND_XOFF), ("c@x", pb.SIGNAL_KIND_XON)]


def test_waiters_are_released_once_it_is_low():
    outlet, released = Outlet("p", LIMITS), []
    outlet.release = lambda outlet, waiters: released.extend(waiters)
    for _ in range(3):
        outlet.parcel(parcel(messages=b"x" * 40))
    assert outlet.full
    outlet.wait("a@x", "b@x")
    outlet.wait("a@x", "b@x")
    outlet.take()
    assert released == []
    outlet.take()
    assert released == [("a@x", "b@x")]


def test_an_outlet_takes_over_what_waits_in_another():
    former, outlet = Outlet("p", LIMITS), Outlet("p", LIMITS)
    former.parcel(parcel())
    former.receipt(receipt())
    former.wait("a@x", "b@x")
    outlet.adopt(former)
    assert outlet.octets == 10
    assert outlet.close() == [("a@x", "b@x")]
    assert outlet.octets == 0


def entry(name, outlet):
    return Entry(name, 1, outlet, "p", "r", 0)


def test_the_registry_knows_threads_by_name_and_by_outlet():
    registry, one, two = Registry(), Outlet("1", LIMITS), Outlet("2", LIMITS)
    for name in ("b", "a", "c"):
        registry.add(entry(name, one))
    registry.add(entry("b", two))
    assert [each.name for each in registry.page("", "", 10)] == ["a", "b", "c"]
    assert sorted(each.name for each in registry.at(one)) == ["a", "c"]
    assert not registry.remove("b", one)
    assert registry.remove("b", two)
    assert not registry.remove("b", two)
    assert len(registry) == 2
    assert [each.name for each in registry.page("a", "", 10)] == ["c"]


def test_groups_count_their_members_at_each_outlet():
    ways, one, two = GroupWays(), Outlet("1", LIMITS), Outlet("2", LIMITS)
    assert ways.join("g", "a", one)
    assert not ways.join("g", "a", one)
    assert not ways.join("g", "b", one)
    ways.add("g", two)
    ways.add("h", two)
    assert set(ways.ways("g")) == {one, two}
    assert ways.of("a") == ["g"]
    assert ways.here() == ["g"]
    assert ways.drop("a", one) == []
    assert set(ways.ways("g")) == {one, two}
    assert not ways.leave("g", "a", one)
    assert ways.drop("b", one) == ["g"]
    assert set(ways.ways("g")) == {two}
    ways.remove_all(two)
    assert not list(ways.ways("g"))
    assert not list(ways.ways("h"))


@pytest.fixture
def board():
    return AlarmBoard(FakeClock())


def test_an_alarm_that_is_raised_again_keeps_its_time(board):
    changes = []
    with board.watched(changes.append):
        board.raise_("n", "o", pb.SEVERITY_NOTICE, "first")
        board._clock.advance(10)
        board.raise_("n", "o", pb.SEVERITY_NOTICE, "first")
        board.raise_("n", "o", pb.SEVERITY_ERROR, "second")
    [alarm] = board.raised()
    assert (alarm.comment, alarm.severity, alarm.time.seconds) == ("second", pb.SEVERITY_ERROR, 1_700_000_000)
    assert len(changes) == 2
    assert not board.clear("n", "o").on
    board.settle("n", "o")
    with pytest.raises(NotFoundError, match="ListAlarms"):
        board.clear("n", "o")
    assert len(changes) == 2


def test_of_too_many_alarms_the_oldest_goes(board, monkeypatch):
    monkeypatch.setattr(alarmboard, "MOST_ALARMS", 2)
    for origin in "abc":
        board.raise_("n", origin, pb.SEVERITY_NOTICE, "")
    assert [alarm.origin for alarm in board.raised()] == ["b", "c"]


def test_a_trace_that_is_read_too_slowly_leaves_out_the_oldest(monkeypatch):
    monkeypatch.setattr(traces, "MOST_WAITING", 2)
    watchers, trace = Traces(), Trace("", lambda: None)
    assert not watchers
    with watchers.watched(trace):
        assert watchers
        messages = b"".join(plain_opening(name, 0) for name in "xyz")
        watchers.see(parcel(count=3, messages=messages), "p")
        watchers.see(parcel(messages=b"\xff\xff"), "p")
        response = trace.take()
    assert [(each.sequence, each.message.name) for each in response.messages] == [(2, "y"), (3, "z")]
    assert response.missed == 1
    assert trace.take() is None


def test_who_may_use_which_name():
    settings = RouterSettings(names=[NameRule("team-*", ["a*", "b"]), NameRule("*", ["free"])])
    assert settings.may_use(["other", "team-1"], "abc")
    assert settings.may_use(["team-1"], "b")
    assert not settings.may_use(["team-1"], "c")
    assert not settings.may_use([], "abc")
    assert settings.may_use([], "free")
    assert RouterSettings().may_use([], "anything")
