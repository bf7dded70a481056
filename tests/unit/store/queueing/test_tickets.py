"""Outcomes of batches: gathered from all queues, told in order as ranges."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from forebay.store.queueing.confirmwindow import ConfirmWindow
from forebay.store.queueing.ticket import CONFIRMED, DUPLICATE, REFUSED, UNROUTED, Share, Ticket


def ticket(first, count, done=None):
    return Ticket(first, count, 0, done or (lambda _: None))


def codes(runs):
    return [run.outcome for run in runs for _ in range(run.count)]


NOTES = st.lists(
    st.tuples(st.sets(st.integers(0, 7)).map(sorted), st.sampled_from([DUPLICATE, CONFIRMED, REFUSED])), max_size=6
)


@given(NOTES)
def test_where_queues_differ_the_higher_outcome_counts(notes):
    batch, expected = ticket(10, 8), [UNROUTED] * 8
    for positions, outcome in notes:
        batch.note(positions, outcome)
        for position in positions:
            expected[position] = max(expected[position], outcome)
    runs = list(batch.outcomes())
    assert codes(runs) == expected
    assert [run.first for run in runs] == [10 + sum(each.count for each in runs[:at]) for at in range(len(runs))]
    assert all(before.outcome != after.outcome for before, after in itertools.pairwise(runs))


def test_it_is_done_when_nobody_is_waited_for():
    told = []
    batch = ticket(1, 2, told.append)
    batch.wait()
    batch.wait()
    batch.close()
    batch.close()
    assert (told, batch.finished) == ([], False)
    batch.close()
    assert (told, batch.finished) == ([batch], True)


def test_what_a_queue_has_lost_is_refused_with_the_reason():
    batch = ticket(1, 3)
    batch.wait()
    batch.note(range(3), CONFIRMED)
    Share(batch, [1, 2]).failed("it crashed")
    batch.close()
    first, second = batch.outcomes()
    assert (first.count, first.outcome, first.reason) == (1, CONFIRMED, "")
    assert (second.count, second.outcome, second.reason) == (2, REFUSED, "it crashed")
    assert batch.broken == {1, 2}


def test_outcomes_go_out_in_order_and_neighbours_become_one():
    window = ConfirmWindow()
    batches = [ticket(1, 3), ticket(4, 2), ticket(6, 1)]
    for batch in batches:
        batch.note(range(batch.count), CONFIRMED)
        window.add(batch)
    batches[1].close()
    assert (window.take(), window.count, window.due) == ([], 6, False)
    batches[0].close()
    (run,) = window.take()
    assert (run.first, run.count, run.outcome) == (1, 5, CONFIRMED)
    assert window.count == 1
    batches[2].close()
    assert window.due
    assert codes(window.take()) == [CONFIRMED]
    assert window.count == 0


def test_runs_with_different_reasons_stay_apart():
    window = ConfirmWindow()
    for first, reason in ((1, "full"), (2, "full"), (3, "other")):
        batch = ticket(first, 1)
        batch.note([0], REFUSED, reason)
        window.add(batch)
        batch.close()
    assert [(run.first, run.count, run.reason) for run in window.take()] == [(1, 2, "full"), (3, 1, "other")]
