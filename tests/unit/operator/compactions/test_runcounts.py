from collections import Counter
from datetime import timedelta
from itertools import pairwise

from compactionobjects import NOW, run
from forebay_operator.compactions import RunCounts, State


def noted(*steps) -> RunCounts:
    """After statuses that told of these runs, one after the other."""
    counts = RunCounts()
    for before, after in pairwise(steps):
        counts.note(before, after)
    return counts


def test_each_end_counts_once():
    active, failed = run(), run(State.FAILED)
    another = run(State.CANCELLED, ago=60)
    found = noted([], [active], [failed], [failed], [another, failed])
    assert found.ended == Counter({State.FAILED: 1, State.CANCELLED: 1})


def test_what_had_ended_before_this_operator_began_counts_no_more():
    succeeded = run(State.SUCCEEDED, ended=NOW)
    found = noted([succeeded], [succeeded])
    assert (found.ended.total(), found.last_success) == (0, NOW)


def test_the_last_success_stays_when_its_run_is_forgotten():
    first, later = run(State.SUCCEEDED, ago=60, ended=NOW - timedelta(seconds=30)), run(State.SUCCEEDED, ended=NOW)
    assert noted([], [first], [later, first], [first], []).last_success == NOW


def test_a_failure_is_no_success():
    assert noted([], [run(State.FAILED, ended=NOW)]).last_success is None
