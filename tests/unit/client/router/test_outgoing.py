from forebay.client.router.outgoing import GATHERING_SECONDS, MOST_RECEIVED, Outgoing
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
    for first, incarnation in ((1, 7), (9, 8), (3, 7), (7, 7)):
        outgoing.received(parcel(first, incarnation))
    outgoing.receipt(parcel(11, 8), 11, 2, pb.OUTCOME_SHUTDOWN, "why")
    receipts = outgoing.take(0.0).freight.receipts
    assert [(each.first, each.count, each.incarnation, each.extra) for each in receipts] == [
        (1, 4, 7, ""),
        (9, 2, 8, ""),
        (7, 2, 7, ""),
        (11, 2, 8, "why"),
    ]


def test_receipts_of_two_senders_with_one_incarnation_stay_apart():
    outgoing = Outgoing(1000)
    outgoing.received(parcel(1))
    other = parcel(3)
    other.sender = "c@x"
    outgoing.received(other)
    outgoing.hasten()
    assert [(each.sender, each.first) for each in outgoing.take(0.0).freight.receipts] == [("a@x", 1), ("c@x", 3)]


def test_requests_go_without_receipts_for_a_while():
    outgoing, later = Outgoing(1000), []
    outgoing.wake_later = lambda: later.append(1)
    outgoing.received(parcel(1))
    assert outgoing.take(0.0) is None
    for number, now in enumerate((0.0, GATHERING_SECONDS / 2), 1):
        outgoing.ready(outbox("b@x"))
        request = outgoing.take(now)
        assert len(request.freight.parcels) == 1
        assert not request.freight.receipts
        outgoing.received(parcel(1 + 2 * number))
    assert outgoing.withholding
    assert len(later) == 1, "one receipt waits, which has become one for more messages"
    outgoing.ready(outbox("b@x"))
    [receipt] = outgoing.take(GATHERING_SECONDS).freight.receipts
    assert (receipt.first, receipt.count) == (1, 6)
    assert not outgoing.withholding
    outgoing.received(parcel(7))
    outgoing.ready(outbox("b@x"))
    assert not outgoing.take(GATHERING_SECONDS).freight.receipts, "the next ones wait again"


def test_receipts_go_by_themselves_once_they_are_to_wait_no_longer():
    outgoing, woken = Outgoing(1000), []
    outgoing.wake = lambda: woken.append(1)
    outgoing.hasten()
    assert not woken, "there are none"
    outgoing.received(parcel(1))
    assert not woken
    outgoing.hasten()
    assert woken
    assert len(outgoing.take(0.0).freight.receipts) == 1
    assert outgoing.take(0.0) is None


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
    outgoing.receipt(parcel(1), 1, 2, pb.OUTCOME_GAP)
    outgoing.restart()
    request = outgoing.take(0.0)
    assert not [*request.births, *request.deaths, *request.freight.signals]
    assert len(request.freight.receipts) == 1


def test_receipts_wait_for_company_but_not_when_there_are_many():
    outgoing, woken, later = Outgoing(1000), [], []
    outgoing.wake, outgoing.wake_later = lambda: woken.append(1), lambda: later.append(1)
    many = pb.Parcel(sender="a@x", recipient="b@x", incarnation=7, first=1, count=MOST_RECEIVED)
    outgoing.received(many)
    assert (woken, later) == ([], [1])
    many.first, many.count = MOST_RECEIVED + 1, 1
    outgoing.received(many)
    assert woken == [1]
    outgoing.take(0.0)
    outgoing.received(parcel(5000))
    assert (woken, later) == ([1], [1, 1])
