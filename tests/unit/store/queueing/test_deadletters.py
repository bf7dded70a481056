"""Dead letters: history, time to live, and rounds."""

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.queueing import deadletters
from forebay.store.queueing.deadletters import EXPIRED, MAXLEN, REJECTED, cycles, letter, origin


def kept(**fields):
    return pb.Message(**fields).SerializeToString()


def history(message):
    return [(death.queue, death.reason, death.count) for death in message.deaths]


def again(message, queue, reason, now=2000):
    return letter(message.SerializeToString(), queue, reason, "dead", now)


def test_a_letter_is_the_message_at_another_address():
    content = kept(address="a.b", body=b"x", headers={"h": "v"}, priority=3, publisher="p", number=9, ttl_ms=77)
    message = letter(content, "q", EXPIRED, "dead", 1000)
    assert (message.address, message.body, message.headers["h"], message.priority) == ("dead", b"x", "v", 3)
    assert (message.publisher, message.number, message.HasField("ttl_ms")) == ("", 0, False)
    (death,) = message.deaths
    expected = pb.Death(
        queue="q", reason=EXPIRED, count=1, first_ms=1000, last_ms=1000, address="a.b", original_ttl_ms=77
    )
    assert death == expected


def test_the_same_queue_and_reason_are_counted_and_come_first():
    message = letter(kept(address="a"), "q", REJECTED, "dead", 1000)
    message = again(message, "wait", EXPIRED)
    message = again(message, "q", REJECTED, 3000)
    assert history(message) == [("q", REJECTED, 2), ("wait", EXPIRED, 1)]
    assert (message.deaths[0].first_ms, message.deaths[0].last_ms) == (1000, 3000)
    message = again(message, "q", MAXLEN)
    assert history(message) == [("q", MAXLEN, 1), ("q", REJECTED, 2), ("wait", EXPIRED, 1)]


def test_a_ttl_of_0_is_told_and_an_older_one_forgotten():
    message = letter(kept(address="a", ttl_ms=0), "q", EXPIRED, "dead", 1)
    assert message.deaths[0].HasField("original_ttl_ms")
    message = again(message, "q", EXPIRED)
    assert not message.deaths[0].HasField("original_ttl_ms")


def test_a_round_without_a_rejection_is_a_cycle():
    def deaths(*pairs):
        return [pb.Death(queue=queue, reason=reason) for queue, reason in pairs]

    assert not cycles([], "a")
    assert not cycles(deaths(("b", EXPIRED)), "a")
    assert cycles(deaths(("a", MAXLEN)), "a")
    assert cycles(deaths(("b", EXPIRED), ("a", EXPIRED)), "a")
    assert not cycles(deaths(("b", EXPIRED), ("a", REJECTED)), "a")
    assert not cycles(deaths(("b", REJECTED), ("a", EXPIRED)), "a")
    assert cycles(deaths(("b", EXPIRED), ("a", EXPIRED), ("c", REJECTED)), "a")


def test_the_origin_is_what_was_stamped():
    assert origin(kept(publisher="p", number=7)) == (b"p", 7)
    assert origin(kept()) == (b"", 0)
    assert deadletters.DELIVERY_LIMIT == pb.DEATH_REASON_DELIVERY_LIMIT
