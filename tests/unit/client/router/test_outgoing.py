from forebay.client.router.outgoing import MOST_RECEIVED, Outgoing
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.outbox import Outbox, OutboxSettings


def outbox(recipient, count=1, octets=10):
    made = Outbox("a@x", recipient, 7, OutboxSettings())
    for _ in range(count):
        made.put("m", b"x" * octets, None, 4, 0)
    return made


def parcel(first, incarnation=7):
    return pb.Parcel(sender="a@x", recipient="b@x", incarnation=incarnation, first=first, count=2)


def test_a_request_takes_from_all_outboxes_in_turn():
    outgoing, woken = Outgoing(300_000), []
    outgoing.wake = lambda: woken.append(1)
    large, small = outbox("b@x", 3000, 200), outbox("c@x")
    for each in (large, small, large):
        outgoing.ready(each)
    assert len(woken) == 2
    first = outgoing.take(0.0).freight.parcels
    assert [parcel.recipient for parcel in first] == ["b@x", "c@x", "b@x"]
    assert not small.queued
    assert large.queued
    assert [parcel.recipient for parcel in outgoing.take(0.0).freight.parcels] == ["b@x"]
    assert outgoing.take(0.0) is None
    assert not large.queued


def test_receipts_that_follow_each_other_become_one():
    outgoing = Outgoing(1000)
    for first in (1, 3, 7):
        outgoing.receipt(parcel(first), first, 2, pb.OUTCOME_RECEIVED)
    outgoing.receipt(parcel(9, 8), 9, 2, pb.OUTCOME_RECEIVED)
    outgoing.receipt(parcel(11, 8), 11, 2, pb.OUTCOME_SHUTDOWN)
    receipts = outgoing.take(0.0).freight.receipts
    assert [(each.first, each.count, each.incarnation) for each in receipts] == [
        (1, 4, 7),
        (7, 2, 7),
        (9, 2, 8),
        (11, 2, 8),
    ]


def test_a_name_is_given_up_before_it_is_taken_anew():
    outgoing = Outgoing(1000)
    outgoing.death("b")
    outgoing.birth("b", 2)
    outgoing.membership("b", "g")
    first, second = outgoing.take(0.0), outgoing.take(0.0)
    assert (list(first.deaths), len(first.births), len(first.memberships)) == (["b"], 0, 0)
    assert (list(second.deaths), len(second.births), len(second.memberships)) == ([], 1, 1)
    assert outgoing.take(0.0) is None


def test_all_that_is_told_goes_together():
    outgoing = Outgoing(1000)
    outgoing.birth("b", 2)
    outgoing.membership("b", "g", leave=True)
    outgoing.signal("a@x", "b@x", pb.SIGNAL_KIND_XON)
    outgoing.alarm(pb.Alarm(name="n"))
    outgoing.death("c")
    request = outgoing.take(0.0)
    assert request.births[0].name == "b"
    assert request.memberships[0].leave
    assert request.freight.signals[0].ttl == 16
    assert request.alarms[0].name == "n"
    assert list(request.deaths) == ["c"]


def test_after_the_way_was_cut_threads_and_signals_are_told_anew():
    outgoing = Outgoing(1000)
    outgoing.birth("b", 2)
    outgoing.death("c")
    outgoing.signal("a@x", "b@x", pb.SIGNAL_KIND_XON)
    outgoing.receipt(parcel(1), 1, 2, pb.OUTCOME_RECEIVED)
    outgoing.restart()
    request = outgoing.take(0.0)
    assert not [*request.births, *request.deaths, *request.freight.signals]
    assert len(request.freight.receipts) == 1


def test_receipts_wait_for_company_but_not_when_there_are_many():
    outgoing, woken, later = Outgoing(1000), [], []
    outgoing.wake, outgoing.wake_later = lambda: woken.append(1), lambda: later.append(1)
    many = pb.Parcel(sender="a@x", recipient="b@x", incarnation=7, first=1, count=MOST_RECEIVED)
    outgoing.receipt(many, 1, MOST_RECEIVED, pb.OUTCOME_RECEIVED)
    assert (woken, later) == ([], [1])
    outgoing.receipt(many, MOST_RECEIVED + 1, 1, pb.OUTCOME_RECEIVED)
    assert woken == [1]
    outgoing.take(0.0)
    outgoing.receipt(parcel(5000), 5000, 2, pb.OUTCOME_RECEIVED)
    assert (woken, later) == ([1], [1, 1])
