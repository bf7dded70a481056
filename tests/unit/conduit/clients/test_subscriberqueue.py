"""What waits for a subscriber."""

import pytest

from forebay.conduit.clients.subscriberqueue import Slow, SubscriberQueue
from forebay.conduit.core.subscribers import Delivery


def delivery(first, count):
    return Delivery(b"peer", 1, "/a", [bytes([number]) for number in range(first, first + count)])


def numbers(deliveries):
    return [payload[0] for each in deliveries for payload in each.payloads]


def test_it_is_read_in_order_and_in_parts():
    queue = SubscriberQueue(100, Slow.END)
    woken = []
    queue.wake = lambda: woken.append(queue.samples)
    assert queue.put(delivery(0, 5)) == 5
    assert queue.put(delivery(5, 5)) == 5
    assert woken == [5, 10]
    assert numbers(queue.drain(7, 1000)) == list(range(7))
    assert queue.samples == 3
    assert numbers(queue.drain(7, 1000)) == [7, 8, 9]
    assert queue.drain(7, 1000) == []


def test_octets_bound_what_is_read_but_one_sample_always_goes():
    queue = SubscriberQueue(100, Slow.END)
    queue.put(Delivery(b"peer", 1, "/a", [b"x" * 10] * 5))
    assert [len(each.payloads) for each in queue.drain(100, 20)] == [2]
    assert [len(each.payloads) for each in queue.drain(100, 1)] == [1]
    assert queue.samples == 2


def test_that_ends_takes_no_more_and_says_so():
    queue = SubscriberQueue(4, Slow.END)
    queue.put(delivery(0, 4))
    assert not queue.overrun
    assert queue.put(delivery(4, 1)) == 1
    assert queue.overrun
    assert queue.put(delivery(5, 2)) == 2
    assert numbers(queue.drain(100, 1000)) == [0, 1, 2, 3]
    queue.put(delivery(7, 1))
    assert queue.drain(100, 1000) == []


def test_that_holds_takes_what_fits():
    queue = SubscriberQueue(4, Slow.HOLD)
    assert queue.put(delivery(0, 3)) == 3
    assert queue.put(delivery(3, 3)) == 1
    assert queue.put(delivery(4, 2)) == 0
    assert numbers(queue.drain(2, 1000)) == [0, 1]
    assert queue.put(delivery(4, 2)) == 2
    assert numbers(queue.drain(100, 1000)) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("put", "left", "missed"),
    [
        pytest.param([(0, 4), (4, 1)], [1, 2, 3, 4], 1, id="one"),
        pytest.param([(0, 2), (2, 2), (4, 3)], [3, 4, 5, 6], 3, id="over-a-border"),
        pytest.param([(0, 2), (2, 9)], [7, 8, 9, 10], 7, id="more-than-may-wait"),
        pytest.param([(0, 9)], [5, 6, 7, 8], 5, id="at-once"),
    ],
)
def test_that_drops_keeps_the_newest_and_counts_the_others(put, left, missed):
    queue = SubscriberQueue(4, Slow.DROP)
    for first, count in put:
        assert queue.put(delivery(first, count)) == count
    assert queue.samples == 4
    assert numbers(queue.drain(100, 1000)) == left
    assert (queue.take_missed(), queue.take_missed()) == (missed, 0)
