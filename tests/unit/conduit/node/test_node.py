from dataclasses import replace
from math import inf

import pytest

from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.errors import (
    SampleTooLargeError,
    SettingError,
    UnknownPeerError,
    UnknownPublisherError,
    WindowFullError,
)
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire import header
from simnet import GROUP, SimNet, numbered

RID, OTHER = 3, 4
SMALL = ConduitSettings(window_samples=10, latency_budget=0.0)


def subscribed(net, source, sink, *rids):
    for rid in rids:
        sink.subscribe(rid)
    net.run_until(lambda: all(source.node.declarations.subscribers(rid) for rid in rids))


def pair(net, conduit=SMALL, **options):
    source, sink = net.start("source", conduit=conduit, **options), net.start("sink", conduit=conduit, **options)
    subscribed(net, source, sink, RID)
    return source, sink


def kinds(node, since=0):
    return [each.datagram[0] & header.ID_MASK for each in node.sent[since:]]


def test_what_nobody_subscribes_to_goes_nowhere():
    net = SimNet(keeps=True)
    source, _ = pair(net)
    publisher, since = source.publish(OTHER), len(source.sent)
    assert source.write(publisher, *numbered(100)).written == 100
    assert header.SDATA not in kinds(source, since)


def test_after_the_last_subscriber_is_gone_nothing_more_is_sent():
    net = SimNet(keeps=True)
    source, sink = pair(net)
    first, second = sink.subscribe(OTHER), sink.subscribe(OTHER)
    net.run_until(lambda: source.node.declarations.subscribers(OTHER))
    publisher = source.publish(OTHER)
    sink.node.unsubscribe(first, net.now)
    net.pump(sink)
    net.run(0.1)
    source.write(publisher, b"still")
    net.run(0.1)
    assert sink.received[OTHER] == [b"still"]
    sink.node.unsubscribe(second, net.now)
    net.pump(sink)
    net.run_until(lambda: not source.node.declarations.subscribers(OTHER))
    since = len(source.sent)
    source.write(publisher, b"more")
    net.run(1.0)
    assert header.SDATA not in kinds(source, since)


def test_samples_wait_for_each_other_as_long_as_the_latency_budget_says():
    net = SimNet(keeps=True)
    source, sink = pair(net, conduit=replace(SMALL, latency_budget=0.02))
    publisher, since = source.publish(RID), len(source.sent)
    start = net.now
    for sample in numbered(5):
        source.write(publisher, sample)
        net.run(0.002)
    assert sink.received[RID] == []
    net.run_until(lambda: len(sink.received[RID]) == 5)
    assert net.now - start == pytest.approx(0.0202)
    assert kinds(source, since).count(header.SDATA) == 1


def test_with_an_endless_budget_samples_go_out_with_a_flush():
    net = SimNet()
    source, sink = pair(net, conduit=replace(SMALL, latency_budget=inf))
    source.write(source.publish(RID), b"a", b"b")
    net.run(10.0)
    assert sink.received[RID] == []
    source.node.flush(net.now)
    net.pump(source)
    net.run(0.1)
    assert sink.received[RID] == [b"a", b"b"]


def test_what_waits_for_others_goes_out_at_once_when_the_way_changes():
    net = SimNet(keeps=True)
    endless = ConduitSettings(latency_budget=inf)
    source, one, two = (net.start(name, conduit=endless) for name in ("source", "one", "two"))
    net.run_until(lambda: all(len(node.peers) == 2 for node in (source, one, two)))
    one.subscribe(1)
    publisher = source.publish(1, switching=True)
    net.run(0.5)
    source.write(publisher, b"first")
    two.subscribe(1)
    net.run(0.5)
    assert not one.received[1]
    source.write(publisher, b"second")
    assert any(b"first" in sent.datagram for sent in source.sent)
    net.run(0.5)
    assert one.received[1] == [b"first"]


def test_blocked_samples_follow_when_the_window_has_drained():
    net = SimNet()
    source, sink = pair(net)
    samples = numbered(35)
    write = source.write(source.publish(RID), *samples)
    done = []
    write.done = done.append
    assert (write.written, write.pending) == (10, 25)
    net.run_until(lambda: done == [write])
    net.run_until(lambda: sink.received[RID] == samples)


def test_blocked_samples_are_given_up_at_the_deadline():
    net = SimNet()
    source, sink = pair(net, lease=60.0)
    publisher = source.publish(RID, deadline=0.5)
    net.part(["source"], ["sink"])
    write = source.write(publisher, *numbered(35))
    start, done = net.now, []
    write.done = done.append
    net.run_until(lambda: done == [write])
    assert net.now - start == pytest.approx(0.5)
    assert (write.written, write.expired) == (10, 25)
    net.heal()
    net.run(2.0)
    assert sink.received[RID] == numbered(10)


def test_dropped_samples_are_counted_and_the_rest_arrives():
    net = SimNet()
    source, sink = pair(net)
    publisher = source.publish(RID, Congestion.DROP)
    assert source.write(publisher, *numbered(35)).dropped == 25
    net.run(0.1)
    source.write(publisher, b"later")
    net.run(0.1)
    assert sink.received[RID] == [*numbered(10), b"later"]
    assert source.node.publisher(publisher).dropped == 25


def test_an_error_is_raised_at_once():
    net = SimNet()
    source, _ = pair(net)
    with pytest.raises(WindowFullError):
        source.write(source.publish(RID, Congestion.ERROR), *numbered(35))


def test_spilled_samples_are_sent_in_order_before_later_ones():
    net = SimNet()
    source, sink = pair(net)
    publisher, samples = source.publish(RID, Congestion.SPILL), numbered(60)
    for place in range(0, 60, 20):
        source.write(publisher, *samples[place : place + 20])
    aside = source.listener.spilled[publisher]
    assert aside == samples[10:]
    while aside:
        net.run_until(lambda: source.listener.rooms)
        source.listener.rooms.clear()
        del aside[: source.node.unspill(publisher, aside, net.now)]
        net.pump(source)
    source.node.spill_ended(publisher)
    net.run(0.1)
    source.write(publisher, b"last")
    net.run_until(lambda: sink.received[RID] == [*samples, b"last"])


def test_of_room_for_spilled_samples_it_tells_once():
    net = SimNet()
    source, _ = pair(net)
    publisher = source.publish(RID, Congestion.SPILL)
    source.write(publisher, *numbered(20))
    net.run(5.0)
    assert source.listener.rooms == [publisher]


def test_a_sample_beyond_the_limit_is_an_error_and_nothing_is_sent():
    net = SimNet()
    source, sink = pair(net)
    with pytest.raises(SampleTooLargeError, match="mtu of 1472 octets"):
        source.write(source.publish(RID), b"fits", b"x" * 1500)
    net.run(1.0)
    assert sink.received[RID] == []


def test_what_is_not_there_is_an_error_that_says_so():
    net = SimNet()
    source, _ = pair(net)
    with pytest.raises(UnknownPublisherError, match="publisher 7"):
        source.write(7, b"x")
    with pytest.raises(UnknownPeerError, match="conduit 9"):
        source.publish(RID, conduit=9)
    with pytest.raises(UnknownPeerError, match="slot 5"):
        source.publish(RID, conduit=-6)


def test_numbers_of_publishers_and_subscribers_are_used_again():
    net = SimNet()
    node = net.start("node")
    assert [node.publish(RID), node.publish(OTHER), node.subscribe(RID), node.subscribe(OTHER)] == [0, 1, 0, 1]
    node.node.unpublish(0, net.now)
    node.node.unsubscribe(0, net.now)
    assert [node.publish(RID), node.subscribe(RID)] == [0, 0]
    assert [node.publish(RID), node.subscribe(RID)] == [2, 2]


def test_a_conduit_to_one_peer_ends_with_it():
    net = SimNet()
    source, sink = pair(net, lease=2.0)
    index = source.node.sessions.peers.by_id(sink.peer_id).index
    publisher = source.publish(RID, conduit=-index - 1)
    net.run(0.1)
    net.kill("sink")
    write = source.write(publisher, *numbered(35))
    net.run(3.0)
    assert (write.expired, write.pending) == (25, 0)
    assert source.write(publisher, b"x").written == 1
    assert source.node.admits(((publisher, 1),))


def test_windows_differ_by_conduit_and_by_peer():
    net = SimNet()
    special = replace(SMALL, window_samples=3)
    conduits = (replace(SMALL, window_samples=5), replace(SMALL, window_samples=7))
    source = net.start("source", multicast=conduits, unicast=SMALL, unicast_by_peer={b"two-3": special})
    sinks = [net.start("one", conduit=SMALL), net.start("two", conduit=SMALL)]
    assert sinks[1].peer_id == b"two-3"
    for sink in sinks:
        sink.subscribe(RID)
    net.run_until(lambda: len(source.node.declarations.subscribers(RID)) == 2)
    own = [-source.node.sessions.peers.by_id(sink.peer_id).index - 1 for sink in sinks]
    publishers = [source.publish(RID, conduit=each) for each in (0, 1, *own)]
    net.run(0.1)
    written = [source.write(publisher, *numbered(20)).written for publisher in publishers]
    assert written == [5, 7, 10, 3]


def forwarding(net, octets=100):
    """A node that forwards what it gets, and has a guard that asks for room before it does."""
    source, middle = net.start("source", conduit=SMALL), net.start("middle", conduit=SMALL, lease=60.0)
    sink = net.start("sink", conduit=SMALL, lease=60.0)
    onward = middle.publish(OTHER, Congestion.ERROR)
    middle.subscribe(RID, lambda got: middle.write(onward, *got.payloads) and None, guard=((onward, octets),))
    sink.subscribe(OTHER)
    net.run_until(lambda: source.node.declarations.subscribers(RID) and middle.node.declarations.subscribers(OTHER))
    return source, middle, sink


def test_with_a_guard_the_subscriber_runs_only_when_its_publisher_has_room():
    net = SimNet()
    source, middle, sink = forwarding(net)
    net.part(["middle"], ["sink"])
    samples = numbered(40)
    source.write(source.publish(RID), *samples)
    net.run(1.0)
    assert middle.received[RID] == samples[:10]
    net.heal()
    net.run_until(lambda: sink.received[OTHER] == samples)
    assert middle.received[RID] == samples


def test_a_guard_asks_for_all_its_publishers_at_once():
    net = SimNet()
    source, _ = pair(net)
    one, two = source.publish(RID), source.publish(RID)
    source.write(one, *numbered(8))
    assert source.node.admits(((one, 10), (two, 10)))
    assert not source.node.admits(((one, 10), (two, 10), (one, 10)))
    assert not source.node.admits(((one, 16000),) * 2)
    assert source.node.admits(((99, 10),))


def test_a_guard_wants_nothing_of_publishers_whom_nobody_hears():
    net = SimNet()
    source, _ = pair(net)
    assert source.node.admits(((source.publish(OTHER), 10),) * 100)


def test_a_refused_sample_comes_again():
    net = SimNet()
    source = net.start("source", conduit=SMALL)
    sink = net.start("sink", conduit=SMALL)
    refusals = []

    def take(delivery):
        if len(refusals) < 3 and b"3" in b"".join(delivery.payloads):
            refusals.append(net.now)
            return next(place for place, payload in enumerate(delivery.payloads) if b"3" in payload)
        return None

    sink.subscribe(RID, take)
    net.run_until(lambda: source.node.declarations.subscribers(RID))
    source.write(source.publish(RID), *numbered(6))
    net.run_until(lambda: sink.received[RID] == numbered(6))
    assert len(refusals) == 3
    assert sink.node.reception.refused == 3


def test_nobody_gets_a_sample_twice_because_another_refused_it():
    net = SimNet()
    source, sink = pair(net)
    tries, second = [], []

    def take(delivery):
        tries.append(net.now)
        if len(tries) in (2, 3, 5):
            return 0
        second.extend(delivery.payloads)
        return None

    sink.node.subscribe(RID, take, net.now)
    source.write(source.publish(RID), *numbered(6))
    net.run_until(lambda: len(second) == 6)
    assert sink.received[RID] == second == numbered(6)


def test_a_handler_that_fails_does_not_bring_earlier_samples_again():
    net = SimNet()
    source, sink = pair(net)
    broken = [True]

    def take(delivery):
        if broken:
            broken.clear()
            raise LookupError("test")
        return

    sink.subscribe(OTHER, take)
    net.run_until(lambda: source.node.declarations.subscribers(OTHER))
    source.node.write(source.publish(RID), numbered(3), net.now)
    source.node.write(source.publish(OTHER), [b"x"], net.now)
    net.pump(source)
    with pytest.raises(LookupError):
        net.run(0.001)
    net.run(5.0)
    assert sink.received[RID] == numbered(3)
    assert sink.received[OTHER] == [b"x"]


def test_a_dead_subscriber_is_asked_ever_more_rarely():
    """The C program sends some 390 SYNCHs in the 3.9 s that are left of its lease."""
    net = SimNet(keeps=True)
    source, _ = pair(net)
    publisher = source.publish(RID)
    net.run(1.0)
    net.kill("sink")
    since = len(source.sent)
    source.write(publisher, *numbered(3))
    net.run(4.0)
    assert kinds(source, since).count(header.SYNCH) <= 12


def test_a_malformed_datagram_ends_the_session_of_its_sender():
    net = SimNet(keeps=True)
    source, sink = pair(net)
    source.node.receive(b"\x1f", "sink", net.now)
    net.pump(source)
    assert source.listener.changes == ["connected", "disconnected"]
    assert source.sent[-1].datagram[-1] == 2
    assert source.node.intake.malformed == 1
    net.run(10.0)
    assert source.peers == {sink.peer_id}


def test_a_malformed_datagram_of_a_stranger_ends_nothing():
    net = SimNet()
    source, sink = pair(net)
    assert source.node.receive(b"\x1f", "stranger", net.now) == []
    assert source.peers == {sink.peer_id}
    assert source.node.intake.malformed == 1


def test_a_ping_of_a_peer_is_answered():
    net = SimNet()
    source, _ = pair(net)
    assert source.node.receive(b"\x0c\x85\x01", "sink", net.now) == [("sink", b"\x0d\x85\x01")]
    assert source.node.receive(b"\x0c\x85\x01", "stranger", net.now) == []
    assert source.node.receive(b"\x0d\x05", "sink", net.now) == []


def test_samples_of_a_stranger_make_the_node_ask_for_a_session():
    net = SimNet()
    node = net.start("node")
    (sent,) = node.node.receive(b"\x47\x00\x02\x01x", "stranger", net.now)
    assert (sent.address, sent.datagram[0] & header.ID_MASK) == ("stranger", header.OPEN)
    assert node.node.receive(b"\x47\x01\x02\x01x", "stranger", net.now) == []
    assert node.node.intake.unexpected == 1


def test_conduits_with_high_numbers_are_ignored():
    net = SimNet()
    source, _ = pair(net, conduits_in=4)
    assert source.node.receive(b"\x13\x04\xee\x01\x01", "sink", net.now) == []
    assert source.node.receive(b"\xd3\xee\x01\x01", "sink", net.now) != []
    assert source.node.reception.ignored == 1


def test_an_acknowledgement_for_a_conduit_that_is_not_there_is_ignored():
    net = SimNet()
    source, _ = pair(net)
    assert source.node.receive(b"\x13\x09\x0f\x01", "sink", net.now) == []


@pytest.mark.parametrize("offload", [False, True], ids=["by receiving", "by housekeeping"])
def test_who_sends_what_receiving_answers_is_a_setting(offload):
    net = SimNet()
    source, sink = pair(net, offload_replies=offload)
    sent = source.node.receive(b"\x0c\x05", "sink", net.now)
    assert bool(sent) is not offload
    assert (source.node.wake_at <= net.now) is offload
    source.node.housekeep(net.now)
    assert (("sink", b"\x0d\x05") in source.node.outgoing()) is offload
    samples = numbered(200)
    source.write(source.publish(RID), *samples)
    net.run_until(lambda: sink.received[RID] == samples)


def test_receiving_does_not_touch_the_datagram_that_a_sender_is_filling():
    net = SimNet(keeps=True)
    source, sink = pair(net, conduit=replace(SMALL, latency_budget=inf))
    source.write(source.publish(RID), b"a", b"b")
    since = len(source.sent)
    source.node.receive(b"\x2f\x05\x00", "sink", net.now)
    assert source.node.outgoing() == []
    source.node.flush(net.now)
    net.pump(source)
    assert kinds(source, since) == [header.SDATA]
    net.run(0.1)
    assert sink.received[RID] == [b"a", b"b"]


def test_settings_that_do_not_go_together_are_refused():
    session = SessionSettings(b"id")
    with pytest.raises(SettingError, match="number_bits"):
        NodeSettings(session, unicast=ConduitSettings(number_bits=28))
    with pytest.raises(SettingError, match="multicast has 0"):
        NodeSettings(session, multicast=())


def test_a_node_is_no_peer_of_itself():
    net = SimNet()
    node = net.start("node", group=GROUP)
    net.run(30.0)
    assert node.peers == set()
    assert len(node.node.sessions.peers) == 0


def test_thousands_of_declarations_pass_a_small_window():
    net = SimNet()
    one, two = net.start("one", conduit=SMALL), net.start("two", conduit=SMALL)
    net.run(1.0)
    for rid in range(2000):
        one.node.subscribe(rid, lambda _: None, net.now)
    net.pump(one)
    net.run_until(lambda: all(two.node.declarations.subscribers(rid) for rid in range(2000)))
    late = net.start("late", conduit=SMALL)
    net.run_until(lambda: all(late.node.declarations.subscribers(rid) for rid in range(2000)))


def test_256_peers_are_met_and_served():
    net = SimNet()
    hub = net.start("hub", conduit=SMALL, lease=60.0, session={"scout_count": 1}, group=None)
    quiet = {"lease": 60.0, "group": None, "peers": ("hub",), "session": {"scout_count": 1}}
    spokes = [net.start(f"spoke{number}", conduit=SMALL, **quiet) for number in range(256)]
    for spoke in spokes:
        spoke.subscribe(RID)
    net.run_until(lambda: len(hub.node.declarations.subscribers(RID)) == 256)
    samples = numbered(30)
    hub.write(hub.publish(RID), *samples)
    net.run_until(lambda: all(spoke.received[RID] == samples for spoke in spokes))
