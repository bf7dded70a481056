"""What users of RabbitMQ rely on, put to a real one and to a store: both have to pass."""

from eventually import eventually

from .brokers import Broker, Options

MAIN, DEAD = "main", "dead"


async def publish(broker: Broker, queue: str, bodies: str) -> list[bool]:
    """Publish a message for each character."""
    return [await broker.publish(queue, body) for body in bodies]


async def bodies(broker: Broker, queue: str, count: int) -> str:
    """The bodies of so many messages that are taken."""
    return "".join(taken.body for taken in await broker.take(queue, count))


async def until_ready(broker: Broker, queue: str, count: int) -> None:
    async def reached() -> bool:
        return await broker.ready(queue) == count

    await eventually(reached)


async def test_requeued_messages_go_back_to_their_places(broker):
    await broker.declare({MAIN: Options()})
    await publish(broker, MAIN, "012345")
    zero, one, two, three = await broker.take(MAIN, 4)
    await broker.requeue(MAIN, two)
    await broker.requeue(MAIN, zero)
    await broker.ack(MAIN, one)
    await broker.requeue(MAIN, three)
    taken = [(message.body, message.redelivered) for message in await broker.take(MAIN, 5)]
    assert taken == [("0", True), ("2", True), ("3", True), ("4", False), ("5", False)]


async def test_a_message_that_is_rejected_and_retried_keeps_count(broker):
    await broker.declare({MAIN: Options(dead_letter=DEAD), DEAD: Options(dead_letter=MAIN, ttl_ms=50)})
    await broker.publish(MAIN, "again")
    for _ in range(5):
        await broker.reject(MAIN, (await broker.take(MAIN, 1))[0])
    (taken,) = await broker.take(MAIN, 1)
    assert taken.body == "again"
    assert taken.deaths == ((DEAD, "expired", 5), (MAIN, "rejected", 5))


async def test_a_message_that_only_expires_goes_round_once(broker):
    await broker.declare({MAIN: Options(dead_letter=DEAD, ttl_ms=50), DEAD: Options(dead_letter=MAIN, ttl_ms=50)})
    await broker.publish(MAIN, "round")
    await until_ready(broker, DEAD, 1)
    await until_ready(broker, DEAD, 0)
    await until_ready(broker, MAIN, 0)


async def test_rejected_messages_go_on_in_order(broker):
    await broker.declare({MAIN: Options(dead_letter=DEAD), DEAD: Options()})
    await publish(broker, MAIN, "abc")
    for taken in await broker.take(MAIN, 3):
        await broker.reject(MAIN, taken)
    taken = await broker.take(DEAD, 3)
    assert [message.body for message in taken] == ["a", "b", "c"]
    assert [message.deaths for message in taken] == [((MAIN, "rejected", 1),)] * 3
    assert not any(message.redelivered for message in taken)


async def test_a_rejected_message_without_dead_letters_is_gone(broker):
    await broker.declare({MAIN: Options()})
    await publish(broker, MAIN, "ab")
    (taken,) = await broker.take(MAIN, 1)
    await broker.reject(MAIN, taken)
    assert await bodies(broker, MAIN, 1) == "b"
    assert await broker.ready(MAIN) == 0


async def test_the_oldest_makes_room_and_is_dead_lettered(broker):
    await broker.declare({MAIN: Options(max_length=2, dead_letter=DEAD), DEAD: Options()})
    assert await publish(broker, MAIN, "abcd") == [True] * 4
    dropped = await broker.take(DEAD, 2)
    assert [(message.body, message.deaths) for message in dropped] == [
        ("a", ((MAIN, "maxlen", 1),)),
        ("b", ((MAIN, "maxlen", 1),)),
    ]
    assert await bodies(broker, MAIN, 2) == "cd"


async def test_a_message_that_goes_back_into_a_full_queue_is_the_one_that_makes_room(broker):
    await broker.declare({MAIN: Options(max_length=2)})
    await publish(broker, MAIN, "a")
    (taken,) = await broker.take(MAIN, 1)
    await publish(broker, MAIN, "bc")
    await broker.requeue(MAIN, taken)
    await until_ready(broker, MAIN, 2)
    assert await bodies(broker, MAIN, 2) == "bc"


async def test_a_full_queue_refuses_and_does_not_count_what_consumers_hold(broker):
    await broker.declare({MAIN: Options(max_length=2, overflow="reject-publish")})
    assert await publish(broker, MAIN, "ab") == [True, True]
    (taken,) = await broker.take(MAIN, 1)
    assert await publish(broker, MAIN, "cd") == [True, False]
    await broker.requeue(MAIN, taken)
    assert await bodies(broker, MAIN, 3) == "abc"


async def test_the_shorter_time_to_live_counts(broker):
    await broker.declare({MAIN: Options(dead_letter=DEAD, ttl_ms=600_000), DEAD: Options()})
    await broker.publish(MAIN, "short", ttl_ms=1)
    await broker.publish(MAIN, "long")
    (expired,) = await broker.take(DEAD, 1)
    assert (expired.body, expired.deaths) == ("short", ((MAIN, "expired", 1),))
    assert await bodies(broker, MAIN, 1) == "long"


async def test_a_dead_letter_lives_on_without_its_own_time_to_live(broker):
    await broker.declare({MAIN: Options(dead_letter=DEAD), DEAD: Options(dead_letter="last"), "last": Options()})
    await broker.publish(MAIN, "a", ttl_ms=1)
    await until_ready(broker, DEAD, 1)
    await broker.publish(DEAD, "b", ttl_ms=1)
    (taken,) = await broker.take(DEAD, 1)
    await broker.ack(DEAD, taken)
    assert taken.body == "a"
    # Behind the first, with a time of its own, and thus the only one to go on.
    assert await bodies(broker, "last", 1) == "b"


async def test_the_highest_priority_comes_first_and_the_oldest_of_it(broker):
    await broker.declare({MAIN: Options(max_priority=3)})
    for body, priority in (("a", 0), ("b", 2), ("c", 9), ("d", 2), ("e", 3)):
        await broker.publish(MAIN, body, priority=priority)
    assert await bodies(broker, MAIN, 5) == "cebda"


async def test_messages_that_a_consumer_holds_are_not_ready(broker):
    await broker.declare({MAIN: Options()})
    await publish(broker, MAIN, "abc")
    await until_ready(broker, MAIN, 3)
    taken = await broker.take(MAIN, 2)
    await until_ready(broker, MAIN, 1)
    await broker.requeue(MAIN, taken[1])
    await until_ready(broker, MAIN, 2)
    await broker.ack(MAIN, taken[0])
    assert await bodies(broker, MAIN, 2) == "bc"
