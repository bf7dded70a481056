"""Consumers: whose turn it is, and how much they may have."""

import pytest

from forebay.runtime.errors import FailedPreconditionError
from forebay.store.queueing.consumers import MOST_OUTSTANDING, TURN, Consumer, Consumers

from .runs import run_of


def joined(consumers, *names, **options):
    made = [Consumer(name, credit=1000, **options) for name in names]
    for consumer in made:
        consumers.add(consumer)
        consumers.want(consumer)
    return made


def hand(consumers, consumer, first, count):
    consumer.hand(run_of(first, count))
    consumers.served(consumer)


def sent(consumers, consumer):
    consumer.turn = []
    consumers.want(consumer)


def test_equals_take_turns():
    consumers = Consumers()
    a, b, c = joined(consumers, "a", "b", "c")
    order = []
    for first in range(0, 60, 10):
        consumer = consumers.next()
        order.append(consumer.name)
        hand(consumers, consumer, first, 10)
        sent(consumers, consumer)
    assert order == ["a", "b", "c"] * 2
    assert {a.outstanding.count, b.outstanding.count, c.outstanding.count} == {20}


def test_one_that_has_not_sent_its_turn_gets_no_more():
    consumers = Consumers()
    slow, fast = joined(consumers, "slow", "fast")
    hand(consumers, slow, 0, 10)
    for first in range(10, 100, 10):
        assert consumers.next() is fast
        hand(consumers, fast, first, 10)
        assert consumers.next() is None
        sent(consumers, fast)


def test_the_highest_priority_is_served_as_long_as_it_has_room():
    consumers = Consumers()
    (low,) = joined(consumers, "low")
    high = Consumer("high", credit=20, priority=3)
    consumers.add(high)
    consumers.want(high)
    hand(consumers, consumers.next(), 0, 15)
    assert high.outstanding.count == 15
    sent(consumers, high)
    assert consumers.next() is high
    hand(consumers, high, 15, 5)
    sent(consumers, high)
    assert consumers.next() is low


def test_room_is_the_least_of_credit_prefetch_and_turn():
    consumers = Consumers()
    for consumer, room in (
        (Consumer("credit", credit=3, prefetch=9), 3),
        (Consumer("prefetch", credit=9, prefetch=4), 4),
        (Consumer("turn", credit=100_000), TURN),
        (Consumer("none"), 0),
    ):
        consumers.add(consumer)
        assert consumer.room == room
    greedy = Consumer("greedy", credit=1 << 40)
    consumers.add(greedy)
    greedy.outstanding.add(run_of(0, MOST_OUTSTANDING - 1))
    assert greedy.room == 1


def test_takers_are_the_deliveries_that_could_be_made():
    consumers = Consumers()
    joined(consumers, "a", "b", prefetch=7)
    consumers.add(Consumer("idle", credit=50))
    assert consumers.takers == 14


def test_an_exclusive_one_is_alone():
    consumers = Consumers()
    (only,) = joined(consumers, "only", exclusive=True)
    with pytest.raises(FailedPreconditionError, match="only"):
        consumers.add(Consumer("other"))
    consumers.remove(only)
    joined(consumers, "a", "b")
    with pytest.raises(FailedPreconditionError):
        consumers.add(Consumer("late", exclusive=True))
    assert len(consumers) == 2


def test_of_single_active_ones_the_first_stays_until_it_goes():
    consumers = Consumers(single=True)
    first, second = joined(consumers, "first", "second")
    urgent = Consumer("urgent", credit=1, priority=5)
    consumers.add(urgent)
    assert [each.active for each in (first, second, urgent)] == [True, False, False]
    woken = []
    urgent.wake = lambda: woken.append("urgent")
    consumers.remove(first)
    assert [each.active for each in (first, second, urgent)] == [False, False, True]
    assert woken == ["urgent"]
    consumers.set_single(False)
    assert second.active
    consumers.set_single(True)
    assert [each.active for each in (second, urgent)] == [True, False]


def test_settlements_that_follow_each_other_are_told_as_one():
    consumer = Consumer("c")
    consumer.unsettled = 3
    for numbers in (range(1, 3), range(3, 4), range(7, 9)):
        consumer.note_settled(numbers)
    assert (consumer.settled, consumer.unsettled) == ([range(1, 4), range(7, 9)], 0)
