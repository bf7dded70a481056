from random import Random

import pytest

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.flags import Flag
from forebay.router.core.intake import Intake, Verdict
from forebay.router.core.message import decode
from forebay.router.core.outbox import PARCEL_MESSAGES, Outbox, OutboxSettings

SETTINGS = OutboxSettings(window_messages=40, window_octets=10_000, repeat=3.0, longest_repeat=10.0)
DROP_OK = int(Flag.DROP_OK)


@pytest.fixture
def outbox():
    return Outbox("a@x", "b@x", 7, SETTINGS)


def put(outbox, count=1, flags=0, ttl=4):
    return [outbox.put("m", b"body", None, ttl, flags) for _ in range(count)]


def taken(outbox, now=0.0):
    found = []
    while parcel := outbox.take(now):
        found.append((parcel.first, parcel.count, parcel.floor))
    return found


def test_messages_gather_into_one_parcel(outbox):
    assert not outbox.waiting
    assert put(outbox, 3) == [1, 2, 3]
    assert outbox.waiting
    parcel = outbox.take(0.0)
    assert (parcel.sender, parcel.recipient, parcel.incarnation) == ("a@x", "b@x", 7)
    assert (parcel.first, parcel.count, parcel.floor, parcel.ttl, parcel.flags) == (1, 3, 1, 4, 0)
    assert [each.body for each in decode(parcel)] == [b"body"] * 3
    assert outbox.take(0.0) is None
    assert not outbox.empty


def test_other_flags_or_another_ttl_begin_another_parcel(outbox):
    put(outbox, 2)
    put(outbox, 1, flags=8)
    put(outbox, 3, flags=8, ttl=1)
    put(outbox, 1)
    assert taken(outbox) == [(1, 2, 1), (3, 1, 1), (4, 3, 1), (7, 1, 1)]


def test_a_parcel_is_closed_when_it_is_large():
    outbox = Outbox("a@x", "b@x", 7, OutboxSettings())
    put(outbox, PARCEL_MESSAGES + 1)
    outbox.put("m", b"x" * 300_000, None, 4, 0)
    outbox.put("m", b"", {"n": 1}, 4, 0, correlation=3)
    assert [count for _, count, _ in taken(outbox)] == [PARCEL_MESSAGES, 2, 1]


def test_a_receipt_lets_go(outbox):
    put(outbox, 2)
    outbox.take(0.0)
    put(outbox, 1)
    outbox.take(0.0)
    assert [chunk.first for chunk in outbox.resolve(1, 3)] == [1, 3]
    assert outbox.empty
    assert (outbox.messages, outbox.octets) == (0, 0)
    assert outbox.resolve(1, 3) == []


def test_receipts_may_come_in_any_order_and_twice(outbox):
    for _ in range(4):
        put(outbox, 2)
        outbox.take(0.0)
    assert [chunk.first for chunk in outbox.resolve(3, 2)] == [3]
    assert [chunk.first for chunk in outbox.resolve(1, 8)] == [1, 5, 7]
    assert outbox.empty


def test_what_was_dropped_raises_the_floor(outbox):
    put(outbox, 2)
    outbox.take(0.0)
    outbox.resolve(1, 2)
    put(outbox)
    assert taken(outbox) == [(3, 1, 3)]


def test_a_receipt_for_what_is_to_be_sent_again_keeps_it_from_being_sent(outbox):
    put(outbox, 2)
    outbox.take(0.0)
    outbox.rewind()
    outbox.resolve(1, 2)
    assert taken(outbox) == []
    assert outbox.empty


def test_the_window_fills_and_empties_to_a_half(outbox):
    put(outbox, 39)
    assert not outbox.full
    put(outbox)
    assert outbox.full
    assert taken(outbox) == [(first, 10, 1) for first in (1, 11, 21, 31)]
    assert outbox.full
    outbox.resolve(1, 20)
    assert outbox.full
    outbox.resolve(21, 10)
    assert not outbox.full


def test_octets_fill_the_window_too(outbox):
    outbox.put("m", b"x" * 10_000, None, 4, 0)
    assert outbox.full
    outbox.take(0.0)
    outbox.resolve(1, 1)
    assert not outbox.full


def test_after_the_way_was_cut_all_without_a_receipt_goes_again_in_order(outbox):
    for _ in range(3):
        put(outbox)
        outbox.take(0.0)
    outbox.resolve(2, 1)
    put(outbox)
    outbox.rewind()
    put(outbox)
    assert taken(outbox) == [(1, 1, 1), (3, 1, 1), (4, 2, 1)]


def test_a_gap_is_filled_once(outbox):
    for _ in range(4):
        put(outbox)
        outbox.take(0.0)
    assert outbox.gap(3, 1.0)
    assert not outbox.gap(3, 1.1)
    assert taken(outbox) == [(3, 1, 1), (4, 1, 1)]
    assert not outbox.gap(3, 1.2)
    assert outbox.gap(3, 4.0)


def test_without_a_receipt_messages_are_repeated_at_growing_pauses(outbox):
    put(outbox)
    put(outbox, 1, flags=8)
    taken(outbox, now=0.0)
    sent = []
    for now in range(1, 40):
        if outbox.overdue(float(now)):
            sent.append(now)
            assert taken(outbox, float(now)) == [(1, 1, 1), (2, 1, 1)]
    assert sent == [3, 9, 19, 29, 39]
    outbox.resolve(1, 2)
    put(outbox)
    taken(outbox, now=40.0)
    assert outbox.overdue(43.0)


def test_what_waits_to_be_sent_is_not_overdue(outbox):
    put(outbox)
    assert not outbox.overdue(100.0)
    outbox.take(100.0)
    outbox.rewind()
    assert not outbox.overdue(1000.0)


def test_what_may_be_dropped_is_sent_once(outbox):
    put(outbox)
    put(outbox, flags=DROP_OK)
    put(outbox)
    assert taken(outbox) == [(1, 1, 1), (2, 1, 1), (3, 1, 1)]
    outbox.rewind()
    assert taken(outbox) == [(1, 1, 1), (3, 1, 1)]
    outbox.resolve(1, 1)
    put(outbox, flags=DROP_OK)
    assert taken(outbox) == [(4, 1, 3)]


def test_when_the_recipient_has_gone_all_is_given_up_in_order(outbox):
    put(outbox)
    outbox.take(0.0)
    put(outbox, flags=DROP_OK)
    put(outbox, flags=8)
    assert [(chunk.first, chunk.flags) for chunk in outbox.give_up()] == [(1, 0), (2, DROP_OK), (3, 8)]
    assert outbox.empty
    assert (outbox.messages, outbox.octets, outbox.full) == (0, 0, False)
    assert put(outbox) == [4]
    assert taken(outbox) == [(4, 1, 4)]


@pytest.mark.parametrize("seed", range(20))
def test_over_a_network_that_loses_repeats_and_reorders_each_message_arrives_once_and_in_order(seed):
    random = Random(seed)
    outbox, intake = Outbox("a@x", "b@x", 7, OutboxSettings(repeat=1.0, longest_repeat=2.0)), Intake()
    parcels, receipts, received, loose, now = [], [], [], [], 0.0
    kinds = [0, 0, DROP_OK, int(Flag.OUT_OF_ORDER_OK)] if seed % 2 else [0]
    sent = {kind: [] for kind in kinds}
    for step in range(2000):
        now += 0.05
        if step < 1000 and random.random() < 0.5:
            kind = random.choice(kinds)
            sent[kind].append(outbox.put("m", b"", None, 4, kind))
        if random.random() < 0.5 and (parcel := outbox.take(now)):
            parcels += [parcel] * random.choice([0, 1, 1, 2])
        outbox.overdue(now)
        if parcels:
            parcel = parcels.pop(0 if random.random() < 0.7 else random.randrange(len(parcels)))
            judged = intake.judge(parcel)
            if judged.verdict is Verdict.TAKE:
                got = [message.sequence for message in decode(parcel, judged.skip)]
                (loose if parcel.flags else received).extend(got)
            if judged.verdict is Verdict.GAP:
                receipts.append((pb.OUTCOME_GAP, judged.expected, 1))
            else:
                receipts.append((pb.OUTCOME_RECEIVED, parcel.first, parcel.count))
        if receipts:
            outcome, first, count = receipts.pop(random.randrange(len(receipts)))
            if random.random() < 0.8:
                outbox.gap(first, now) if outcome == pb.OUTCOME_GAP else outbox.resolve(first, count)
    assert received == sent[0]
    assert len(set(loose)) == len(loose)
    if seed % 2:
        assert set(sent[int(Flag.OUT_OF_ORDER_OK)]) <= set(loose)
