"""What becomes of writes that have to wait for their way, and of those by URI for peers that pull."""

import pytest

from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.errors import WindowFullError
from forebay.conduit.core.wire.declarations import SubscriptionMode
from simnet import SimNet, numbered

from .programs import Program, meet


@pytest.fixture
def net():
    return SimNet(43)


def programs(net, **options):
    source, sink = Program(net, "source", lease=20.0, **options), Program(net, "sink", lease=20.0)
    meet(net, source, sink)
    return source, sink


@pytest.mark.parametrize(
    ("congestion", "dropped"),
    [pytest.param(Congestion.ERROR, 0, id="error"), pytest.param(Congestion.DROP, 12, id="drop")],
)
def test_what_finds_no_room_after_it_waited(net, congestion, dropped):
    source, sink = programs(net, conduit=ConduitSettings(window_samples=8))
    sink.subscribe("/a")
    net.run(0.5)
    publisher = source.publish("/a", congestion=congestion)
    write, done = source.participant.write(publisher, numbered(20), net.now), []
    write.done = done.append
    assert write.pending == 20
    net.run_until(lambda: done)
    net.run(0.5)
    assert (write.written, write.dropped, write.failed) == (8, dropped, 12 - dropped)
    assert source.node.publisher(publisher).dropped == dropped
    assert sink.received["/a"] == numbered(8)
    if congestion is Congestion.ERROR:
        assert isinstance(write.error, WindowFullError)
        assert (write.error.accepted, write.error.refused) == (8, 12)
    else:
        assert write.error is None


def test_what_is_written_by_a_uri_without_id_is_kept_for_who_pulls(net):
    source, sink = programs(net)
    subscriber = sink.subscribe("/a/*", mode=SubscriptionMode.PULL)
    net.run(1.0)
    for sample in numbered(3):
        source.participant.write_uri("/a/b", [sample], net.now)
    net.pump(source.sim)
    net.run(1.0)
    source.participant.write_uri("/a/b", [b"last"], net.now)
    net.pump(source.sim)
    sink.call("pull", subscriber)
    net.run(1.0)
    assert sink.received == {"/a/b": [*numbered(3), b"last"]}


def test_without_pulling_peers_no_id_is_defined(net):
    source, sink = programs(net)
    sink.subscribe("/a/*")
    net.run(1.0)
    source.participant.write_uri("/a/b", [b"1"], net.now)
    assert not source.knows("/a/b")


def test_of_a_uri_that_peers_refuse_nothing_is_kept(net):
    source = Program(net, "source", lease=20.0)
    sink = Program(net, "sink", lease=20.0, declarations=DeclarationSettings(most_declarations=1))
    meet(net, source, sink)
    source.define("/other")
    subscriber = sink.subscribe("/a/*", mode=SubscriptionMode.PULL)
    net.run(1.0)
    source.participant.write_uri("/a/b", [b"1"], net.now)
    net.run(1.0)
    sink.call("pull", subscriber)
    net.run(1.0)
    assert sink.deliveries == []
    assert "NO_SPACE" in source.refusals[0].reason
