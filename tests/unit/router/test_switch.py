import pytest

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.flags import MULTICAST
from forebay.router.settings import OutletLimits
from unit.router.switches import attach, make_switch, parcel, receipt, signal

XOFF, NTF_XON, XON = pb.SIGNAL_KIND_XOFF, pb.SIGNAL_KIND_NTF_XON, pb.SIGNAL_KIND_XON


@pytest.fixture
def switch():
    return make_switch()


def outcomes(outlet):
    freight = outlet.take()
    return [(each.outcome, each.first, each.count, each.flags) for each in freight.receipts] if freight else []


def kinds(outlet):
    freight = outlet.take()
    return [(each.kind, each.sender, each.recipient) for each in freight.signals] if freight else []


def test_a_parcel_goes_to_the_process_of_its_recipient_and_has_passed_one_router(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    switch.parcels([parcel(count=3)], one)
    [passed] = two.take().parcels
    assert (passed.recipient, passed.ttl, passed.count) == ("b@x", 3, 3)
    assert switch.messages == 3
    assert one.take() is None


def test_a_parcel_to_another_domain_goes_its_way(switch):
    way = switch.outlet("far")
    switch.routes["y"] = way
    switch.parcels([parcel("b@y")], None)
    assert way.take().parcels[0].recipient == "b@y"


@pytest.mark.parametrize(
    ("recipient", "ttl", "outcome"),
    [
        pytest.param("nobody@x", 4, pb.OUTCOME_NO_RECIPIENT, id="no recipient"),
        pytest.param("b@y", 4, pb.OUTCOME_NO_NETWORK, id="no network"),
        pytest.param("a@x", 0, pb.OUTCOME_TTL, id="ttl"),
    ],
)
def test_what_cannot_go_on_is_dropped_and_its_sender_gets_a_receipt(switch, recipient, ttl, outcome):
    one = attach(switch, "a")
    switch.parcels([parcel(recipient, first=5, count=2, ttl=ttl)], one)
    assert outcomes(one) == [(outcome, 5, 2, 4)]
    assert sum(switch.dropped.values()) == 2


def test_multicast_goes_once_to_each_process_with_members_and_no_receipt_comes(switch):
    one, two, three = attach(switch, "a", "b"), attach(switch, "c"), attach(switch, "d")
    for name, outlet in (("a", one), ("b", one), ("c", two)):
        switch.join("g", name, outlet)
    switch.parcels([parcel("g@x", flags=MULTICAST), parcel("none@x", flags=MULTICAST)], one)
    assert [len(outlet.take().parcels) for outlet in (one, two)] == [1, 1]
    assert three.take() is None


def test_multicast_from_another_router_of_the_domain_goes_to_no_other_router(switch):
    one, peer, other = attach(switch, "a"), switch.outlet("peer"), switch.outlet("other")
    switch.links |= {peer, other}
    switch.peers |= {peer, other}
    for outlet in (peer, other):
        switch.groups.add("g", outlet)
    switch.join("g", "a", one)
    switch.parcels([parcel("g@x", flags=MULTICAST)], peer)
    assert (peer.take(), other.take()) == (None, None)
    assert one.take().parcels
    switch.parcels([parcel("g@x", flags=MULTICAST)], one)
    assert peer.take().parcels
    assert other.take().parcels


def test_receipts_find_their_sender_or_end(switch):
    one = attach(switch, "a")
    switch.receipts([receipt(), receipt(sender="gone@x"), receipt(ttl=0), receipt(sender="a@y")])
    assert len(one.take().receipts) == 1


def test_signals_find_their_thread(switch):
    two = attach(switch, "b")
    switch.signals([signal(XOFF), signal(NTF_XON), signal(XON), signal(XON, ttl=0), signal(XOFF, recipient="gone@x")])
    assert [kind for kind, *_ in kinds(two)] == [XOFF, NTF_XON, XON]


def test_who_asks_a_thread_that_is_not_there_is_told_xon(switch):
    one = attach(switch, "a")
    switch.signals([signal(NTF_XON, recipient="gone@x")])
    assert kinds(one) == [(XON, "gone@x", "a@x")]


def test_a_process_that_reads_too_slowly_makes_its_senders_wait(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    for first in range(1, 11):
        switch.parcels([parcel(first=first)], one)
    assert kinds(one) == [(XOFF, "b@x", "a@x")]
    switch.signals([signal(NTF_XON)])
    assert one.take() is None
    assert len(two.take().parcels) == 6
    assert kinds(one) == [(XON, "b@x", "a@x")]


def test_a_crash_is_told_once_to_everybody_but_where_it_came_from(switch):
    one, two, link = attach(switch, "a"), attach(switch, "b"), switch.outlet("link")
    switch.links.add(link)
    obituary = pb.Obituary(id="1", threads=["z@y"])
    switch.obituary(obituary, link)
    switch.obituary(obituary, one)
    assert [len(outlet.take().obituaries) for outlet in (one, two)] == [1, 1]
    assert link.take() is None


def test_in_the_time_of_grace_messages_wait_for_their_recipient():
    switch = make_switch(grace=2.0)
    one = attach(switch, "a")
    switch.limbo.open()
    switch.parcels([parcel(), parcel("c@x")], one)
    switch.signals([signal(NTF_XON)])
    assert one.take() is None
    two = attach(switch, "b")
    assert len(two.take().parcels) == 1
    switch.clock.advance(1.9)
    switch.tick()
    assert one.take() is None
    switch.clock.advance(0.2)
    switch.tick()
    assert outcomes(one) == [(pb.OUTCOME_NO_RECIPIENT, 1, 1, 4)]
    switch.parcels([parcel("d@x")], one)
    assert outcomes(one) == [(pb.OUTCOME_NO_RECIPIENT, 1, 1, 4)]


def test_in_the_time_of_grace_only_so_much_is_held():
    switch = make_switch(grace=2.0, grace_octets=15)
    one = attach(switch, "a")
    switch.limbo.open()
    switch.parcels([parcel(), parcel(first=2)], one)
    assert outcomes(one) == [(pb.OUTCOME_NO_RECIPIENT, 2, 1, 4)]
    two = attach(switch, "b")
    assert len(two.take().parcels) == 1
    switch.parcels([parcel("c@x", messages=b"x" * 15)], one)
    assert one.take() is None


class Observer:
    def __init__(self):
        self.seen = []

    def thread_added(self, entry):
        self.seen.append(("added", entry.name))

    def thread_removed(self, name):
        self.seen.append(("removed", name))

    def group_changed(self, group, *, here):
        self.seen.append((group, here))


def test_observers_are_told_of_threads_and_groups(switch):
    observer = Observer()
    switch.observers.add(observer)
    one = attach(switch, "a", "b")
    switch.join("g", "a", one)
    switch.join("g", "b", one)
    switch.leave("g", "a", one)
    switch.remove_thread("b", one)
    switch.remove_thread("b", one)
    assert observer.seen == [("added", "a"), ("added", "b"), ("g", True), ("g", False), ("removed", "b")]


def test_a_full_outlet_takes_only_so_much_and_what_it_does_not_take_gets_no_receipt():
    switch = make_switch(outlets=OutletLimits(high=20, low=10, most=50, response=100))
    one, two = attach(switch, "a"), attach(switch, "b")
    switch.join("g", "b", two)
    for first in range(1, 8):
        switch.parcels([parcel("g@x", first=first, flags=MULTICAST)], one)
    switch.parcels([parcel()], one)
    assert len(two.take().parcels) == 5
    assert switch.dropped == {"skal-drop-full": 3}
    told = one.take()
    assert not told.receipts
    assert [each.kind for each in told.signals] == [pb.SIGNAL_KIND_XOFF, pb.SIGNAL_KIND_XON]


def test_of_a_process_that_reads_too_slowly_for_a_while_there_is_an_alarm(switch):
    one, two = attach(switch, "a"), attach(switch, "b", process="slow")
    for first in range(1, 11):
        switch.parcels([parcel(first=first)], one)
    switch.clock.advance(0.9)
    switch.tick()
    assert switch.alarms.raised() == []
    switch.clock.advance(0.2)
    switch.tick()
    switch.tick()
    [alarm] = switch.alarms.raised()
    assert (alarm.name, alarm.origin, alarm.auto_off) == ("skal-process-stalled", "slow", True)
    two.take()
    assert switch.alarms.raised() == []


def test_an_alarm_of_a_process_that_is_gone_ends(switch):
    one, two = attach(switch, "a"), attach(switch, "b", process="slow")
    for first in range(1, 11):
        switch.parcels([parcel(first=first)], one)
    switch.clock.advance(2)
    switch.tick()
    assert switch.alarms.raised()
    switch.outlets.discard(two)
    switch.tick()
    assert switch.alarms.raised() == []
