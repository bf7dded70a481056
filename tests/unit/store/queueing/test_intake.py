"""A batch as it is taken in."""

import pytest

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.queueing.exchange import widths
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.messages import Messages


def intake(*messages, publisher="", first=0, **options):
    taken = Messages.of(messages or [pb.Message(address="a")])
    batch = Intake(taken, 1234, publisher=publisher, first=first, **options)
    batch.ids = [number.to_bytes(16, "big") for number in range(len(batch))]
    return batch


def arrivals(batch, positions=None, *, ttl_ms=None, durable=True, priorities=False):
    embedded = batch.embedded([1] * len(batch))
    chosen = batch.positions if positions is None else positions
    return batch.arrivals(chosen, embedded, ttl_ms=ttl_ms, durable=durable, priorities=priorities)


@pytest.mark.parametrize("publisher", ["", "p", "x" * 255, "größe"])
def test_what_the_store_tells_counts_whatever_the_sender_wrote(publisher):
    forged = pb.Message(address="a", body=b"x", taken_ms=9, publisher="forged", number=99, headers={"k": "v"})
    forged.deaths.add(queue="q")
    batch = intake(forged, pb.Message(address="b"), publisher=publisher, first=300)
    kept = [pb.Message.FromString(content) for content in batch.contents]
    assert [(each.taken_ms, each.publisher) for each in kept] == [(1234, publisher)] * 2
    assert [each.number for each in kept] == ([300, 301] if publisher else [0, 0])
    assert (kept[0].body, kept[0].headers["k"], len(kept[0].deaths)) == (b"x", "v", 0)
    assert list(batch.sizes) == [len(content) for content in batch.contents]


def test_letters_keep_their_history():
    letter = pb.Message(address="a")
    letter.deaths.add(queue="q")
    assert len(pb.Message.FromString(intake(letter, letters=True).contents[0]).deaths) == 1


def test_small_messages_of_one_queue_are_embedded():
    small, large = pb.Message(body=b"x"), pb.Message(body=bytes(5000))
    assert intake(small, small).embedded([1, 1]) == [True, True]
    assert intake(small, large).embedded([1, 1]) == [True, False]
    assert intake(small, small).embedded([2, 2]) == [False, False]
    assert intake(small, small, large).embedded([1, 2, 1]) == [True, False, False]


def test_columns_are_those_of_the_chosen_positions():
    messages = [pb.Message(address="a", body=b"%d" % n, priority=n, transient=n == 2) for n in range(4)]
    chosen = arrivals(intake(*messages), [1, 2], priorities=True)
    assert [pb.Message.FromString(each.content).body for each in chosen] == [b"1", b"2"]
    assert [(each.id[-1], each.priority, each.persistent) for each in chosen] == [(1, 1, True), (2, 2, False)]
    assert {each.priority for each in arrivals(intake(*messages))} == {0}
    assert {each.persistent for each in arrivals(intake(*messages), durable=False)} == {False}


def test_expiry_is_fixed_by_the_shorter():
    batch = intake(pb.Message(), pb.Message(ttl_ms=5), pb.Message(ttl_ms=500), pb.Message(ttl_ms=0))
    assert [each.expiry for each in arrivals(batch, ttl_ms=100)][:3] == [1334, 1239, 1334]
    assert [each.expiry for each in arrivals(batch)][:3] == [0, 1239, 1734]
    assert arrivals(batch)[3].expiry > 1234
    assert [each.expiry for each in arrivals(intake(pb.Message()))] == [0]


def test_how_many_queues_a_message_reaches():
    assert widths([], 2) == [0, 0]
    assert widths([(1, range(2)), (2, range(2))], 2) == [2, 2]
    assert widths([(1, [0, 2]), (2, [2])], 3) == [1, 0, 2]
