"""Limits of a queue's length, and what becomes of what is too much."""

import pytest

from storehub import ACK, CONFIRMED, REFUSED, REQUEUE, Source, Tap, message, queue

REJECT_PUBLISH = {"overflow": "reject-publish"}
SIZE = 1000


def octets(count):
    """A limit in octets that has room for so many bodies of SIZE."""
    return count * (SIZE + 40)


async def test_the_oldest_go_where_the_newest_are_kept(queues):
    await queues.open(queue("q", max_length=3))
    assert await queues.publish("q", b"1", b"2", b"3", b"4", b"5") == [CONFIRMED] * 5
    assert await queues.contents("q") == [b"3", b"4", b"5"]
    assert queues.status("q").counters.dropped == 2
    await queues.reopen()
    assert await queues.contents("q") == [b"3", b"4", b"5"]


async def test_octets_are_a_limit_too(queues):
    await queues.open(queue("q", max_octets=octets(3)))
    await queues.publish("q", *[bytes([n]) * SIZE for n in range(5)])
    assert await queues.contents("q") == [bytes([n]) * SIZE for n in (2, 3, 4)]
    await queues.publish("q", bytes(octets(5)))
    assert await queues.contents("q") == []


async def test_the_newest_are_refused_with_a_reason(queues):
    await queues.open(queue("q", max_length=3, **REJECT_PUBLISH))
    source = Source(queues.hub)
    source.send([message("q", b"%d" % number) for number in range(5)])
    assert await source.outcomes(5) == [CONFIRMED] * 3 + [REFUSED] * 2
    (reason,) = {confirm.reason for confirm in source.confirms if confirm.outcome == REFUSED}
    assert "q is full (3 messages)" in reason
    assert queues.status("q").counters.refused == 2
    assert len((await queues.hub.get("q", 1)).deliveries) == 1
    assert await queues.publish("q", b"5") == [CONFIRMED]
    assert await queues.contents("q") == [b"1", b"2", b"5"]


async def test_refused_by_octets(queues):
    await queues.open(queue("q", max_octets=octets(2), **REJECT_PUBLISH))
    assert await queues.publish("q", *[bytes(SIZE)] * 3) == [CONFIRMED, CONFIRMED, REFUSED]
    assert await queues.publish("q", bytes(octets(9))) == [REFUSED]
    assert await queues.publish("q", b"") == [CONFIRMED]


async def test_one_queue_refuses_and_the_other_keeps(queues):
    await queues.open(queue("small", bindings=("a",), max_length=1, **REJECT_PUBLISH), queue("large", bindings=("a",)))
    assert await queues.publish("a", bytes(10_000), bytes(9_000)) == [CONFIRMED, REFUSED]
    assert (queues.status("small").ready, queues.status("large").ready) == (1, 2)
    await queues.hub.purge("large")
    await queues.hub.purge("small")
    await queues.until(lambda: queues.hub.figures().persistent.messages == 0)


async def test_what_is_held_does_not_count(queues):
    """One of two is held: there is room for one more; and what comes back makes three."""
    await queues.open(queue("q", max_length=2, **REJECT_PUBLISH))
    await queues.publish("q", b"a", b"b")
    tap = Tap(queues.hub, "q", credit=1)
    await tap.deliveries(1)
    assert await queues.publish("q", b"c") == [CONFIRMED]
    await tap.settle_safely(1, disposition=REQUEUE)
    assert await queues.contents("q") == [b"a", b"b", b"c"]
    assert await queues.publish("q", b"d") == [REFUSED]


async def test_what_comes_back_into_a_full_queue_is_the_oldest_and_goes(queues):
    await queues.open(queue("q", max_length=2))
    await queues.publish("q", b"a", b"b")
    tap = Tap(queues.hub, "q", credit=1)
    await tap.deliveries(1)
    await queues.publish("q", b"c")
    await tap.settle_safely(1, disposition=REQUEUE)
    assert await queues.contents("q") == [b"b", b"c"]
    assert queues.status("q").counters.dropped == 1


async def test_what_is_held_counts_where_that_is_wanted(queues):
    await queues.open(queue("q", max_length=2, count_unacked=True, **REJECT_PUBLISH))
    await queues.publish("q", b"a", b"b")
    tap = Tap(queues.hub, "q", credit=1)
    await tap.deliveries(1)
    assert await queues.publish("q", b"c") == [REFUSED]
    await tap.settle_safely(1, disposition=ACK)
    assert await queues.publish("q", b"d") == [CONFIRMED]
    await queues.apply(queue("q", max_length=2, count_unacked=True))
    tap.session.allow(2)
    await tap.deliveries(3)
    await queues.publish("q", b"e", b"f")
    assert (queues.status("q").unacked, queues.status("q").ready) == (2, 0)


async def test_limits_change_live(queues):
    await queues.open(queue("q"))
    await queues.publish("q", *[b"%d" % number for number in range(10)])
    await queues.apply(queue("q", max_length=4))
    assert await queues.contents("q") == [b"6", b"7", b"8", b"9"]
    await queues.apply(queue("q", max_length=4, **REJECT_PUBLISH))
    assert await queues.publish("q", b"x") == [REFUSED]
    await queues.apply(queue("q"))
    assert await queues.publish("q", b"x") == [CONFIRMED]
    await queues.apply(queue("q", max_octets=1))
    assert await queues.contents("q") == []


async def test_a_lower_limit_reaches_what_is_on_disk_alone(queues):
    await queues.open(queue("q"))
    for start in range(0, 4000, 500):
        await queues.publish("q", *[b"%d" % number for number in range(start, start + 500)])
    await queues.reopen()
    assert queues.hub.describe("q").insides[0].delta > 0
    await queues.apply(queue("q", max_length=10))
    await queues.until(lambda: queues.status("q").ready == 10)
    assert await queues.contents("q") == [b"%d" % number for number in range(3990, 4000)]


async def test_no_more_goes_than_has_to_after_a_restart(queues):
    await queues.open(queue("q"))
    await queues.publish("q", b"", *[bytes([n]) * SIZE for n in range(5)])
    await queues.reopen()
    await queues.apply(queue("q", max_octets=octets(4)))
    assert await queues.contents("q") == [bytes([n]) * SIZE for n in range(1, 5)]
    await queues.publish("q", b"small")
    assert await queues.contents("q") == [*[bytes([n]) * SIZE for n in range(1, 5)], b"small"]
    await queues.publish("q", bytes(200))
    assert await queues.contents("q") == [*[bytes([n]) * SIZE for n in range(2, 5)], b"small", bytes(200)]


async def test_a_queue_of_length_0_hands_on_what_can_be_delivered_or_nothing(queues):
    await queues.open(queue("q", max_length=0))
    assert await queues.publish("q", b"x") == [CONFIRMED]
    assert queues.status("q").ready == 0


class TestPriorities:
    """A queue with priorities."""

    async def test_the_highest_goes_first_and_above_the_highest_is_the_highest(self, queues):
        await queues.open(queue("q", max_priority=5))
        for body, priority in ((b"a", 0), (b"b", 5), (b"c", 3), (b"d", 200), (b"e", 3)):
            await queues.publish("q", body, priority=priority)
        await queues.reopen()
        assert await queues.contents("q") == [b"b", b"d", b"c", b"e", b"a"]
        tap = Tap(queues.hub, "q")
        assert await tap.bodies(5) == [b"b", b"d", b"c", b"e", b"a"]
        await tap.settle_safely(1, 3)
        tap.close()
        await queues.reopen()
        assert [(each.message.body, each.deliveries) for each in await queues.browse("q")] == [(b"e", 1), (b"a", 1)]

    async def test_a_queue_without_priorities_does_not_look_at_them(self, queues):
        await queues.open(queue("q"))
        await queues.publish("q", b"a", priority=1)
        await queues.publish("q", b"b", priority=9)
        assert await queues.contents("q") == [b"a", b"b"]

    async def test_a_full_one_loses_the_oldest_of_the_lowest(self, queues):
        await queues.open(queue("q", max_priority=9, max_length=3))
        for body, priority in ((b"5a", 5), (b"1a", 1), (b"1b", 1), (b"0", 0), (b"5b", 5)):
            assert await queues.publish("q", body, priority=priority) == [CONFIRMED]
            assert queues.status("q").ready <= 3
        assert await queues.contents("q") == [b"5a", b"5b", b"1b"]

    async def test_requeued_ones_go_back_to_their_level(self, queues):
        await queues.open(queue("q", max_priority=2))
        for body, priority in ((b"low", 0), (b"mid", 1), (b"high", 2)):
            await queues.publish("q", body, priority=priority)
        tap = Tap(queues.hub, "q", credit=3)
        await tap.deliveries(3)
        await tap.settle_safely(1, 3, REQUEUE)
        assert await queues.contents("q") == [b"high", b"mid", b"low"]

    async def test_ttl_purge_and_get_reach_all_levels(self, timed):
        await timed.open(queue("q", max_priority=2))
        for priority in (0, 1, 2):
            await timed.publish("q", b"short", priority=priority, ttl_ms=1000)
            await timed.publish("q", b"long", priority=priority)
        await timed.pass_time(1.1)
        assert await timed.contents("q") == [b"long"] * 3
        assert len((await timed.hub.get("q", 1)).deliveries) == 1
        assert await timed.hub.purge("q") == 2


@pytest.mark.parametrize("field", ["durable", "max_priority", "implementation"])
async def test_what_cannot_change_stays_and_is_told(queues, field):
    await queues.open(queue("q", ttl_ms=5))
    changed = {"durable": False, "max_priority": 4, "implementation": "other"}[field]
    violations = await queues.apply(queue("q", **{field: changed}))
    assert violations["uid-q"].field.startswith("spec.")
    assert "make another StoreQueue" in violations["uid-q"].description
    assert await queues.publish("q", b"x") == [CONFIRMED]
