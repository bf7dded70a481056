"""Consumers of a queue: deliveries, settlements, and who gets what."""

import asyncio

import pytest

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from storehub import ACK, CONFIRMED, REJECT, REQUEUE, Source, Tap, message, queue


def numbered(count, first=0):
    return [b"%d" % number for number in range(first, first + count)]


async def test_what_is_published_is_delivered_once_it_is_safe(queues):
    await queues.open(queue("q"))
    tap = Tap(queues.hub, "q")
    source = Source(queues.hub, "loader")
    source.send([message("q", body, headers={"by": "post"}) for body in numbered(3)])
    tap.look()
    assert (tap.got, source.look()) == ([], [])
    assert await source.outcomes(3) == [CONFIRMED] * 3
    first, second, third = await tap.deliveries(3)
    assert [first.message.body, second.message.body, third.message.body] == numbered(3)
    assert (first.number, first.deliveries, third.number) == (1, 0, 3)
    assert (first.message.publisher, first.message.number, third.message.number) == ("loader", 1, 3)
    assert first.message.headers["by"] == "post"
    assert first.message.taken_ms > 0
    assert first.position < second.position < third.position


async def test_settlements_are_told_once_they_are_safe_and_messages_are_gone(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(5))
    tap = Tap(queues.hub, "q")
    await tap.deliveries(5)
    await tap.settle_safely(1, 2)
    await tap.settle_safely(4, 2)
    assert tap.settled == [1, 2, 4, 5]
    assert queues.status("q").unacked == 1
    await queues.reopen()
    assert await queues.contents("q") == [b"2"]


async def test_requeued_messages_come_in_their_order_before_the_others(queues):
    """Take 0 to 3 of 6, give back 2, then 0, be done with 1, give back 3."""
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(6))
    tap = Tap(queues.hub, "q", credit=4)
    await tap.deliveries(4)
    tap.settle(3, disposition=REQUEUE)
    tap.settle(1, disposition=REQUEUE)
    tap.settle(2, disposition=ACK)
    tap.settle(4, disposition=REQUEUE)
    tap.session.allow(5)
    assert await tap.bodies(9) == [b"0", b"1", b"2", b"3", b"0", b"2", b"3", b"4", b"5"]
    assert [delivery.deliveries for delivery in tap.got[4:]] == [1, 1, 1, 0, 0]


async def test_a_consumer_that_goes_away_gives_back_what_it_holds(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(4))
    first = Tap(queues.hub, "q", credit=3)
    await first.deliveries(3)
    await first.settle_safely(2)
    first.close()
    second = Tap(queues.hub, "q")
    assert await second.bodies(3) == [b"0", b"2", b"3"]
    assert [delivery.deliveries for delivery in second.got] == [1, 1, 0]


async def test_deliveries_stay_below_credit_and_prefetch(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(10))
    tap = Tap(queues.hub, "q", credit=6, prefetch=4)
    assert len(tap.got) == 4
    tap.settle(1, 3)
    tap.look()
    assert len(tap.got) == 6
    tap.settle(4, 3)
    tap.look()
    assert len(tap.got) == 6
    tap.session.allow(1)
    tap.look()
    assert len(tap.got) == 7


async def test_a_slow_consumer_does_not_hold_a_fast_one(queues):
    await queues.open(queue("q"))
    slow = Tap(queues.hub, "q", credit=100_000)
    fast = Tap(queues.hub, "q", credit=100_000)
    source = Source(queues.hub)
    source.send([message("q", body) for body in numbered(2000)])
    await fast.until(lambda: len(fast.got) >= 1800)
    slow.look()
    assert len(slow.got) + len(fast.got) == 2000
    # What goes to one that does not read is one turn.
    assert len(slow.got) <= 200


async def test_equal_consumers_share(queues):
    await queues.open(queue("q"))
    taps = [Tap(queues.hub, "q", credit=100_000) for _ in range(4)]
    source = Source(queues.hub)
    source.send([message("q", body) for body in numbered(800)])
    await source.outcomes(800)
    for tap in taps:
        tap.look()
    assert [len(tap.got) for tap in taps] == [200, 200, 200, 200]


async def test_the_highest_priority_gets_what_it_can_take(queues):
    await queues.open(queue("q"))
    low = Tap(queues.hub, "q", priority=1)
    high = Tap(queues.hub, "q", priority=5, credit=3)
    await queues.publish("q", *numbered(5))
    assert await high.bodies(3) == [b"0", b"1", b"2"]
    assert await low.bodies(2) == [b"3", b"4"]


async def test_deliveries_without_acknowledgement_are_done_with_when_they_go_out(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(3))
    tap = Tap(queues.hub, "q", no_ack=True)
    assert await tap.bodies(3) == numbered(3)
    assert (queues.status("q").ready, queues.status("q").unacked) == (0, 0)
    with pytest.raises(InvalidArgumentError):
        tap.settle(1)


async def test_an_exclusive_consumer_is_alone(queues):
    await queues.open(queue("q"))
    tap = Tap(queues.hub, "q", exclusive=True, consumer="night run")
    with pytest.raises(FailedPreconditionError, match="night run"):
        Tap(queues.hub, "q")
    with pytest.raises(FailedPreconditionError):
        await queues.hub.get("q", 1)
    tap.close()
    other = Tap(queues.hub, "q")
    with pytest.raises(FailedPreconditionError):
        Tap(queues.hub, "q", exclusive=True)
    other.close()


async def test_a_single_active_consumer_gets_all_and_the_next_takes_over(queues):
    await queues.open(queue("q", single_active_consumer=True))
    first = Tap(queues.hub, "q", credit=2)
    second, third = Tap(queues.hub, "q"), Tap(queues.hub, "q", priority=9)
    assert (first.active, second.active, third.active) == (True, False, False)
    await queues.publish("q", *numbered(3))
    assert await first.bodies(2) == [b"0", b"1"]
    second.look()
    assert second.got == []
    first.close()
    assert await third.bodies(3) == [b"0", b"1", b"2"]
    assert third.active is True
    assert second.active is False


async def test_whether_one_is_active_changes_live(queues):
    await queues.open(queue("q", single_active_consumer=True))
    first, second = Tap(queues.hub, "q"), Tap(queues.hub, "q")
    await queues.apply(queue("q"))
    second.look()
    assert second.active is True
    await queues.apply(queue("q", single_active_consumer=True))
    first.look()
    second.look()
    assert (first.active, second.active) == (True, False)


@pytest.mark.parametrize(
    "settlement",
    [(3, 1, ACK), (0, 1, ACK), (1, 3, ACK), (1, 0, ACK), (1, 1 << 63, ACK), (1, 1, 0)],
    ids=["never delivered", "zero", "too many", "none", "very many", "no disposition"],
)
async def test_what_is_not_outstanding_cannot_be_settled_and_nothing_else_breaks(queues, settlement):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(2))
    tap = Tap(queues.hub, "q")
    await tap.deliveries(2)
    with pytest.raises(InvalidArgumentError) as caught:
        tap.settle(*settlement)
    assert caught.value.violations[0].field.startswith("settlements[0]")
    await tap.settle_safely(1, 2)


async def test_nobody_consumes_from_a_queue_that_is_not_there(queues):
    await queues.open()
    with pytest.raises(NotFoundError):
        Tap(queues.hub, "q")


async def test_one_that_has_left_is_told_what_becomes_of_its_settlements(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(2))
    tap = Tap(queues.hub, "q")
    await tap.deliveries(2)
    tap.settle(1)
    tap.session.leave()
    assert not tap.session.idle
    await tap.until(lambda: tap.settled == [1])
    assert tap.session.idle
    assert await queues.contents("q") == [b"1"]


async def test_rejected_messages_without_dead_letters_are_gone(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(2))
    tap = Tap(queues.hub, "q")
    await tap.deliveries(2)
    await tap.settle_safely(1, 2, REJECT)
    assert (queues.status("q").unacked, queues.status("q").counters.rejected) == (0, 2)
    await queues.reopen()
    assert await queues.contents("q") == []


async def test_a_backlog_on_disk_is_delivered_in_order(queues):
    await queues.open(queue("q"))
    for start in range(0, 6000, 500):
        await queues.publish("q", *numbered(500, start))
    await queues.reopen()
    (insides,) = queues.hub.describe("q").insides
    assert insides.delta > 0
    tap = Tap(queues.hub, "q", credit=10_000)
    assert await tap.bodies(6000) == numbered(6000)


async def test_the_status_tells_all(queues):
    await queues.open(queue("q"))
    await queues.publish("q", b"1234567890", b"2", b"3")
    tap = Tap(queues.hub, "q", credit=1, consumer="c", prefetch=10)
    await tap.deliveries(1)
    answer = queues.hub.describe("q")
    status = answer.status
    assert (status.name, status.uid, status.durable, status.state) == ("q", "uid-q", True, pb.QUEUE_STATE_RUNNING)
    assert (status.ready, status.unacked, status.consumers) == (2, 1, 1)
    assert status.unacked_bytes > status.ready_bytes / 2 > 0
    assert status.head_time.ToSeconds() > 0
    assert (status.counters.published, status.counters.delivered) == (3, 1)
    (consumer,) = answer.consumers
    assert (consumer.name, consumer.peer, consumer.unacked, consumer.credit) == ("c", "test", 1, 0)
    assert answer.insides[0].q4 + answer.insides[0].q1 == 2
    assert [each.name for each in queues.hub.list()] == ["q"]


async def test_get_takes_from_the_head_for_good(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(5))
    answer = await queues.hub.get("q", 2)
    assert [delivery.message.body for delivery in answer.deliveries] == numbered(2)
    assert ([delivery.number for delivery in answer.deliveries], answer.left) == ([1, 2], 3)
    assert (await queues.hub.get("q", 10)).left == 0
    assert len((await queues.hub.get("q", 1)).deliveries) == 0
    await queues.reopen()
    assert await queues.contents("q") == []


async def test_browse_takes_nothing_and_goes_on_where_it_ended(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(5))
    tap = Tap(queues.hub, "q", credit=1)
    await tap.deliveries(1)
    first = await queues.hub.browse("q", 0, 3)
    second = await queues.hub.browse("q", first.next, 3)
    assert [each.message.body for answer in (first, second) for each in answer.deliveries] == numbered(5)
    assert (second.next, {each.number for each in first.deliveries}) == (0, {0})
    assert queues.status("q").ready == 4


async def test_purge_removes_what_nobody_holds(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *numbered(5))
    tap = Tap(queues.hub, "q", credit=2)
    await tap.deliveries(2)
    assert await queues.hub.purge("q") == 3
    assert (queues.status("q").ready, queues.status("q").unacked) == (0, 2)
    tap.close()
    assert await queues.contents("q") == numbered(2)
    await queues.reopen()
    assert await queues.contents("q") == numbered(2)


async def test_many_waiting_consumers_all_get_their_part(queues):
    await queues.open(queue("q"))
    taps = [Tap(queues.hub, "q", prefetch=1) for _ in range(30)]
    await queues.publish("q", *numbered(30))
    await asyncio.gather(*(tap.deliveries(1) for tap in taps))
    assert sorted(tap.got[0].message.body for tap in taps) == sorted(numbered(30))
