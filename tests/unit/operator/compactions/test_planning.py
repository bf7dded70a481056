from dataclasses import replace
from datetime import timedelta

import pytest

from compactionobjects import NOW, compaction, run
from forebay_operator.compactions import Decision, Situation, State, Trigger, decide, schedule_of, superfluous
from forebay_operator.compactions.planning import is_not_picked_up

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
NIGHTLY = {"schedule": "0 3 * * *"}
BY_SIZE = {"threshold": {"size": "100MB", "gap": "15m"}}


def situation(*runs, until=NOW - HOUR, size=0, lingering=False, **spec):
    made = compaction(**spec).spec
    schedule = schedule_of(made.schedule, made.time_zone) if made.schedule and not made.suspend else None
    return Situation(made, 1, runs, lingering, schedule, until, size)


def started(found, now=NOW):
    return decide(found, now).start


def test_a_run_starts_when_its_time_has_come():
    found = situation(**NIGHTLY)
    assert started(found, NOW - SECOND) is None
    assert decide(found, NOW) == Decision(until=NOW, start=(Trigger.SCHEDULE, NOW))


def test_it_starts_once():
    assert started(situation(until=NOW, **NIGHTLY), NOW + MINUTE) is None


def test_of_the_times_that_were_missed_the_last_one_counts():
    decision = decide(situation(until=NOW - 5 * 24 * HOUR, **NIGHTLY), NOW + HOUR)
    assert decision == Decision(until=NOW, start=(Trigger.SCHEDULE, NOW))


def test_while_suspended_nothing_starts():
    for spec in (NIGHTLY, BY_SIZE, {}):
        assert started(situation(size=10**9, suspend=True, **spec)) is None


def test_a_time_that_comes_while_a_run_is_active_is_left_out():
    decision = decide(situation(run(ago=600), **NIGHTLY), NOW)
    assert decision == Decision(until=NOW)
    assert decision.acts(situation(run(ago=600), **NIGHTLY))


def test_with_replace_the_active_one_is_ended_and_the_time_stays_due():
    active = run(ago=600)
    found = situation(active, concurrency="Replace", **NIGHTLY)
    decision = decide(found, NOW)
    assert [(each, state) for each, state, _ in decision.ends] == [(active, State.CANCELLED)]
    assert (decision.start, decision.until) == (None, found.until)


def test_the_next_one_waits_for_the_pods_of_the_one_before():
    before = run(State.CANCELLED, ago=600)
    assert not decide(situation(before, lingering=True, **NIGHTLY), NOW).acts(situation(**NIGHTLY))
    assert started(situation(before, **NIGHTLY)) == (Trigger.SCHEDULE, NOW)


@pytest.mark.parametrize("state", [state for state in State if not state.is_final])
def test_a_run_is_active_until_it_has_ended(state):
    assert started(situation(run(state, ago=600), **NIGHTLY)) is None


def test_without_schedule_and_size_a_run_starts_once_for_each_generation():
    assert started(situation()) == (Trigger.CHANGE, NOW)
    for state in State:
        assert started(situation(run(state))) is None
    assert started(situation(run(State.FAILED, generation=0))) == (Trigger.CHANGE, NOW)


def test_a_change_waits_for_the_active_run():
    decision = decide(situation(run(generation=0)), NOW)
    assert not decision.acts(situation())


def test_a_change_may_replace_the_active_run():
    assert decide(situation(run(generation=0), concurrency="Replace"), NOW).ends


def test_a_size_starts_a_run():
    assert started(situation(size=99_999_999, **BY_SIZE)) is None
    assert started(situation(size=100_000_000, **BY_SIZE)) == (Trigger.THRESHOLD, NOW)


def test_what_is_still_too_large_after_a_run_waits_for_the_gap():
    found = situation(run(State.SUCCEEDED, ago=899), size=10**9, **BY_SIZE)
    assert started(found) is None
    assert started(found, NOW + SECOND) == (Trigger.THRESHOLD, NOW + SECOND)


def test_a_size_never_replaces_a_run():
    decision = decide(situation(run(ago=3600), size=10**9, concurrency="Replace", **BY_SIZE), NOW)
    assert not decision.ends
    assert not decision.start


def test_a_schedule_and_a_size_both_start_runs():
    assert started(situation(size=10**9, **NIGHTLY, **BY_SIZE)) == (Trigger.SCHEDULE, NOW)
    assert started(situation(until=NOW, size=10**9, **NIGHTLY, **BY_SIZE)) == (Trigger.THRESHOLD, NOW)


def test_a_run_that_takes_too_long_is_given_up():
    active = run(ago=3600)
    found = situation(active, deadline="1h")
    assert not decide(found, NOW + 59 * SECOND).ends
    ((ended, state, message),) = decide(found, NOW + MINUTE).ends
    assert (ended, state) == (active, State.OVERDUE)
    assert "spec.deadline" in message


def test_a_run_that_nobody_takes_up_is_told_after_two_minutes():
    assert not is_not_picked_up(run(State.PENDING, ago=119), NOW)
    assert is_not_picked_up(run(State.PENDING, ago=120), NOW)
    assert not is_not_picked_up(run(State.STARTING, ago=120), NOW)


def test_the_newest_runs_stay_to_be_looked_at():
    spec = compaction(history={"succeeded": 2, "failed": 1}).spec
    succeeded = [run(State.SUCCEEDED, ago=60 * number) for number in range(4)]
    failed = [run(state, ago=6000 + 60 * number) for number, state in enumerate((State.OVERDUE, State.FAILED))]
    assert superfluous(spec, [*reversed(succeeded), *failed]) == [*succeeded[2:], failed[1]]


def test_runs_that_were_ended_do_not_stay_and_active_ones_do():
    spec = compaction(history={"succeeded": 0, "failed": 0}).spec
    cancelled = run(State.CANCELLED)
    assert superfluous(spec, [cancelled, replace(run(), name="other")]) == [cancelled]
