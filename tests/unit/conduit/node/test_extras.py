"""What nodes of our own kind do for each other, and never to a peer that has not agreed on it."""

import pytest

from conftest import SCALE
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.errors import SampleTooLargeError, SettingError, WindowFullError
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.extras import Extra, Extras
from forebay.conduit.core.wire.ownmessages import Fragment
from simnet import GROUP, SimNet, Weather, numbered

from .test_reliability import LOSSES, ROUGH, Near, meet, wanted

RID = 7
ALL = Extras(Extra(31), 28, 1 << 20)
GROUPS = [pytest.param(GROUP, id="multicast"), pytest.param(None, id="a copy each")]
SMALL = ConduitSettings(window_octets=2000, window_samples=40, mtu=200, reorder_samples=20)


def start(net, name, extras=ALL, group=GROUP, **options):
    peers = () if group else tuple("abcd")
    options.setdefault("lease", 20.0)
    return net.start(name, group=group, peers=peers, session={"extras": extras}, **options)


def pieces(node, since=0):
    """Where the datagrams with fragments went that a node has sent."""
    found = []
    for address, datagram in node.sent[since:]:
        messages, _ = decode(datagram, 28)
        if any(isinstance(message, Fragment) for message in messages):
            found.append(address)
    return found


def large(net, *sizes):
    return [net.random.randbytes(size) for size in sizes]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("loss", LOSSES)
def test_large_and_small_samples_arrive_once_and_in_order(loss, group):
    net = SimNet(5, Weather(loss, duplication=0.05, delay=ROUGH))
    source, *sinks = (start(net, name, group=group) for name in "abc")
    for sink in sinks:
        sink.subscribe(RID)
    wanted(net, source, RID, len(sinks))
    samples = [each for _ in range(5 * SCALE) for each in large(net, 10, 5000, 1461, 100_000, 8, 20_000)]
    write = source.write(source.publish(RID), *samples)
    net.run_until(lambda: all(len(sink.received[RID]) >= len(samples) for sink in sinks), limit=300.0 * SCALE)
    net.run(1.0)
    assert all(sink.received[RID] == samples for sink in sinks)
    assert write.written == len(samples)


@pytest.mark.parametrize("loss", LOSSES)
def test_large_samples_to_one_peer_alone_and_by_uri(loss):
    net = SimNet(6, Weather(loss, delay=ROUGH))
    source, sink, other = (start(net, name) for name in "abc")
    meet(net, source, sink, other)
    sink.subscribe(RID)
    other.subscribe(RID)
    wanted(net, source, RID, 2)
    index = source.node.sessions.peers.by_id(sink.peer_id).index
    samples = large(net, 50_000, 3000)
    source.write(source.publish(RID, conduit=-index - 1), *samples)
    net.run_until(lambda: sink.received[RID] == samples)
    net.run(1.0)
    assert other.received[RID] == []


def test_a_large_sample_needs_no_larger_window():
    net = SimNet(7, Weather(0.1, delay=ROUGH))
    source, sink = (start(net, name, conduit=SMALL) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    samples = [b"before", *large(net, 100_000), b"after"]
    source.write(source.publish(RID), *samples)
    net.run_until(lambda: sink.received[RID] == samples)


def test_a_large_sample_counts_as_one():
    net = SimNet(8)
    source, sink = (start(net, name) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher = source.publish(RID, Congestion.DROP)
    first, second = source.write(publisher, *large(net, 100_000)), source.write(publisher, b"no room")
    assert (first.written, first.dropped, second.dropped) == (1, 0, 1)
    assert source.node.publisher(publisher).written == 1
    net.run(1.0)
    assert [len(sample) for sample in sink.received[RID]] == [100_000]


@pytest.mark.parametrize("congestion", [Congestion.ERROR, Congestion.SPILL], ids=lambda each: each.value)
def test_what_was_begun_is_finished_whatever_becomes_of_the_rest(congestion):
    net = SimNet(9)
    source, sink = (start(net, name) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher, samples = source.publish(RID, congestion), large(net, 50_000, 50_000)
    if congestion is Congestion.ERROR:
        with pytest.raises(WindowFullError):
            source.write(publisher, *samples)
    else:
        assert source.write(publisher, *samples).spilled == 1
    net.run(1.0)
    assert sink.received[RID] == samples[:1]


@pytest.mark.parametrize("size", [(1 << 20) + 1, 1 << 24], ids=str)
@pytest.mark.parametrize("heard", [False, True], ids=["unheard", "heard"])
def test_a_sample_beyond_the_limit_is_an_error_that_names_it(size, heard):
    net = SimNet(10)
    source, sink = (start(net, name) for name in "ab")
    if heard:
        sink.subscribe(RID)
        wanted(net, source, RID)
    publisher = source.publish(RID)
    with pytest.raises(SampleTooLargeError, match="largest_sample of 1048576") as caught:
        source.write(publisher, b"small", bytes(size))
    assert (caught.value.size, caught.value.limit) == (size, 1 << 20)
    net.run(1.0)
    assert sink.received[RID] == []


def test_the_smallest_limit_of_the_peers_counts():
    net = SimNet(11)
    source = start(net, "a")
    for name, limit in (("b", 5000), ("c", 9000)):
        start(net, name, ALL._replace(largest_sample=limit)).subscribe(RID)
    wanted(net, source, RID, 2)
    publisher = source.publish(RID)
    source.write(publisher, bytes(5000))
    with pytest.raises(SampleTooLargeError, match="largest_sample of 5000"):
        source.write(publisher, bytes(5001))
    net.run(1.0)
    assert [net.nodes[name].received[RID] for name in "bc"] == [[bytes(5000)]] * 2


@pytest.mark.parametrize("group", GROUPS)
def test_a_plain_peer_gets_no_pieces_and_the_writer_an_error(group):
    net = SimNet(12, keeps=True)
    source, sink = start(net, "a", group=group), start(net, "b", group=group)
    plain = start(net, "c", Extras(), group=group)
    sink.subscribe(RID)
    plain.subscribe(RID)
    wanted(net, source, RID, 2)
    publisher = source.publish(RID)
    with pytest.raises(SampleTooLargeError, match="exceeds mtu"):
        source.write(publisher, bytes(3000))
    source.write(publisher, bytes(1000))
    net.run(1.0)
    assert plain.received[RID] == sink.received[RID] == [bytes(1000)]
    net.kill("c")
    net.run_until(lambda: len(source.peers) == 1)
    source.write(publisher, bytes(3000))
    net.run_until(lambda: sink.received[RID] == [bytes(1000), bytes(3000)])
    assert "c" not in pieces(source)


def test_of_a_conduit_to_one_peer_only_that_peer_is_asked():
    net = SimNet(13, keeps=True)
    source, sink, plain = start(net, "a"), start(net, "b"), start(net, "c", Extras())
    meet(net, source, sink, plain)
    sink.subscribe(RID)
    wanted(net, source, RID)
    index = source.node.sessions.peers.by_id(sink.peer_id).index
    source.write(source.publish(RID, conduit=-index - 1), bytes(9000))
    net.run_until(lambda: sink.received[RID] == [bytes(9000)])
    assert set(pieces(source)) == {"b"}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_plain_peer_that_comes_within_a_large_sample_gets_what_follows(loss):
    """Until that is out the others get copies, and it joins then; the writer of the next one gets the error."""
    net = SimNet(14, Weather(loss, delay=ROUGH), keeps=True)
    source, sink = (start(net, name, conduit=SMALL) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher, (first, second) = source.publish(RID), large(net, 60_000, 2000)
    source.write(publisher, first)
    waiting = source.write(publisher, second, b"never")
    plain = start(net, "c", Extras(), conduit=SMALL)
    plain.subscribe(RID)
    net.run_until(lambda: len(source.peers) == 2)
    since = len(source.sent)
    net.run_until(lambda: waiting.error is not None)
    assert isinstance(waiting.error, SampleTooLargeError)
    assert (waiting.written, waiting.failed) == (0, 2)
    net.run_until(lambda: len(source.node.declarations.subscribers(RID)) == 2)
    source.write(publisher, b"small")
    net.run_until(lambda: plain.received[RID] == [b"small"] and sink.received[RID] == [first, b"small"])
    assert "disconnected" not in plain.listener.changes
    assert set(pieces(source, since)) == {"b"}


def test_large_samples_that_were_laid_aside_for_peers_that_take_none_are_dropped():
    net = SimNet(15)
    source, sink = (start(net, name, conduit=SMALL) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher = source.publish(RID, Congestion.SPILL)
    samples = [*numbered(400), bytes(3000), b"after"]
    source.write(publisher, *samples)
    start(net, "c", Extras(), conduit=SMALL)
    net.run_until(lambda: len(source.peers) == 2 and source.node.transmission.outlet(0).conduit.cutter.largest == 0)
    aside = source.listener.spilled[publisher]

    def unspill():
        taken = source.node.unspill(publisher, aside, net.now)
        del aside[:taken]
        return not aside

    net.run_until(unspill)
    net.run_until(lambda: sink.received[RID][-1:] == [b"after"])
    assert sink.received[RID] == [*samples[:400], b"after"]
    assert source.node.publisher(publisher).dropped == 1


def test_an_unreliable_large_sample_comes_whole_or_not_at_all_and_its_loss_is_told():
    net = SimNet(16, Weather(0.02))
    source, sink = (start(net, name) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher, samples = source.publish(RID, reliable=False), large(net, *[20_000] * 100)
    for sample in samples:
        source.write(publisher, sample)
        net.run(0.02)
    net.run(1.0)
    received = sink.received[RID]
    assert received == [sample for sample in samples if sample in received]
    assert 50 < len(received) < 100
    losses = sink.listener.losses
    assert len(losses) == sink.node.reception.pieces.broken >= 90 - len(received)
    assert {(loss.peer_id, loss.conduit, loss.reliable) for loss in losses} == {(source.peer_id, 0, False)}


def test_an_unreliable_sample_whose_rest_does_not_come_is_given_up_after_its_time():
    net = SimNet(17)
    source, sink = (start(net, name, reassembly_seconds=3.0) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher = source.publish(RID, reliable=False)
    source.node.write(publisher, [bytes(9000)], net.now)
    sent = source.node.outgoing()
    for each in sent[:3]:
        sink.node.receive(each.datagram, "a", net.now)
    net.pump(sink)
    net.run(2.9)
    assert sink.listener.losses == []
    net.run(0.2)
    assert [(loss.received, loss.reason) for loss in sink.listener.losses] == [(3, "its other pieces did not come")]


def test_a_large_sample_that_its_subscriber_refuses_comes_again_whole():
    net = SimNet(18)
    source, sink = (start(net, name) for name in "ab")
    answers = [0, 0, None]
    sink.subscribe(RID, lambda _: answers.pop(0) if answers else None)
    wanted(net, source, RID)
    samples = large(net, 9000, 9000)
    source.write(source.publish(RID), *samples)
    net.run_until(lambda: sink.received[RID] == samples)
    assert sink.node.reception.pieces.broken == 0


def test_a_peer_keeps_no_more_octets_than_it_may():
    """Samples over both conduits wait for each other, and come all the same."""
    net = SimNet(19, Weather(0.05, delay=ROUGH))
    source = start(net, "a", conduit=SMALL)
    sink = start(net, "b", ALL._replace(largest_sample=30_000), conduit=SMALL, reassembly_octets=30_000)
    for rid in (1, 2):
        sink.subscribe(rid)
        wanted(net, source, rid)
    samples = large(net, *[30_000] * 4)
    for rid in (1, 2):
        source.write(source.publish(rid, conduit=rid - 1), *samples)
    net.run_until(lambda: sink.received[1] == sink.received[2] == samples, limit=120.0)


def test_when_the_session_ends_within_a_large_sample_that_is_told():
    net = SimNet(20)
    source, sink = (start(net, name, conduit=SMALL, lease=4.0) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    source.write(source.publish(RID), bytes(50_000))
    net.run(0.01)
    net.kill("a")
    net.run_until(lambda: sink.peers == set())
    (loss,) = sink.listener.losses
    assert 0 < loss.received < loss.pieces
    assert sink.received[RID] == []


def test_the_octets_of_a_peer_are_enough_for_its_largest_sample():
    session = SessionSettings(b"x", extras=ALL)
    with pytest.raises(SettingError, match="reassembly_octets is 1000: take largest_sample, which is 1048576, or more"):
        NodeSettings(session, reassembly_octets=1000)


def numbers_of(node, peer):
    return node.node.transmission.find(-node.node.sessions.peers.by_id(peer.peer_id).index - 1).conduit.numbers.bits


@pytest.mark.parametrize(
    ("theirs", "bits"),
    [
        pytest.param(ALL, 28, id="both offer long ones"),
        pytest.param(ALL._replace(number_bits=14), 14, id="short ones"),
        pytest.param(Extras(), 14, id="a zhe program"),
    ],
)
def test_long_numbers_are_those_of_the_conduit_to_one_peer_if_both_offer_them(theirs, bits):
    net = SimNet(21, Weather(0.1, delay=ROUGH))
    one, other = start(net, "a"), start(net, "b", theirs)
    meet(net, one, other)
    assert numbers_of(one, other) == numbers_of(other, one) == bits
    assert one.node.transmission.outlet(0).conduit.numbers.bits == 14
    samples = numbered(20_000)
    for rid, source, sink in ((1, one, other), (2, other, one)):
        sink.subscribe(rid)
        wanted(net, source, rid)
        index = source.node.sessions.peers.by_id(sink.peer_id).index
        source.write(source.publish(rid, conduit=-index - 1), *samples)
    net.run_until(lambda: len(other.received[1]) + len(one.received[2]) >= 2 * len(samples), limit=300)
    assert other.received[1] == samples == one.received[2]


def test_what_is_agreed_is_agreed_anew_when_a_peer_reconnects():
    net = SimNet(22)
    source, sink = start(net, "a"), start(net, "b")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher = source.publish(RID)
    source.write(publisher, bytes(5000))
    net.run(1.0)
    assert sink.received[RID] == [bytes(5000)]
    plain = start(net, "b", Extras())
    plain.subscribe(RID)
    net.run_until(lambda: source.listener.changes[-1] == "reconnected")
    assert numbers_of(source, plain) == 14
    net.run_until(lambda: len(source.node.declarations.subscribers(RID)) == 1)
    with pytest.raises(SampleTooLargeError):
        source.write(publisher, bytes(5000))
    again = start(net, "b")
    again.subscribe(RID)
    net.run_until(lambda: numbers_of(source, again) == 28 if source.peers == {again.peer_id} else False)
    net.run_until(lambda: len(source.node.declarations.subscribers(RID)) == 1)
    source.write(publisher, bytes(6000))
    net.run_until(lambda: again.received[RID] == [bytes(6000)])


@pytest.mark.parametrize("loss", [0.0, 0.1], ids=["0%", "10%"])
@pytest.mark.parametrize(("alone", "bits"), [(False, 14), (True, 28)], ids=["to all", "to one"])
def test_numbers_wrap_within_a_large_sample(alone, bits, loss):
    net = SimNet(23, Weather(loss, duplication=0.05, delay=(0.0002, 0.0004)), randoms=Near)
    source, sink = (start(net, name, conduit=SMALL) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    index = source.node.sessions.peers.by_id(sink.peer_id).index
    conduit = -index - 1 if alone else 0
    samples = [b"x", *large(net, 20_000, 20_000), *numbered(100)]
    source.write(source.publish(RID, conduit=conduit), *samples)
    net.run_until(lambda: len(sink.received[RID]) >= len(samples))
    assert sink.received[RID] == samples
    out = source.node.transmission.find(conduit).conduit
    assert (out.numbers.bits, out.window.next > 1 << bits) == (bits, True)


@pytest.mark.parametrize("theirs", [1, 3], ids=str)
def test_nodes_with_other_numbers_of_conduits_speak_with_each_other(theirs):
    """And nothing is lost or doubled when one of them has lost the session."""
    net = SimNet(24, Weather(0.05, delay=ROUGH))
    one = start(net, "a")
    other = start(net, "b", multicast=(ConduitSettings(),) * theirs)
    meet(net, one, other)
    for turn in range(3):
        samples = {}
        for rid, source, sink in ((1, one, other), (2, other, one)):
            if not turn:
                sink.subscribe(rid)
            wanted(net, source, rid)
            index = source.node.sessions.peers.by_id(sink.peer_id).index
            samples[rid] = numbered(300, first=300 * turn)
            source.write(source.publish(rid, conduit=-index - 1), *samples[rid])
        net.run_until(lambda: len(other.received[1]) >= 300 and len(one.received[2]) >= 300)
        assert other.received.pop(1) == samples[1]
        assert one.received.pop(2) == samples[2]
        net.run(1.0)
        one.node.close_session("test", peer_id=other.peer_id)
        net.pump(one)
        net.run_until(lambda: not one.node.declarations.subscribers(1))
        net.run_until(lambda: one.peers and other.peers)


def test_when_the_last_member_dies_within_a_large_sample_who_waits_for_its_end_gets_what_follows():
    net = SimNet(25)
    source = start(net, "a", conduit=SMALL, lease=4.0)
    start(net, "b", conduit=SMALL, lease=4.0).subscribe(RID)
    wanted(net, source, RID)
    publisher = source.publish(RID)
    first = source.write(publisher, bytes(60_000))
    net.run(0.001)
    net.kill("b")
    late = start(net, "c", conduit=SMALL, lease=4.0)
    late.subscribe(RID)
    net.run_until(lambda: late.peer_id in source.peers)
    second = source.write(publisher, b"second")
    net.run_until(lambda: late.received[RID] == [b"second"])
    assert (first.pending, second.pending, late.listener.losses) == (0, 0, [])


def test_a_guard_for_a_large_sample_asks_for_an_empty_window():
    net = SimNet(26)
    source, sink = (start(net, name, conduit=SMALL) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    publisher = source.publish(RID)
    guard = ((publisher, 50_000),)
    assert source.node.admits(guard)
    source.write(publisher, b"something")
    assert not source.node.admits(guard)
    net.run(1.0)
    assert source.node.admits(guard)
