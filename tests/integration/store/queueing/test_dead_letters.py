"""Dead letters: why a message left, where it went, and its history."""

import pytest

from forebay.pb.store.v1 import store_pb2 as pb
from storehub import CONFIRMED, REFUSED, REJECT, REQUEUE, Tap, queue

REJECTED, EXPIRED, MAXLEN, DELIVERY_LIMIT = (
    pb.DEATH_REASON_REJECTED,
    pb.DEATH_REASON_EXPIRED,
    pb.DEATH_REASON_MAXLEN,
    pb.DEATH_REASON_DELIVERY_LIMIT,
)


def history(delivery):
    return [(death.queue, death.reason, death.count) for death in delivery.message.deaths]


async def arrived(queues, count, name="dead"):
    await queues.until(lambda: queues.status(name).ready == count)
    return await queues.browse(name)


async def test_rejected(queues):
    await queues.open(queue("q", dead_letter_address="dead.q"), queue("dead", bindings=("dead.#",)))
    await queues.publish("q", b"1", bytes(10_000), headers={"by": "me"}, ttl_ms=60_000)
    tap = Tap(queues.hub, "q")
    await tap.deliveries(2)
    await tap.settle_safely(1, 2, REJECT)
    # Once it is told, the letter is safe and the message is gone.
    await queues.reopen()
    assert queues.status("q").ready == 0
    small, large = await arrived(queues, 2)
    assert (small.message.body, len(large.message.body)) == (b"1", 10_000)
    assert (small.message.address, small.message.headers["by"]) == ("dead.q", "me")
    assert history(small) == [("q", REJECTED, 1)]
    (death,) = small.message.deaths
    assert (death.address, death.original_ttl_ms) == ("q", 60_000)
    assert not small.message.HasField("ttl_ms")
    assert death.first_ms == death.last_ms > 0


async def test_expired(timed):
    await timed.open(queue("q", ttl_ms=1000, dead_letter_address="dead"), queue("dead"))
    await timed.publish("q", b"1", b"2")
    await timed.pass_time(1.1)
    letters = await arrived(timed, 2)
    assert [letter.message.body for letter in letters] == [b"1", b"2"]
    assert history(letters[0]) == [("q", EXPIRED, 1)]
    assert not letters[0].message.deaths[0].HasField("original_ttl_ms")
    assert timed.status("q").counters.dead_lettered == 2


async def test_expired_on_disk(timed):
    await timed.open(queue("q", dead_letter_address="dead"), queue("dead"))
    for start in range(0, 4000, 500):
        await timed.publish("q", *[b"%d" % number for number in range(start, start + 500)], ttl_ms=5000)
    await timed.reopen()
    await timed.pass_time(5.1)
    await timed.until(lambda: timed.status("dead").ready == 4000)
    tap = Tap(timed.hub, "dead", credit=4000)
    assert sorted(await tap.bodies(4000)) == sorted(b"%d" % number for number in range(4000))


async def test_too_long(queues):
    await queues.open(queue("q", max_length=1, dead_letter_address="dead"), queue("dead"))
    await queues.publish("q", b"1", b"2", b"3")
    letters = await arrived(queues, 2)
    assert [letter.message.body for letter in letters] == [b"1", b"2"]
    assert history(letters[0]) == [("q", MAXLEN, 1)]
    assert await queues.contents("q") == [b"3"]


async def test_refused_and_dead_lettered(queues):
    limited = {"max_length": 1, "overflow": "reject-publish-dead-letter"}
    await queues.open(queue("q", dead_letter_address="dead", **limited), queue("dead"), queue("none", **limited))
    assert await queues.publish("q", b"1", b"2") == [CONFIRMED, REFUSED]
    (letter,) = await arrived(queues, 1)
    assert (letter.message.body, history(letter)) == (b"2", [("q", MAXLEN, 1)])
    assert await queues.publish("none", b"1", b"2") == [CONFIRMED, REFUSED]


async def test_delivered_too_often(queues):
    await queues.open(queue("q", delivery_limit=3, dead_letter_address="dead"), queue("dead"))
    await queues.publish("q", b"x")
    tap = Tap(queues.hub, "q")
    for number in range(1, 4):
        await tap.deliveries(number)
        await tap.settle_safely(number, disposition=REQUEUE)
    (letter,) = await arrived(queues, 1)
    assert history(letter) == [("q", DELIVERY_LIMIT, 1)]
    assert [delivery.deliveries for delivery in tap.got] == [0, 1, 2]
    assert queues.status("q").counters.delivery_limited == 1
    assert (queues.status("q").ready, queues.status("q").unacked) == (0, 0)


async def test_the_delivery_count_is_kept_over_restarts(queues):
    await queues.open(queue("q", delivery_limit=3, dead_letter_address="dead"), queue("dead"))
    await queues.publish("q", b"x")
    for times in range(3):
        tap = Tap(queues.hub, "q")
        (delivery,) = await tap.deliveries(1)
        assert delivery.deliveries == times
        await queues.reopen()
    assert Tap(queues.hub, "q").got == []
    (letter,) = await arrived(queues, 1)
    assert history(letter) == [("q", DELIVERY_LIMIT, 1)]


async def test_the_delivery_limit_changes_live(queues):
    await queues.open(queue("q"))
    await queues.publish("q", b"x")
    tap = Tap(queues.hub, "q")
    for number in range(1, 4):
        await tap.deliveries(number)
        await tap.settle_safely(number, disposition=REQUEUE)
    await tap.deliveries(4)
    await queues.apply(queue("q", delivery_limit=2))
    await tap.settle_safely(4, disposition=REQUEUE)
    assert queues.status("q").counters.delivery_limited == 1


async def test_a_round_with_a_rejection_goes_on_and_is_counted(timed):
    await timed.open(queue("main", dead_letter_address="wait"), queue("wait", ttl_ms=1000, dead_letter_address="main"))
    await timed.publish("main", b"x")
    tap = Tap(timed.hub, "main")
    for number in range(1, 6):
        await tap.deliveries(number)
        await tap.settle_safely(number, disposition=REJECT)
        await timed.until(lambda: timed.status("wait").ready == 1)
        await timed.pass_time(1.1)
    delivery = (await tap.deliveries(6))[-1]
    assert history(delivery) == [("wait", EXPIRED, 5), ("main", REJECTED, 5)]
    assert delivery.message.deaths[1].first_ms < delivery.message.deaths[1].last_ms


async def test_a_round_without_a_rejection_ends(timed):
    await timed.open(queue("a", ttl_ms=1000, dead_letter_address="b"), queue("b", ttl_ms=1000, dead_letter_address="a"))
    await timed.publish("a", b"x")
    await timed.pass_time(1.1)
    await timed.until(lambda: timed.status("b").ready == 1)
    await timed.pass_time(1.1)
    await timed.until(lambda: timed.status("b").counters.dead_lettered == 1)
    await timed.until(lambda: timed.status("b").unacked == 0)
    assert (timed.status("a").ready, timed.status("b").ready) == (0, 0)


async def test_one_copy_for_all_that_take_the_letters(queues):
    dead = [queue(f"d{number}", bindings=("dead",)) for number in range(5)]
    await queues.open(queue("q", dead_letter_address="dead"), *dead)
    await queues.publish("q", bytes(10_000))
    tap = Tap(queues.hub, "q")
    await tap.deliveries(1)
    await tap.settle_safely(1, disposition=REJECT)
    await queues.until(lambda: queues.hub.figures().persistent.messages == 1)
    assert all(queues.status(each.name).ready == 1 for each in dead)


async def test_where_nobody_takes_them_they_are_gone(queues):
    await queues.open(queue("q", dead_letter_address="nowhere"))
    await queues.publish("q", b"x")
    tap = Tap(queues.hub, "q")
    await tap.deliveries(1)
    await tap.settle_safely(1, disposition=REJECT)
    assert (queues.status("q").ready, queues.status("q").unacked) == (0, 0)


async def test_the_address_changes_live(queues):
    await queues.open(queue("q", dead_letter_address="a"), queue("a"), queue("b"))
    await queues.publish("q", b"1", b"2", b"3")
    tap = Tap(queues.hub, "q")
    await tap.deliveries(3)
    for number, address in ((1, "a"), (2, "b"), (3, "")):
        await queues.apply(queue("q", dead_letter_address=address), queue("a"), queue("b"))
        await tap.settle_safely(number, disposition=REJECT)
    assert (await queues.contents("a"), await queues.contents("b")) == ([b"1"], [b"2"])


async def test_very_many_at_once_are_all_there(queues):
    await queues.open(queue("q", dead_letter_address="dead"), queue("dead"))
    for start in range(0, 20_000, 1000):
        await queues.publish("q", *[b"%d" % number for number in range(start, start + 1000)])
    await queues.apply(queue("q", dead_letter_address="dead", max_length=0), queue("dead"))
    await queues.until(lambda: queues.status("dead").ready == 20_000)
    tap = Tap(queues.hub, "dead", credit=20_000)
    assert await tap.bodies(20_000) == [b"%d" % number for number in range(20_000)]
    assert queues.status("q").unacked == 0


@pytest.mark.parametrize("disposition", [REJECT, REQUEUE])
async def test_a_crash_between_keeps_the_message_in_one_of_the_two(queues, disposition):
    """What is told to be rejected is with the dead letters or still in its queue, whenever the process ends."""
    await queues.open(queue("q", dead_letter_address="dead", delivery_limit=1), queue("dead"))
    await queues.publish("q", b"x")
    tap = Tap(queues.hub, "q")
    await tap.deliveries(1)
    tap.settle(1, disposition=disposition)
    await queues.reopen()
    Tap(queues.hub, "q")
    (letter,) = await arrived(queues, 1)
    assert len(history(letter)) == 1
