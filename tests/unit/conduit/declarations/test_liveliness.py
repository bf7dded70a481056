"""What is alive, as peers know it: whatever the network does, and however sessions end and begin."""

import pytest

from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationKind
from forebay.conduit.core.wire.extras import Extra, Extras
from simnet import SimNet, Weather

from .programs import Program, meet

LOSSES = [pytest.param(loss, id=f"{loss:.0%}") for loss in (0.0, 0.1, 0.3)]
TOLD = {DeclarationChange.DECLARED: "+", DeclarationChange.FORGOTTEN: "-"}


@pytest.fixture(params=LOSSES)
def net(request):
    return SimNet(71, Weather(request.param, duplication=0.05, delay=(0.0002, 0.004)))


def pair(net, **options):
    found = [Program(net, name, lease=8.0, **options) for name in ("source", "sink")]
    meet(net, *found)
    return found


def alive(program):
    """URIs of what peers say is alive."""
    known = program.participant.known()
    return sorted(each.uri for each in known if each.kind is DeclarationKind.LIVELINESS and each.peer_id)


def told(program):
    """What the owner was told, in order."""
    events = program.sim.listener.declarations
    return [
        TOLD[event.change] + event.uri for event in events if event.kind is DeclarationKind.LIVELINESS and event.peer_id
    ]


def test_a_token_is_told_once_and_its_end_too(net):
    source, sink = pair(net)
    token = source.call("declare_token", "/here")
    net.run_until(lambda: alive(sink) == ["/here"])
    source.call("forget_token", token)
    net.run_until(lambda: alive(sink) == [])
    net.run(10.0)
    assert told(sink) == ["+/here", "-/here"]


def test_it_ends_with_the_lease_of_its_node(net):
    source, sink = pair(net)
    source.call("declare_token", "/here")
    net.run_until(lambda: alive(sink) == ["/here"])
    net.kill("source")
    assert 1.0 < net.run_until(lambda: alive(sink) == []) < 8.1
    assert told(sink) == ["+/here", "-/here"]


def test_a_node_that_restarts_inside_its_lease_has_its_new_tokens_alone(net):
    source, sink = pair(net)
    source.call("declare_token", "/old")
    source.call("declare_token", "/both")
    net.run_until(lambda: alive(sink) == ["/both", "/old"])
    source = Program(net, "source", lease=8.0)
    source.call("declare_token", "/both")
    source.call("declare_token", "/new")
    net.run_until(lambda: alive(sink) == ["/both", "/new"])
    assert sorted(told(sink)[:4]) == ["+/both", "+/old", "-/both", "-/old"]
    assert sorted(told(sink)[4:]) == ["+/both", "+/new"]


@pytest.mark.parametrize("loser", ["source", "sink"])
def test_after_a_session_was_lost_they_are_told_again(net, loser):
    source, sink = pair(net)
    source.call("declare_token", "/here")
    net.run_until(lambda: alive(sink) == ["/here"])
    ends = net.nodes[loser].node
    ends.close_session("test", address="sink" if loser == "source" else "source")
    net.pump(net.nodes[loser])
    net.run_until(lambda: told(sink) == ["+/here", "-/here", "+/here"])
    net.run(10.0)
    assert alive(sink) == ["/here"]


def test_after_a_partition_longer_than_the_lease_they_are_back(net):
    source, sink = pair(net)
    source.call("declare_token", "/here")
    net.run_until(lambda: alive(sink) == ["/here"])
    net.part(["source"], ["sink"])
    net.run_until(lambda: alive(sink) == [])
    net.heal()
    net.run_until(lambda: alive(sink) == ["/here"])
    assert told(sink) == ["+/here", "-/here", "+/here"]


def test_a_late_joiner_knows_them(net):
    source, _ = pair(net)
    source.call("declare_token", "/here")
    late = Program(net, "late", lease=8.0)
    net.run_until(lambda: alive(late) == ["/here"])


def test_who_has_not_agreed_on_them_is_told_of_none(net):
    source = Program(net, "source", lease=8.0)
    sink = Program(net, "sink", lease=8.0, offers=Extras(Extra.QUERIES))
    meet(net, source, sink)
    source.call("declare_token", "/here")
    net.run(10.0)
    assert alive(sink) == []
    assert set(sink.sim.listener.changes) == {"connected"}
