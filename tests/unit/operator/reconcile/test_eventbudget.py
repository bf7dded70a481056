from datetime import UTC, datetime, timedelta

import pytest

from forebay_operator.reconcile.eventbudget import MOST, REFILL, EventBudget


class Time:
    """A clock that a test sets."""

    def __init__(self):
        self.now = datetime(2026, 11, 27, tzinfo=UTC)

    def __call__(self):
        return self.now


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def budget(time):
    return EventBudget(time)


def taken(budget, uid="u", tries=2 * MOST):
    return sum(budget.take(uid) for _ in range(tries))


def test_a_resource_has_so_many_in_a_row(budget):
    assert taken(budget) == MOST


def test_each_has_its_own(budget):
    taken(budget)
    assert taken(budget, "v") == MOST


@pytest.mark.parametrize(("times", "more"), [(1, 1), (3, 3), (10 * MOST, MOST)])
def test_they_come_back_one_by_one(budget, time, times, more):
    taken(budget)
    time.now += times * REFILL
    assert taken(budget) == more


def test_a_clock_that_is_set_back_holds_none_up_for_long(budget, time):
    taken(budget)
    time.now -= timedelta(days=30)
    taken(budget)
    time.now += REFILL
    assert taken(budget) >= 1


def test_one_that_has_all_of_them_again_is_forgotten(budget, time):
    for number in range(100):
        budget.take(str(number))
    time.now += REFILL
    budget.take("u")
    assert list(budget._full) == ["u"]
