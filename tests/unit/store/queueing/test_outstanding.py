"""Deliveries that are not settled, against a plain dictionary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.store.errors import UnknownDeliveryError
from forebay.store.queueing.outstanding import Outstanding

from .runs import run_of

STEPS = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 40), st.integers(1, 6)),
    st.tuples(st.just("take"), st.integers(0, 30), st.integers(0, 8)),
)


def messages(spans):
    return [(span.level, span.first + at) for span in spans for at in range(span.count)]


@given(st.lists(STEPS, max_size=40))
def test_it_is_as_a_dictionary_of_numbers(steps):
    outstanding, known = Outstanding(), {}
    for what, first, count in steps:
        if what == "add":
            for at in range(count):
                known[outstanding.next + at] = (0, first + at)
            outstanding.add(run_of(first, count))
        elif count and all(number in known for number in range(first, first + count)):
            taken = [known.pop(number) for number in range(first, first + count)]
            assert messages(outstanding.take(first, count)) == taken
        else:
            with pytest.raises(UnknownDeliveryError):
                outstanding.take(first, count)
        assert outstanding.count == len(known)
    assert sorted(messages(outstanding.take_all())) == sorted(known.values())
    assert outstanding.count == 0


def test_consecutive_ones_are_kept_as_one():
    outstanding = Outstanding()
    for first in range(0, 10_000, 100):
        outstanding.add(run_of(first, 100))
    assert len(outstanding._spans) == 1
    assert len(outstanding.take(1, 10_000)) == 1


def test_levels_stay_apart():
    outstanding = Outstanding()
    outstanding.add(run_of(0, 2, level=1))
    outstanding.add(run_of(2, 2, level=2))
    assert messages(outstanding.take(1, 4)) == [(1, 0), (1, 1), (2, 2), (2, 3)]
