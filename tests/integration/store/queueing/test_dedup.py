"""Messages of a named publisher are taken once by each queue."""

from storehub import CONFIRMED, DUPLICATE, REFUSED, Source, message, queue


def numbered(first, count, address="q"):
    return [message(address, b"%d" % number) for number in range(first, first + count)]


async def send(queues, name, first, count, address="q"):
    source = Source(queues.hub, name, first)
    source.send(numbered(first, count, address))
    outcomes = await source.outcomes(count)
    source.session.close()
    return outcomes


async def test_a_repeat_is_passed_over_and_what_is_new_is_taken(queues):
    await queues.open(queue("q"))
    assert await send(queues, "p", 1, 5) == [CONFIRMED] * 5
    assert await send(queues, "p", 3, 5) == [DUPLICATE] * 3 + [CONFIRMED] * 2
    assert await send(queues, "other", 3, 2) == [CONFIRMED] * 2
    assert await send(queues, "", 1, 1) == [CONFIRMED]
    assert await queues.contents("q") == [b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"3", b"4", b"1"]
    assert queues.status("q").counters.duplicates == 3


async def test_a_repeat_at_once_is_told_when_the_first_is_safe(queues):
    await queues.open(queue("q"))
    first, second = Source(queues.hub, "p"), Source(queues.hub, "p")
    first.send(numbered(1, 3))
    second.send(numbered(1, 3))
    assert second.look() == []
    assert await second.outcomes(3) == [DUPLICATE] * 3
    assert first.look() == [CONFIRMED] * 3


async def test_what_was_consumed_is_a_repeat_still_over_restarts(queues):
    await queues.open(queue("q"))
    await send(queues, "p", 1, 4)
    assert len((await queues.hub.get("q", 4)).deliveries) == 4
    await queues.reopen()
    assert await send(queues, "p", 1, 5) == [DUPLICATE] * 4 + [CONFIRMED]
    await queues.reopen()
    await queues.reopen()
    assert await send(queues, "p", 5, 1) == [DUPLICATE]
    assert await queues.contents("q") == [b"5"]


async def test_each_queue_knows_for_itself(queues):
    await queues.open(queue("a", bindings=("q",)))
    await send(queues, "p", 1, 2)
    await queues.apply(queue("a", bindings=("q",)), queue("b", bindings=("q",)))
    assert await send(queues, "p", 1, 3) == [CONFIRMED] * 3
    assert await queues.contents("a") == [b"1", b"2", b"3"]
    assert await queues.contents("b") == [b"1", b"2", b"3"]
    assert await send(queues, "p", 1, 3) == [DUPLICATE] * 3


async def test_messages_to_many_addresses_are_told_apart(queues):
    await queues.open(queue("a"), queue("b"))
    mixed = [message("ab"[number % 2], b"%d" % number) for number in range(6)]
    for expected in (CONFIRMED, DUPLICATE):
        source = Source(queues.hub, "p", 0)
        source.send(mixed)
        assert await source.outcomes(6) == [expected] * 6
    assert await queues.contents("a") == [b"0", b"2", b"4"]
    assert await queues.contents("b") == [b"1", b"3", b"5"]


async def test_one_that_was_refused_comes_again_under_its_number(queues):
    limited = {"max_length": 2, "overflow": "reject-publish"}
    await queues.open(queue("q", **limited))
    assert await send(queues, "p", 0, 4) == [CONFIRMED] * 2 + [REFUSED] * 2
    assert await send(queues, "z", 0, 1) == [REFUSED]
    await queues.hub.purge("q")
    assert await send(queues, "p", 2, 2) == [CONFIRMED] * 2
    await queues.hub.purge("q")
    assert await send(queues, "z", 0, 1) == [CONFIRMED]


async def test_one_that_was_refused_comes_again_also_when_later_ones_were_taken(queues):
    limited = {"max_length": 2, "overflow": "reject-publish"}
    await queues.open(queue("q", **limited))
    assert await send(queues, "p", 1, 4) == [CONFIRMED] * 2 + [REFUSED] * 2
    await queues.hub.purge("q")
    assert await send(queues, "p", 5, 1) == [CONFIRMED]
    assert await send(queues, "p", 1, 5) == [DUPLICATE] * 2 + [CONFIRMED, REFUSED, DUPLICATE]
    assert await queues.contents("q") == [b"5", b"3"]


async def test_a_queue_of_many_addresses_takes_a_mixed_batch_in_its_order(queues):
    await queues.open(queue("all", bindings=("#",)), queue("a"), queue("few", bindings=("*",), max_length=2))
    for expected in (CONFIRMED, DUPLICATE):
        source = Source(queues.hub, "p")
        source.send([message("ab"[number % 2], b"%d" % number + bytes(5000 * (number % 3))) for number in range(6)])
        assert await source.outcomes(6) == [expected] * 6
    assert [body[:1] for body in await queues.contents("all")] == [b"0", b"1", b"2", b"3", b"4", b"5"]
    assert [body[:1] for body in await queues.contents("a")] == [b"0", b"2", b"4"]
    assert [body[:1] for body in await queues.contents("few")] == [b"4", b"5"]
