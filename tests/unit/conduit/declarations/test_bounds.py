"""What peers and programs do again and again leaves nothing behind that grows."""

import pytest

from forebay.conduit.core.conduits.outlet import MOST_BLOCKED
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.declarations.resources import OWN
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.errors import InvalidUriError, SampleTooLargeError, WindowFullError
from forebay.conduit.core.loopback import MOST_SAMPLES
from forebay.conduit.core.wire.declarations import (
    Commit,
    ResourceDeclaration,
    ResultStatus,
    SelectionDeclaration,
    SubscriptionMode,
)
from forebay.conduit.core.wire.extras import Extra, Extras
from forebay.conduit.core.wire.messages import Data, WriteData
from forebay.conduit.core.wire.ownmessages import Query
from simnet import SimNet, numbered

from .programs import ALL_AGREED, Program, meet


@pytest.fixture
def net():
    return SimNet(61)


def programs(net, *names, **options):
    found = [Program(net, name, lease=20.0, **options) for name in names]
    meet(net, *found)
    return found


def write_uri(source, uri, *samples):
    source.participant.write_uri(uri, samples, source.net.now)
    source.net.pump(source.sim)


def test_ids_of_uris_that_were_written_by_name_are_forgotten(net):
    limits = DeclarationSettings(most_named=20, kept_samples=5)
    source, sink = programs(net, "source", "sink", declarations=limits)
    subscriber = sink.subscribe("/a/**", mode=SubscriptionMode.PULL)
    net.run(0.5)
    for number in range(300):
        write_uri(source, f"/a/{number}", b"%d" % number)
        net.run(0.05)
    assert len(source.register.own.definitions) <= 21
    assert len(sink.register.books[0].resources) <= 21
    sink.call("pull", subscriber)
    net.run(0.5)
    assert sink.received == {f"/a/{number}": [b"%d" % number] for number in range(295, 300)}


def test_ids_that_samples_are_kept_of_stay_however_many_they_are(net):
    limits = DeclarationSettings(most_named=10, kept_samples=50)
    source, sink = programs(net, "source", "sink", declarations=limits)
    subscriber = sink.subscribe("/a/**", mode=SubscriptionMode.PULL)
    net.run(0.5)
    for number in range(50):
        write_uri(source, f"/a/{number}", b"%d" % number)
        net.run(0.05)
    sink.call("pull", subscriber)
    net.run(0.5)
    assert sink.received == {f"/a/{number}": [b"%d" % number] for number in range(50)}


def test_a_uri_that_is_written_again_and_again_is_defined_once(net):
    limits = DeclarationSettings(most_named=4, kept_samples=1)
    source, sink = programs(net, "source", "sink", declarations=limits)
    sink.subscribe("/a/**", mode=SubscriptionMode.PULL)
    net.run(0.5)
    rids = set()
    for number in range(40):
        write_uri(source, "/a/again", b"x")
        net.run(0.05)
        rids |= set(source.knows("/a/again"))
        write_uri(source, f"/a/{number}", b"x")
        net.run(0.05)
    assert len(rids) == 1


def test_uris_that_wait_for_their_ids_are_bounded(net):
    limits = DeclarationSettings(most_named=10)
    source, sink = programs(net, "source", "sink", declarations=limits)
    sink.subscribe("/a/**", mode=SubscriptionMode.PULL)
    net.run(0.5)
    net.part(["source"], ["sink"])
    for number in range(100):
        write_uri(source, f"/a/{number}", b"x")
    assert len(source.register.own.definitions) == 10


def test_samples_that_are_kept_for_a_subscriber_are_bounded_by_their_octets(net):
    limits = DeclarationSettings(kept_octets=1000)
    source, sink = programs(net, "source", "sink", declarations=limits)
    subscriber = sink.subscribe("/a", mode=SubscriptionMode.PULL)
    publisher = source.publish("/a")
    net.run(0.5)
    samples = [bytes((number,)) * 300 for number in range(9)]
    source.write(publisher, *samples)
    sink.call("pull", subscriber)
    net.run(0.5)
    assert sink.received["/a"] == samples[-3:]


def test_writes_by_uri_that_wait_are_bounded(net):
    source, sink = programs(net, "source", "sink", conduit=ConduitSettings(window_samples=2))
    sink.subscribe("/a")
    net.run(0.5)
    net.part(["source"], ["sink"])
    for _ in range(MOST_BLOCKED + 2):
        source.participant.write_uri("/a", [b"x"], net.now)
    with pytest.raises(WindowFullError):
        source.participant.write_uri("/a", [b"x"], net.now)


def test_unreliable_samples_for_own_subscribers_are_bounded(net):
    (alone,) = programs(net, "alone")
    alone.subscribe("/a")
    for _ in range(3):
        alone.participant.write_uri("/a", [b"x"] * MOST_SAMPLES, net.now, reliable=False)
    net.pump(alone.sim)
    assert len(alone.received["/a"]) == MOST_SAMPLES


def test_a_peer_that_asks_and_does_not_take_the_answers_loses_its_session(net):
    limits = DeclarationSettings(most_untold=50)
    source, sink = programs(net, "source", "sink", declarations=limits, conduit=ConduitSettings(window_samples=4))
    peer = next(iter(source.node.sessions.peers))
    for number in range(100):
        source.register.receive(peer, Query(2, False, 0, number, "/none", b""), net.now)
    source.node.housekeep(net.now)
    assert peer.reason == "it does not take what it is told"
    net.run(5.0)
    assert sink.sim.listener.changes == ["connected", "disconnected", "connected"]


def test_queries_of_a_peer_that_programs_put_off_are_bounded(make_site):
    site = make_site(most_queries=3)
    peer = site.meet(1)
    queries = site.register.queries
    from forebay.conduit.core.declarations.queries import Queryable

    queries.add(Queryable(0, "/a", lambda _: None))
    for number in range(5):
        site.register.receive(peer, Query(2, False, 0, number, "/a", b""), site.now)
    site.settle()
    told = [message for _, message in site.announcer.told]
    assert [(reply.query, reply.final, bool(reply.payload)) for reply in told] == [(3, True, True), (4, True, True)]


def test_a_peer_opens_only_what_the_node_has_asked_for(site):
    peer = site.meet(1)
    site.subscribe(7, history=3)
    for rid in range(1000):
        site.register.recipients(peer, Data(2, True, False, 0, rid, 0, b""))
    assert site.register.books[1].opened == {7}


@pytest.mark.parametrize("uri", ["/" + "x" * 5000, "not a uri", "/a//b"], ids=["long", "relative", "empty part"])
def test_no_look_up_of_a_uri_that_can_not_be_is_remembered(site, uri):
    peer = site.meet(1)
    recipients = site.register.recipients(peer, WriteData(0, True, False, 0, uri, b""))
    assert recipients.subscriptions == ()
    assert site.register.directory._recipients == {}


def test_look_ups_are_bounded(site, monkeypatch):
    monkeypatch.setattr("forebay.conduit.core.declarations.directory.MOST_REMEMBERED", 100)
    peer = site.meet(1)
    for number in range(1000):
        site.register.recipients(peer, WriteData(0, True, False, 0, f"/{number}", b""))
        site.register.recipients(peer, Data(0, True, False, 0, number, None, b""))
        site.register.directory.reach_uri(f"/{number}")
    assert len(site.register.directory._recipients) <= 100
    assert len(site.register.directory._reaches) <= 100


@pytest.mark.parametrize(
    "declaration",
    [
        pytest.param(ResourceDeclaration(5, "/" + "x" * 60_000), id="resource"),
        pytest.param(SelectionDeclaration(-5, "/" + "x" * 60_000, False), id="selection"),
    ],
)
def test_what_waits_for_a_commit_is_bounded_and_still_refused(site, declaration):
    site.meet(1)
    site.hear(1, declaration, committed=False)
    (pending,) = site.register.books[1].pending
    assert len(pending[1]) < 300
    site.hear(1, Commit(9), committed=False)
    ((_, result),) = site.take()
    assert result.status is ResultStatus.INVALID


def test_definitions_that_come_and_go_leave_nothing(site):
    from forebay.conduit.core.declarations.events import Meaning
    from forebay.conduit.core.declarations.quality import NOTHING

    site.meet(1)
    for number in range(1000):
        definition = site.register.own.define(None, Meaning(f"/{number}", NOTHING), site.now)
        site.register.own.undefine(definition.number)
    definer = site.register.definer
    assert len(definer._due) <= 200
    assert (len(definer._asking), len(definer._trying), len(definer._queued)) == (0, 0, 0)
    assert (site.register.own.definitions, site.register.own.waiting) == ({}, {})


def test_a_publisher_that_comes_and_goes_leaves_nothing(site):
    site.meet(1)
    for rid in range(1, 500):
        settings = site.publish(rid, history=3)
        site.register.unpublish(settings, site.now)
    own, places = site.register.own, site.register.places
    assert not own.published
    assert not places._opened
    assert not site.register.histories._histories
    assert len(site.register.teller.chronicle._order) <= 16


def test_peers_that_come_and_go_leave_nothing(net):
    source = Program(net, "source", lease=2.0)
    source.publish("/a", history=2)
    for turn in range(30):
        sink = Program(net, "sink", lease=2.0)
        sink.subscribe("/a", history=1)
        sink.subscribe("/a/*", mode=SubscriptionMode.PULL)
        sink.call("declare_token", f"/{turn}")
        net.run(1.5)
    net.kill("sink")
    net.run(5.0)
    node, register = source.node, source.register
    assert len(register.books) == len(node.sessions.peers) == 0
    assert len(node.reception._conduits) == len(node.reception._late) == 0
    assert len(node.transmission._unicast) == 0
    assert not register.teller._behind
    assert not register.teller._catching_up
    assert not register.histories._catching_up
    assert not register.keeper._waiting
    assert [use.owner for uses in register.directory.uses._told.values() for use in uses] == [OWN]
    assert [each.peer_id for each in source.participant.known()] == [b"", b""]
    assert len(node.transmission.outlet(0).conduit.cutter._takes) == 0


def test_a_query_or_an_answer_that_is_too_large_is_an_error_for_who_gives_it(net):
    source, sink = programs(net, "source", "sink")
    with pytest.raises(SampleTooLargeError, match="exceeds mtu"):
        sink.call("query", "/a", bytes(3000), on_reply=print)
    asked = []
    source.participant.declare_queryable("/a", asked.append)
    answers = []
    sink.call("query", "/a", b"", on_reply=answers.append)
    net.run(0.5)
    with pytest.raises(SampleTooLargeError, match="exceeds mtu"):
        source.call("answer_later", asked[0], [("/a", b"small"), ("/a", bytes(3000))])
    source.call("answer_later", asked[0], [("/a", b"small")])
    net.run(0.5)
    assert [answer.payload for answer in answers] == [b"small", b""]
    assert answers[-1].unanswered == ()


def test_an_answer_that_is_too_large_ends_the_query_as_unanswered(net):
    source, sink = programs(net, "source", "sink")
    source.participant.declare_queryable("/a", lambda _: [("/a", bytes(3000))])
    answers = []
    sink.call("query", "/a", b"", on_reply=answers.append)
    net.run(0.5)
    assert [(answer.final, answer.unanswered) for answer in answers] == [(True, (source.sim.peer_id,))]


def test_a_uri_is_declared_only_if_it_fits_into_a_datagram(net):
    source, sink = programs(net, "source", "sink", conduit=ConduitSettings(mtu=100))
    with pytest.raises(InvalidUriError, match="52"):
        source.publish("/" + "x" * 52)
    source.publish("/" + "x" * 51)
    net.run(1.0)
    assert sink.knows("/" + "x" * 51)


def test_kept_samples_that_are_too_large_for_a_peer_are_left_out_and_counted(net):
    offers = ALL_AGREED._replace(offered=Extra(31), largest_sample=1 << 20)
    source = Program(net, "source", lease=20.0, offers=offers)
    plain = Program(net, "plain", lease=20.0, offers=ALL_AGREED)
    publisher = source.publish("/a", history=5)
    source.write(publisher, b"one", b"two")
    source.register.histories._histories[source.node.publisher(publisher).settings.rid].keep([bytes(3000), b"three"])
    meet(net, source, plain)
    plain.subscribe("/a", history=5)
    net.run(1.0)
    assert plain.received["/a"] == [b"one", b"two", b"three"]
    assert source.node.untold == 1


def test_large_samples_are_kept_for_late_joiners_too(net):
    offers = Extras(Extra(31), 28, 1 << 20)
    source = Program(net, "source", lease=20.0, offers=offers)
    publisher = source.publish("/a", history=2)
    samples = [b"first", net.random.randbytes(50_000), b"small", net.random.randbytes(9000)]
    source.write(publisher, *samples)
    late = Program(net, "late", lease=20.0, offers=offers)
    meet(net, source, late)
    late.subscribe("/a", history=2)
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"fresh")
    net.run(2.0)
    assert late.received["/a"] == [*samples[-2:], b"fresh"]


def test_a_subscriber_of_a_selection_gets_the_last_samples_too(net):
    source, sink = programs(net, "source", "sink")
    publisher = source.publish("/a/b", history=2)
    net.run(0.5)
    source.write(publisher, *numbered(5))
    net.run(0.5)
    sink.subscribe(sink.call("declare_selection", "/a/*"), history=2)
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"fresh")
    net.run(1.0)
    assert sink.received["/a/b"] == [*numbered(2, first=3), b"fresh"]
