"""What a node's own subscribers get of its own publishers."""

import pytest

from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.declarations.events import DeclarationKind
from forebay.conduit.core.errors import WindowFullError
from forebay.conduit.core.loopback import MOST_SAMPLES
from forebay.conduit.core.wire.declarations import ResultStatus
from simnet import SimNet, Weather, numbered

from .programs import Program, meet


@pytest.fixture
def net():
    return SimNet(41, keeps=True)


@pytest.fixture
def alone(net):
    return Program(net, "alone", lease=20.0)


def refusing(program, resource, allowed, **options):
    """A subscriber that takes so many samples at a time as `allowed` says."""
    got = []

    def take(delivery):
        count = min(allowed[0], len(delivery.payloads))
        got.extend(delivery.payloads[:count])
        return count

    program.call("declare_subscriber", resource, take, **options)
    return got


@pytest.mark.parametrize("pattern", ["/a/b", "/a/*", "**"])
def test_own_samples_come_in_order_and_once(net, alone, pattern):
    publisher = alone.publish("/a/b")
    alone.subscribe(pattern)
    net.run(0.1)
    before = len(alone.sim.sent)
    for sample in numbered(10):
        alone.write(publisher, sample)
    net.run(0.1)
    assert alone.received == {"/a/b": numbered(10)}
    assert {delivery.peer_id for delivery in alone.deliveries} == {alone.sim.peer_id}
    assert len(alone.sim.sent) == before


def test_own_samples_come_by_id_without_a_definition(net, alone):
    publisher = alone.publish(7)
    alone.subscribe(7)
    alone.write(publisher, b"1", b"2")
    net.run(0.1)
    assert [(each.rid, each.payloads) for each in alone.deliveries] == [(7, [b"1", b"2"])]


@pytest.mark.parametrize("reliable", [True, False], ids=["reliable", "unreliable"])
def test_own_samples_come_by_uri(net, alone, reliable):
    alone.subscribe("/a/*")
    net.run(0.1)
    alone.participant.write_uri("/a/b", [b"1", b"2"], net.now, reliable=reliable)
    alone.participant.write_uri("/b", [b"3"], net.now, reliable=reliable)
    net.pump(alone.sim)
    net.run(0.1)
    assert alone.received == {"/a/b": [b"1", b"2"]}


@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_peers_and_own_subscribers_get_each_sample_once(loss):
    net = SimNet(42, Weather(loss, delay=(0.0002, 0.004)))
    source, sink = Program(net, "source", lease=60.0), Program(net, "sink", lease=60.0)
    meet(net, source, sink)
    for each in (source, sink):
        each.subscribe("/a")
    publisher = source.publish("/a")
    net.run_until(lambda: source.reaches(publisher))
    for sample in numbered(300):
        source.write(publisher, sample)
    net.run_until(lambda: len(sink.received["/a"]) >= 300)
    net.run(1.0)
    assert source.received["/a"] == sink.received["/a"] == numbered(300)


def test_what_is_refused_comes_again_once_to_each(net, alone):
    allowed = [1]
    slow = refusing(alone, "/a", allowed)
    alone.subscribe("/a")
    publisher = alone.publish("/a")
    net.run(0.1)
    allowed[0] = 0
    alone.write(publisher, b"1", b"2")
    net.run(0.1)
    assert slow == []
    allowed[0] = 1
    net.run(0.1)
    assert slow == [b"1", b"2"]
    assert alone.received["/a"] == [b"1", b"2"]


def test_what_is_unreliable_and_refused_does_not_come_again(net, alone):
    allowed = [0]
    slow = refusing(alone, "/a", allowed)
    publisher = alone.publish("/a", reliable=False)
    net.run(0.1)
    alone.write(publisher, b"1", b"2")
    net.run(0.1)
    allowed[0] = 1
    alone.write(publisher, b"3")
    net.run(0.1)
    assert slow == [b"3"]


def test_the_guard_is_asked_first(net):
    source, sink = Program(net, "source", lease=20.0), Program(net, "sink", lease=20.0)
    meet(net, source, sink)
    sink.subscribe("/out")
    out, into = source.publish("/out"), source.publish("/in")
    net.run_until(lambda: source.reaches(out))
    got = refusing(source, "/in", [9], guard=((out, 1000),))
    net.run(0.1)
    net.part(["source"], ["sink"])
    while not source.write(out, *numbered(100)).pending:
        pass
    source.write(into, b"1")
    net.run(0.1)
    assert got == []
    net.heal()
    net.run(5.0)
    assert got == [b"1"]


@pytest.mark.parametrize("congestion", Congestion)
def test_a_writer_waits_for_own_subscribers_as_its_congestion_says(net, alone, congestion):
    allowed = [0]
    got = refusing(alone, "/a", allowed)
    publisher = alone.publish("/a", congestion=congestion)
    other = alone.publish("/b", congestion=congestion)
    net.run(0.1)
    samples = numbered(MOST_SAMPLES)
    alone.write(publisher, *samples)
    if congestion is Congestion.ERROR:
        with pytest.raises(WindowFullError):
            alone.write(publisher, b"more")
    else:
        write = alone.write(publisher, b"more")
        counts = {"block": write.pending, "drop": write.dropped, "spill": write.spilled}
        assert counts[congestion.value] == 1
    assert alone.write(other, b"1").written == 1
    allowed[0] = MOST_SAMPLES
    net.run(1.0)
    if congestion is Congestion.SPILL:
        assert alone.sim.listener.rooms == [publisher]
        assert alone.node.unspill(publisher, [b"more"], net.now) == 1
        net.pump(alone.sim)
        net.run(0.1)
    there = congestion in {Congestion.BLOCK, Congestion.SPILL}
    assert got == [*samples, *([b"more"] if there else [])]


def test_a_handler_may_write(net, alone):
    got = []

    def forward(delivery):
        got.extend(delivery.payloads)
        if len(got) < 5:
            alone.participant.write(publisher, [b"%d" % len(got)], net.now)

    publisher = alone.publish("/a")
    alone.call("declare_subscriber", "/a", forward)
    net.run(0.1)
    alone.write(publisher, b"0")
    net.run(0.1)
    assert got == [b"%d" % number for number in range(5)]


def test_a_handler_that_fails_gets_the_sample_again(net, alone):
    failures = [1]

    def take(delivery):
        if failures.pop() if failures else 0:
            raise RuntimeError("once")
        alone.received[delivery.uri] += delivery.payloads

    publisher = alone.publish("/a")
    alone.call("declare_subscriber", "/a", take)
    net.run(0.1)
    alone.participant.write(publisher, [b"1"], net.now)
    with pytest.raises(RuntimeError, match="once"):
        alone.node.housekeep(net.now)
    net.pump(alone.sim)
    net.run(0.1)
    assert alone.received["/a"] == [b"1"]


def test_after_the_last_subscriber_nothing_is_kept(net, alone):
    allowed = [0]
    publisher = alone.publish("/a")
    number = alone.call("declare_subscriber", "/a", lambda _: allowed[0])
    net.run(0.1)
    alone.write(publisher, b"1")
    net.run(0.05)
    alone.call("forget_subscriber", number)
    net.run(0.1)
    got = alone.subscribe("/a")
    net.run(0.1)
    assert got is not None
    assert alone.received == {}
    assert alone.write(publisher, b"2").written == 1


@pytest.fixture
def cut_off(net):
    """A program that is asking a peer which it does not reach, so what it declares by URI is not settled."""
    source, other = Program(net, "source", lease=20.0), Program(net, "other", lease=20.0)
    meet(net, source, other)
    publisher = source.publish("/a/b")
    net.run(0.5)
    net.part(["source"], ["other"])
    return source, publisher


@pytest.mark.parametrize("pattern", ["/a/*", "**", "/a/?"])
def test_own_samples_come_while_peers_are_asked_for_the_pattern(net, cut_off, pattern):
    source, publisher = cut_off
    source.subscribe(pattern)
    source.write(publisher, *numbered(3))
    net.run(0.1)
    assert source.received == {"/a/b": numbered(3)}
    told = [event for event in source.sim.listener.declarations if event.kind is DeclarationKind.SUBSCRIBER]
    assert told == []
    net.heal()
    net.run_until(lambda: source.register.own.subscriptions)
    source.write(publisher, b"more")
    net.run(0.1)
    assert source.received == {"/a/b": [*numbered(3), b"more"]}


@pytest.mark.parametrize(("free", "slow"), [("/a/*", "/a/?"), ("/a/?", "/a/*"), ("/a/b", "/a/*")])
def test_nobody_gets_a_sample_twice_when_the_pattern_is_settled_between(net, cut_off, free, slow):
    source, publisher = cut_off
    source.subscribe(free)
    allowed = [0]
    late = refusing(source, slow, allowed)
    source.write(publisher, b"1")
    net.run(0.1)
    assert late == []
    net.heal()
    net.run_until(lambda: len(source.register.own.subscriptions) == 2)
    allowed[0] = 1
    net.run(0.1)
    assert (source.received["/a/b"], late) == ([b"1"], [b"1"])


def test_who_is_forgotten_while_peers_are_asked_gets_nothing_more(net, cut_off):
    source, publisher = cut_off
    number = source.subscribe("/a/*")
    source.write(publisher, b"1")
    net.run(0.1)
    source.call("forget_subscriber", number)
    source.write(publisher, b"2")
    net.heal()
    net.run(2.0)
    assert source.received == {"/a/b": [b"1"]}
    assert source.register.own.subscriptions == {}


def test_who_stands_on_a_resource_that_is_refused_gets_nothing_more(net, cut_off):
    source, publisher = cut_off
    source.subscribe("/a/*")
    source.write(publisher, b"1")
    definition = next(each for each in source.register.own.definitions.values() if each.uri == "/a/*")
    source.register.definer._fail(definition, ResultStatus.OTHER, "no answer came")
    net.run(0.1)
    source.write(publisher, b"2")
    net.run(0.1)
    assert source.received == {"/a/b": [b"1"]}
