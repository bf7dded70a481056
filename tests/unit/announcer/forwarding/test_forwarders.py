"""The forwarders and their states."""

import pytest

from forebay.announcer.forwarding.forwarders import Forwarders
from forebay.announcer.forwarding.forwarderstate import Condition, ForwarderState
from forebay.announcer.forwarding.outcome import Cause
from forwardings import spec


def configured(*specs):
    forwarders = Forwarders(lambda: None)
    forwarders.configure(specs)
    return forwarders


def test_an_unchanged_spec_keeps_its_state():
    forwarders = configured(spec("a"), spec("b"))
    kept = forwarders.get("a")
    assert forwarders.configure([spec("a"), spec("b")]) == []
    assert forwarders.get("a") is kept


def test_a_changed_spec_begins_anew():
    forwarders = configured(spec("a"))
    old = forwarders.get("a")
    old.disable(Cause.REJECTED, "HTTP 404")
    assert forwarders.configure([spec("a", timeout=5)]) == [old]
    assert forwarders.get("a").condition(0.0) is Condition.ENABLED


def test_one_that_is_left_out_is_gone():
    forwarders = configured(spec("a"), spec("b"))
    gone = forwarders.get("a")
    assert forwarders.configure([spec("b")]) == [gone]
    assert forwarders.get("a") is None
    assert [state.name for state in forwarders.all()] == ["b"]


def test_slots_are_used_again_and_never_shared():
    forwarders = configured(spec("a"), spec("b"), spec("c"))
    assert [state.slot for state in forwarders.all()] == [0, 1, 2]
    forwarders.configure([spec("a"), spec("c"), spec("d"), spec("e")])
    assert {state.name: state.slot for state in forwarders.all()} == {"a": 0, "c": 2, "d": 1, "e": 3}


def test_a_paused_one_is_none_and_disabled_still_when_it_goes_on():
    forwarders = configured(spec("a"), spec("b"))
    state = forwarders.get("a")
    state.disable(Cause.REJECTED, "HTTP 404")
    assert forwarders.configure([spec("b")], [spec("a")]) == [state]
    assert (forwarders.get("a"), len(forwarders)) == (None, 1)
    forwarders.configure([spec("b")], [spec("a")])
    assert forwarders.configure([spec("a"), spec("b")]) == []
    assert forwarders.get("a").condition(0.0) is Condition.DISABLED
    assert (forwarders.get("a").cause, forwarders.get("a").reason) == (Cause.REJECTED, "HTTP 404")


def test_a_slot_that_another_took_meanwhile_is_not_shared():
    forwarders = configured(spec("a"), spec("b"))
    forwarders.configure([spec("b"), spec("c")], [spec("a")])
    assert forwarders.get("c").slot == 0
    forwarders.configure([spec("a"), spec("b"), spec("c")])
    assert {state.name: state.slot for state in forwarders.all()} == {"b": 1, "c": 0, "a": 2}


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_change_of_its_spec_enables_a_paused_one(when):
    forwarders = configured(spec("a"))
    forwarders.get("a").disable(Cause.REJECTED, "HTTP 404")
    forwarders.configure([], [spec("a", timeout=5) if when == "before" else spec("a")])
    forwarders.configure([spec("a", timeout=5)])
    assert forwarders.get("a").condition(0.0) is Condition.ENABLED


def test_one_that_is_left_out_while_it_is_paused_is_forgotten():
    forwarders = configured(spec("a"))
    forwarders.get("a").disable(Cause.REJECTED, "HTTP 404")
    forwarders.configure([], [spec("a")])
    forwarders.configure([])
    forwarders.configure([spec("a")])
    assert forwarders.get("a").condition(0.0) is Condition.ENABLED


def test_a_suspension_ends_by_time():
    state = ForwarderState(spec(), 0, lambda: None)
    state.suspend(300.0, Cause.TOO_MANY_REQUESTS, "HTTP 429")
    assert state.condition(299.9) is Condition.SUSPENDED
    assert state.condition(300.0) is Condition.ENABLED


def test_a_disabling_does_not():
    state = ForwarderState(spec(), 0, lambda: None)
    state.disable(Cause.REJECTED, "HTTP 404")
    assert state.condition(1e15) is Condition.DISABLED


def test_a_suspension_does_not_shorten_a_disabling_or_a_longer_one():
    state = ForwarderState(spec(), 0, lambda: None)
    state.suspend(300.0, Cause.TOO_MANY_REQUESTS, "first")
    state.suspend(200.0, Cause.TOO_MANY_REQUESTS, "second")
    assert (state.blocked_until, state.reason) == (300.0, "first")
    state.disable(Cause.REJECTED, "HTTP 404")
    state.suspend(400.0, Cause.TOO_MANY_REQUESTS, "third")
    assert (state.disabled, state.cause) == (True, Cause.REJECTED)


def test_the_first_reason_of_a_disabling_stays():
    state = ForwarderState(spec(), 0, lambda: None)
    state.disable(Cause.REJECTED, "HTTP 404")
    state.disable(Cause.NO_ROUTE, "no route")
    assert (state.cause, state.reason) == (Cause.REJECTED, "HTTP 404")


def test_enabling_forgets_reason_and_failures():
    state = ForwarderState(spec(), 0, lambda: None)
    state.failures = 10
    state.disable(Cause.TOO_MANY_FAILURES, "10 requests failed")
    state.enable()
    assert (state.condition(0.0), state.failures, state.cause, state.reason) == (Condition.ENABLED, 0, None, "")


def test_the_mean_of_response_times_moves_by_a_fiftieth():
    times = ForwarderState(spec(), 0, lambda: None).times
    times.add(1.0, 1800.0, now=5.0)
    assert times.mean == 1.0
    times.add(2.0, 900.0, now=6.0)
    assert times.mean == 1.02
    assert (times.samples, times.last_interval, times.last_answer) == (2, 900.0, 6.0)


def test_each_change_is_told():
    changes = []
    forwarders = Forwarders(lambda: changes.append(True))
    forwarders.configure([spec("a")])
    state = forwarders.get("a")
    state.suspend(10.0, Cause.TOO_MANY_REQUESTS, "HTTP 429")
    state.suspend(5.0, Cause.TOO_MANY_REQUESTS, "it is suspended for longer")
    state.disable(Cause.REJECTED, "HTTP 404")
    state.enable()
    forwarders.configure([])
    assert len(changes) == 5
