"""Nodes that have defined the same ids as different resources before they met: each knows what the other one means."""

import pytest

from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationKind
from forebay.conduit.core.wire.declarations import SubscriptionMode
from forebay.conduit.core.wire.extras import NO_EXTRAS
from simnet import SimNet, Weather

from .programs import Program, meet

LOSSES = [pytest.param(loss, id=f"{loss:.0%}") for loss in (0.0, 0.1, 0.3)]
RID = 77


@pytest.fixture(params=LOSSES)
def net(request):
    return SimNet(81, Weather(request.param, duplication=0.05, delay=(0.0002, 0.004)))


def apart(net, *names, **options):
    """Programs that do not see each other yet."""
    for name in names:
        net.part([name], [other for other in names if other != name])
    return [Program(net, name, lease=20.0, **options) for name in names]


def together(net, *programs):
    net.heal()
    meet(net, *programs)


def test_samples_find_their_subscribers_in_both_directions(net):
    one, other = apart(net, "one", "other")
    one.define("/one", rid=RID)
    other.define("/other", rid=RID)
    publishers = one.publish(RID), other.publish(RID)
    one.subscribe("/other")
    one.subscribe(RID)
    other.subscribe("/one")
    other.subscribe(RID)
    together(net, one, other)
    net.run_until(lambda: one.reaches(publishers[0]) and other.reaches(publishers[1]))
    one.write(publishers[0], b"of one")
    other.write(publishers[1], b"of other")
    net.run(5.0)
    expected = {"/one": [b"of one"], "/other": [b"of other"]}
    assert one.received == other.received == expected
    assert "disconnected" not in one.sim.listener.changes + other.sim.listener.changes
    (conflict,) = {event.uri for event in one.conflicts}
    assert (conflict, one.conflicts[0].first.uri, one.conflicts[0].rid) == ("/other", "/one", RID)


def test_many_resources_whose_ids_were_chosen_alone(net):
    """As of two halves of a fleet that were started before they saw each other: some ids are the same by chance."""
    one, other = apart(net, "one", "other")
    uris = [f"/{half}/{number}" for half in ("one", "other") for number in range(300)]
    publishers = {}
    for place, uri in enumerate(uris):
        mine, theirs = (one, other) if place < 300 else (other, one)
        publishers[uri] = mine, mine.publish(uri)
        theirs.subscribe(uri)
    ids = [{definition.rid for definition in each.register.own.definitions.values()} for each in (one, other)]
    assert ids[0] & ids[1]
    together(net, one, other)
    net.run_until(lambda: all(source.reaches(publisher) for source, publisher in publishers.values()))
    for uri, (source, publisher) in publishers.items():
        source.write(publisher, uri.encode())
    net.run_until(lambda: len(one.received) + len(other.received) == 600)
    net.run(2.0)
    assert one.received | other.received == {uri: [uri.encode()] for uri in uris}


def test_a_third_node_understands_both(net):
    one, other, third = apart(net, "one", "other", "third")
    one.define("/one", rid=RID)
    other.define("/other", rid=RID)
    third.subscribe("/*")
    publishers = one.publish(RID), other.publish(RID)
    together(net, one, other, third)
    net.run_until(lambda: one.reaches(publishers[0]) and other.reaches(publishers[1]))
    one.write(publishers[0], b"of one")
    other.write(publishers[1], b"of other")
    net.run_until(lambda: third.received == {"/one": [b"of one"], "/other": [b"of other"]})


def test_kept_and_pulled_samples_come_by_such_ids_too(net):
    one, other = apart(net, "one", "other")
    one.define("/one", rid=RID)
    other.define("/wanted/*", rid=RID)
    publisher = one.publish("/wanted/a", history=2)
    one.write(publisher, b"1", b"2", b"3")
    late = other.subscribe(RID, history=2)
    puller = other.subscribe("/wanted/?", mode=SubscriptionMode.PULL)
    together(net, one, other)
    net.run_until(lambda: one.reaches(publisher))
    net.run(3.0)
    assert other.received == {"/wanted/a": [b"2", b"3"]}
    one.write(publisher, b"4")
    net.run(3.0)
    other.call("pull", puller)
    net.run(3.0)
    assert late != puller
    assert other.received == {"/wanted/a": [b"2", b"3", b"4", b"4"]}


def test_what_one_node_forgets_the_other_keeps(net):
    one, other = apart(net, "one", "other")
    one.define("/one", rid=RID)
    definition = other.define("/other", rid=RID)
    together(net, one, other)
    other.call("forget_resource", definition.number)
    gone = lambda: [  # noqa: E731
        event.uri for event in one.events(DeclarationChange.FORGOTTEN) if event.kind is DeclarationKind.RESOURCE
    ]
    net.run_until(lambda: gone() == ["/other"])
    assert one.knows("/one") == [RID]
    assert [(each.kind, each.uri) for each in one.participant.known()] == [(DeclarationKind.RESOURCE, "/one")]


def test_it_all_goes_with_the_peer(net):
    one, other = apart(net, "one", "other")
    one.define("/one", rid=RID)
    other.define("/other", rid=RID)
    publisher = one.publish("/other")
    other.subscribe(RID)
    together(net, one, other)
    net.run_until(lambda: one.reaches(publisher))
    net.kill("other")
    net.run_until(lambda: not one.sim.peers)
    assert not one.reaches(publisher)
    index = one.register.directory._remote
    assert (index._selected, index._by_rid) == ({}, {})


def test_a_zhe_program_parts():
    net = SimNet(82)
    one, plain = apart(net, "one", "plain", offers=NO_EXTRAS)
    one.define("/one", rid=RID)
    plain.define("/plain", rid=RID)
    net.heal()
    net.run(10.0)
    assert "disconnected" in one.sim.listener.changes
    assert one.conflicts
