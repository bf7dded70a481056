"""Time to live of messages and queues."""

import pytest

from storehub import CONFIRMED, Source, Tap, message, queue


async def send(queues, *messages):
    source = Source(queues.hub)
    source.send(messages)
    return await source.outcomes(len(messages))


async def test_the_shorter_of_queue_and_message_counts(timed):
    await timed.open(queue("q", ttl_ms=10_000))
    await send(
        timed, message("q", b"queue"), message("q", b"short", ttl_ms=3_000), message("q", b"long", ttl_ms=60_000)
    )
    await timed.pass_time(2.9)
    assert await timed.contents("q") == [b"queue", b"short", b"long"]
    await timed.pass_time(0.2)
    assert await timed.contents("q") == [b"queue", b"long"]
    await timed.pass_time(7)
    assert timed.status("q").ready == 0
    assert timed.status("q").counters.expired == 3


async def test_one_behind_a_longer_one_goes_on_time(timed):
    await timed.open(queue("q"))
    await send(timed, message("q", b"long", ttl_ms=3_000), message("q", b"short", ttl_ms=200), message("q", b"ever"))
    await timed.pass_time(0.25)
    assert timed.status("q").ready == 2
    assert await timed.contents("q") == [b"long", b"ever"]


async def test_an_expired_one_is_never_delivered(timed):
    await timed.open(queue("q", ttl_ms=1000))
    await send(timed, *[message("q", b"%d" % number) for number in range(500)])
    # The time has come, and nothing had the chance to see it.
    timed.clock.now += 5
    tap = Tap(timed.hub, "q")
    assert tap.got == []
    assert len((await timed.hub.get("q", 10)).deliveries) == 0


async def test_expiry_is_kept_over_a_restart(timed):
    await timed.open(queue("q", ttl_ms=5000))
    await send(timed, message("q", b"1"), message("q", bytes(10_000)))
    await timed.reopen()
    assert timed.status("q").ready == 2
    await timed.pass_time(5.1)
    await timed.until(lambda: timed.status("q").ready == 0)


async def test_what_is_on_disk_alone_expires_on_time_too(timed):
    await timed.open(queue("q"))
    for start in range(0, 4000, 500):
        await send(timed, *[message("q", b"%d" % (start + n), ttl_ms=9000 if n % 2 else 3000) for n in range(500)])
    await timed.reopen()
    assert timed.hub.describe("q").insides[0].delta > 0
    await timed.pass_time(3.1)
    await timed.until(lambda: timed.status("q").ready == 2000)
    tap = Tap(timed.hub, "q", credit=10_000)
    assert await tap.bodies(2000) == [b"%d" % number for number in range(4000) if number % 2]


async def test_what_is_held_does_not_expire_and_when_it_comes_back_it_does(timed):
    await timed.open(queue("q", ttl_ms=1000))
    await send(timed, message("q", b"x"))
    tap = Tap(timed.hub, "q", credit=1)
    await tap.deliveries(1)
    await timed.pass_time(5)
    assert timed.status("q").unacked == 1
    tap.close()
    other = Tap(timed.hub, "q")
    await timed.until(lambda: timed.status("q").counters.expired == 1)
    other.look()
    assert other.got == []


async def test_a_ttl_of_0_is_delivered_at_once_or_never(queues):
    await queues.open(queue("q", ttl_ms=0), queue("plain"))
    assert await queues.publish("q", b"nobody is there") == [CONFIRMED]
    assert await queues.publish("plain", b"nor here", ttl_ms=0) == [CONFIRMED]
    tap, plain = Tap(queues.hub, "q", credit=2), Tap(queues.hub, "plain")
    await queues.publish("q", b"1", b"2", b"3")
    assert await tap.bodies(2) == [b"1", b"2"]
    await queues.publish("plain", b"now", ttl_ms=0)
    assert await plain.bodies(1) == [b"now"]
    assert queues.status("q").counters.expired == 2
    assert queues.status("plain").counters.expired == 1
    assert queues.status("q").ready == 0


async def test_the_ttl_of_a_queue_changes_live_for_what_comes(timed):
    await timed.open(queue("q"))
    await send(timed, message("q", b"before"))
    await timed.apply(queue("q", ttl_ms=1000))
    await send(timed, message("q", b"short"))
    await timed.apply(queue("q", ttl_ms=9000))
    await send(timed, message("q", b"longer"))
    await timed.pass_time(1.1)
    assert await timed.contents("q") == [b"before", b"longer"]
    await timed.pass_time(8.1)
    assert await timed.contents("q") == [b"before"]


async def test_the_longest_ttl_there_is_means_never(queues):
    await queues.open(queue("q"))
    assert await queues.publish("q", b"x", ttl_ms=(1 << 64) - 1) == [CONFIRMED]
    await queues.reopen()
    assert await queues.contents("q") == [b"x"]


class TestQueueExpiry:
    """A queue that nobody uses for a time is emptied."""

    async def test_it_is_emptied_and_takes_messages_afresh(self, timed):
        await timed.open(queue("q", expires_ms=10_000))
        await timed.publish("q", b"1", bytes(10_000))
        await timed.pass_time(9)
        assert timed.status("q").ready == 2
        await timed.pass_time(1.1)
        await timed.until(lambda: timed.status("q").ready == 0)
        assert timed.status("q").counters.expired == 2
        assert await timed.publish("q", b"3") == [CONFIRMED]
        await timed.pass_time(9)
        assert await timed.contents("q") == [b"3"]
        await timed.reopen()
        assert await timed.contents("q") == [b"3"]

    async def test_a_get_and_a_consumer_are_use(self, timed):
        await timed.open(queue("q", expires_ms=10_000))
        await timed.publish("q", b"1", b"2")
        await timed.pass_time(8)
        await timed.hub.get("q", 1)
        await timed.pass_time(8)
        assert timed.status("q").ready == 1
        tap = Tap(timed.hub, "q", credit=0)
        await timed.pass_time(100)
        assert timed.status("q").ready == 1
        tap.close()
        await timed.pass_time(8)
        assert timed.status("q").ready == 1
        await timed.pass_time(3)
        await timed.until(lambda: timed.status("q").ready == 0)

    async def test_it_changes_live(self, timed):
        await timed.open(queue("q"))
        await timed.publish("q", b"1")
        await timed.pass_time(50)
        await timed.apply(queue("q", expires_ms=60_000))
        await timed.pass_time(9)
        assert timed.status("q").ready == 1
        await timed.apply(queue("q"))
        await timed.pass_time(60)
        assert timed.status("q").ready == 1
        await timed.apply(queue("q", expires_ms=1_000))
        await timed.until(lambda: timed.status("q").ready == 0)


@pytest.mark.parametrize("jump", [-3600, 3600])
async def test_the_clock_of_the_machine_may_be_set(timed, jump):
    await timed.open(queue("q", ttl_ms=5_000))
    await timed.publish("q", b"x")
    timed.clock.set_wall(timed.clock.wall() + jump)
    await timed.pass_time(70)
    assert timed.status("q").ready == (1 if jump < 0 else 0)
