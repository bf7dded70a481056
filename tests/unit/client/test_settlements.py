from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.client.settlements import Settlements, runs
from forebay.pb.store.v1 import store_pb2 as pb


class Calls:
    """Counts the calls of a function."""

    def __init__(self):
        self.count = 0

    def __call__(self):
        self.count += 1


@pytest.fixture
def first():
    return Calls()


@pytest.fixture
def many():
    return Calls()


@pytest.fixture
def missed():
    return Calls()


@pytest.fixture
def settlements(first, many, missed):
    return Settlements(3, first, many, missed)


def taken(settlements):
    request = settlements.take()
    return [(run.first, run.count, run.disposition) for run in request.settlements]


def test_nothing_gathered_is_no_request(settlements):
    assert settlements.take() is None


def test_neighbours_are_one_run_in_whatever_order_they_came(settlements):
    for number in (3, 1, 2, 7, 5):
        settlements.ack(number)
    ack = pb.DISPOSITION_ACK
    assert taken(settlements) == [(1, 3, ack), (5, 1, ack), (7, 1, ack)]
    assert settlements.take() is None


def test_each_disposition_has_runs_of_its_own(settlements):
    settlements.ack(1)
    settlements.reject(2)
    settlements.requeue(3)
    settlements.ack(4)
    found = {disposition: (first, count) for first, count, disposition in taken(settlements)}
    assert found[pb.DISPOSITION_REJECT] == (2, 1)
    assert found[pb.DISPOSITION_REQUEUE] == (3, 1)
    assert settlements.given == 4


def test_the_first_and_enough_are_told_once_for_each_request(settlements, first, many):
    for number in range(1, 6):
        settlements.ack(number)
    assert (first.count, many.count) == (1, 1)
    settlements.take()
    settlements.ack(6)
    assert (first.count, many.count) == (2, 1)


def test_credit_goes_with_the_next_request_or_once_it_is_enough(settlements, many):
    settlements.grant(2)
    assert many.count == 0
    settlements.grant(1)
    assert many.count == 1
    assert settlements.take().credit == 3
    assert settlements.take() is None


@given(st.sets(st.integers(1, 60)).flatmap(lambda numbers: st.permutations(sorted(numbers))))
def test_runs_hold_the_same_numbers_and_are_as_few_as_can_be(numbers):
    found = list(runs(list(numbers)))
    assert [number for first, count in found for number in range(first, first + count)] == sorted(numbers)
    assert all(first + count < behind for (first, count), (behind, _) in pairwise(found))


def test_a_loss_misses_nothing_where_all_is_durable(settlements, missed):
    settlements.ack(1)
    settlements.durable = 1
    settlements.lose()
    assert not missed.count


def test_a_loss_misses_what_is_not_durable(settlements, missed):
    settlements.ack(1)
    settlements.lose()
    settlements.lose()
    assert missed.count == 1


def test_what_is_settled_after_a_loss_is_missed(settlements, missed):
    settlements.lose()
    settlements.ack(1)
    assert missed.count == 1
