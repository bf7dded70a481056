import pytest

from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationKind
from forebay.conduit.core.declarations.inventory import Known
from forebay.conduit.core.declarations.quality import Told
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.errors import (
    InvalidUriError,
    NotAgreedError,
    SettingError,
    UnknownDeclarationError,
    UnknownPublisherError,
)
from forebay.conduit.core.wire.declarations import Period, ResultStatus, SubscriptionMode
from forebay.conduit.core.wire.extras import NO_EXTRAS
from simnet import SimNet, Weather, numbered

from .programs import Program, meet

LOSSES = [pytest.param(loss, id=f"{loss:.0%}") for loss in (0.0, 0.1, 0.3)]


@pytest.fixture
def net():
    return SimNet(3)


@pytest.fixture
def pair(net):
    source, sink = Program(net, "source", lease=20.0), Program(net, "sink", lease=20.0)
    meet(net, source, sink)
    return source, sink


@pytest.mark.parametrize("pattern", ["/plant/oven-1/temp", "/plant/*/temp", "/plant/**", "**/temp"])
def test_samples_find_subscribers_by_uri(net, pair, pattern):
    source, sink = pair
    sink.subscribe(pattern)
    publisher = source.publish("/plant/oven-1/temp")
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"1", b"2")
    net.run(0.1)
    assert sink.received == {"/plant/oven-1/temp": [b"1", b"2"]}


def test_samples_that_match_nothing_go_nowhere(net, pair):
    source, sink = pair
    sink.subscribe("/plant/*/temp")
    publisher = source.publish("/plant/oven-1/speed")
    net.run(1.0)
    source.write(publisher, b"1")
    net.run(0.1)
    assert not source.reaches(publisher)
    assert sink.deliveries == []


def test_samples_are_written_by_uri(net, pair):
    source, sink = pair
    sink.subscribe("/plant/*/temp")
    net.run(1.0)
    for uri in ("/plant/oven-1/temp", "/plant/oven-1/speed"):
        write = source.participant.write_uri(uri, [b"1", b"2"], net.now)
        source.participant.write_uri(uri, [b"3"], net.now, reliable=False)
        assert (write.written, write.pending) == (2, 0)
    net.pump(source.sim)
    net.run(0.1)
    assert sink.received == {"/plant/oven-1/temp": [b"1", b"2", b"3"]}
    with pytest.raises(InvalidUriError):
        source.participant.write_uri("plant", [b"1"], net.now)


def test_what_is_written_before_the_resource_is_settled_waits(net, pair):
    source, sink = pair
    sink.subscribe("/a")
    net.run(1.0)
    source.node.declarations.own.undefine(source.define("/other").number)
    publisher = source.publish("/b")
    write = source.write(publisher, b"1")
    assert write.pending == 1
    net.run(0.5)
    assert write.written == 1
    assert sink.deliveries == []


def test_a_selection_is_subscribed_to(net, pair):
    source, sink = pair
    sid = sink.call("declare_selection", "/plant/**")
    sink.subscribe(sid)
    publisher = source.publish("/plant/temp")
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"1")
    net.run(0.1)
    assert sink.received == {"/plant/temp": [b"1"]}


def test_a_selection_is_published_to(net, pair):
    source, sink = pair
    sink.subscribe("/plant/temp")
    sid = source.call("declare_selection", "/plant/**")
    publisher = source.publish(sid)
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"1")
    net.run(0.1)
    assert sink.received == {"/plant/**": [b"1"]}


def test_a_binding_stands_for_what_the_other_id_does(net, pair):
    source, sink = pair
    sid = sink.call("declare_selection", "/plant/**")
    bound = sink.call("declare_binding", sid)
    sink.subscribe(bound)
    publisher = source.publish("/plant/temp")
    net.run_until(lambda: source.reaches(publisher))
    sink.call("forget_selection", sid)
    net.run(0.5)
    source.write(publisher, b"1")
    net.run(0.1)
    assert sink.received == {"/plant/temp": [b"1"]}
    with pytest.raises(UnknownDeclarationError):
        sink.call("declare_binding", -9)


def test_an_id_for_all_nodes_is_used_by_others(net, pair):
    source, sink = pair
    sid = source.call("declare_selection", "/plant/**", globally=True)
    net.run(0.5)
    sink.subscribe(sid)
    publisher = source.publish("/plant/temp")
    net.run_until(lambda: source.reaches(publisher))
    source.call("forget_selection", sid)
    net.run(0.5)
    assert sink.register.directory.names.uri(sid, {}) == ""


def test_pulled_samples_come_when_they_are_asked_for(net, pair):
    source, sink = pair
    subscriber = sink.subscribe("/a/*", mode=SubscriptionMode.PULL)
    publisher = source.publish("/a/b")
    net.run(1.0)
    source.write(publisher, *numbered(5))
    net.run(1.0)
    assert sink.deliveries == []
    sink.call("pull", subscriber, limit=2)
    net.run(0.5)
    assert sink.received == {"/a/b": numbered(2)}
    sink.call("pull", subscriber)
    net.run(0.5)
    assert sink.received == {"/a/b": numbered(5)}


def test_of_what_is_not_pulled_the_latest_is_kept(net, pair):
    source, sink = pair
    subscriber = sink.subscribe("/a", mode=SubscriptionMode.PULL)
    publisher = source.publish("/a")
    net.run(1.0)
    source.write(publisher, *numbered(100))
    sink.call("pull", subscriber)
    net.run(0.5)
    assert sink.received["/a"] == numbered(64, first=36)


def test_push_and_pull(net, pair):
    source, sink = pair
    subscriber = sink.subscribe("/a", mode=SubscriptionMode.PUSH_AND_PULL)
    publisher = source.publish("/a")
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"1")
    net.run(0.5)
    assert sink.received["/a"] == [b"1"]
    sink.call("pull", subscriber)
    net.run(0.5)
    assert sink.received["/a"] == [b"1", b"1"]


def test_periodic_push(net, pair):
    source, sink = pair
    sink.subscribe("/a", mode=SubscriptionMode.PERIODIC_PUSH, period=Period(1000, 2000, 100))
    publisher = source.publish("/a")
    net.run(0.5)
    source.write(publisher, b"1")
    net.run(0.3)
    assert sink.deliveries == []
    net.run(0.5)
    assert sink.received["/a"] == [b"1"]
    source.write(publisher, b"2")
    net.run(1.0)
    assert sink.received["/a"] == [b"1"]
    net.run(1.0)
    assert sink.received["/a"] == [b"1", b"2"]


def test_periodic_pull(net, pair):
    source, sink = pair
    subscriber = sink.subscribe("/a", mode=SubscriptionMode.PERIODIC_PULL, period=Period(1000, 2000, 100))
    publisher = source.publish("/a")
    net.run(0.5)
    source.write(publisher, b"1")
    sink.call("pull", subscriber)
    net.run(0.3)
    assert sink.deliveries == []
    net.run(0.5)
    assert sink.received["/a"] == [b"1"]


def test_others_that_push_do_not_disturb_who_pulls(net, pair):
    source, sink = pair
    third = Program(net, "third", lease=20.0)
    meet(net, source, sink, third)
    sink.subscribe("/a", mode=SubscriptionMode.PULL)
    third.subscribe("/a")
    publisher = source.publish("/a")
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"1")
    net.run(0.5)
    assert third.received["/a"] == [b"1"]
    assert sink.deliveries == []


def test_one_resource_has_one_mode(net, pair):
    _, sink = pair
    sink.subscribe(7)
    with pytest.raises(SettingError, match="mode is PULL"):
        sink.subscribe(7, mode=SubscriptionMode.PULL)


def test_another_mode_is_told_where_it_cannot_be_raised(net, pair):
    _, sink = pair
    sink.subscribe("/a")
    # The resource is not settled yet, so its subscribers have to wait.
    sink.subscribe("/a", mode=SubscriptionMode.PULL)
    net.run(1.0)
    [refusal] = sink.refusals
    assert (refusal.kind, refusal.uri) == (DeclarationKind.SUBSCRIBER, "/a")
    assert "mode is PULL" in refusal.reason


def test_who_knows_no_extras_is_asked_for_nothing():
    net = SimNet(3)
    source, sink = (Program(net, name, offers=NO_EXTRAS) for name in "ab")
    meet(net, source, sink)
    subscriber = sink.subscribe("/a", mode=SubscriptionMode.PULL)
    sink.call("declare_selection", "/a/*")
    net.run(1.0)
    with pytest.raises(NotAgreedError):
        sink.call("pull", subscriber)
    with pytest.raises(NotAgreedError):
        sink.call("query", "/a", b"", on_reply=print)
    assert [known.kind for known in source.participant.known()] == [DeclarationKind.RESOURCE]


def test_a_query_gets_all_answers(net, pair):
    source, sink = pair
    source.participant.declare_queryable("/a/*", lambda asked: [(asked.uri, b"got " + asked.payload)])
    number = source.participant.declare_queryable("/a/b", lambda asked: [("/a/b", b"1"), ("/a/b", b"2")])
    answers = []
    sink.call("query", "/a/b", b"what", on_reply=answers.append)
    net.run(0.5)
    assert {answer.payload for answer in answers[:-1]} == {b"got what", b"1", b"2"}
    assert answers[-1].final
    assert answers[-1].unanswered == ()
    source.participant.forget_queryable(number)
    answers.clear()
    sink.call("query", "/a/**", b"what", on_reply=answers.append)
    net.run(0.5)
    assert [answer.payload for answer in answers] == [b"got what", b""]
    with pytest.raises(UnknownDeclarationError):
        source.participant.forget_queryable(number)


def test_an_answer_may_come_later(net, pair):
    source, sink = pair
    asked, answers = [], []
    source.participant.declare_queryable("/a", asked.append)
    sink.call("query", "/a", b"", on_reply=answers.append)
    net.run(0.5)
    assert answers == []
    source.call("answer_later", asked[0], [("/a", b"late")])
    net.run(0.5)
    assert [(answer.payload, answer.final) for answer in answers] == [(b"late", False), (b"", True)]


def test_a_query_ends_at_its_deadline_and_with_its_peers(net, pair):
    source, sink = pair
    source.participant.declare_queryable("/a", lambda _: None)
    answers = []
    sink.call("query", "/a", b"", on_reply=answers.append, deadline=2.0)
    net.run(1.9)
    assert answers == []
    net.run(0.2)
    assert [answer.unanswered for answer in answers] == [(source.sim.peer_id,)]
    sink.call("query", "/a", b"", on_reply=answers.append, deadline=200.0)
    net.run(0.5)
    net.kill("source")
    net.run(21.0)
    assert [answer.unanswered for answer in answers] == [(source.sim.peer_id,)] * 2


def test_a_query_without_peers_ends_at_once(net):
    alone = Program(net, "alone")
    answers = []
    alone.call("query", "/a", b"", on_reply=answers.append)
    assert [answer.final for answer in answers] == [True]


def test_all_is_forgotten(net, pair):
    source, sink = pair
    subscriber, publisher = sink.subscribe("/a/*"), source.publish("/a/b")
    definition = source.define("/c", rid=9)
    sid = source.call("declare_selection", "/s/*")
    net.run_until(lambda: source.reaches(publisher))
    net.run(0.5)
    assert {(each.kind, each.uri) for each in sink.participant.known() if each.peer_id} == {
        (DeclarationKind.RESOURCE, "/a/b"),
        (DeclarationKind.RESOURCE, "/c"),
        (DeclarationKind.PUBLISHER, "/a/b"),
        (DeclarationKind.SELECTION, "/s/*"),
    }
    sink.call("forget_subscriber", subscriber)
    source.call("forget_publisher", publisher)
    source.call("forget_resource", definition.number)
    source.call("forget_selection", sid)
    net.run(0.5)
    for program in (source, sink):
        assert program.participant.known() == []
        assert len(program.register.directory.names.resources) == 0
        assert len(program.register.teller.chronicle) == 0
    assert len(sink.events(DeclarationChange.FORGOTTEN)) == len(sink.events(DeclarationChange.DECLARED))
    for name, number, error in (
        ("forget_subscriber", subscriber, UnknownDeclarationError),
        ("forget_publisher", publisher, UnknownPublisherError),
        ("forget_resource", definition.number, UnknownDeclarationError),
        ("forget_selection", sid, UnknownDeclarationError),
    ):
        with pytest.raises(error):
            source.call(name, number)


def test_tokens_live_as_long_as_their_session(net, pair):
    source, sink = pair
    token = source.call("declare_token", "/alive/1")
    source.call("declare_token", "/alive/2")
    net.run(0.5)
    assert {each.uri for each in sink.participant.known() if each.kind is DeclarationKind.LIVELINESS} == {
        "/alive/1",
        "/alive/2",
    }
    source.call("forget_token", token)
    net.run(0.5)
    assert [event.uri for event in sink.events(DeclarationChange.FORGOTTEN)] == ["/alive/1"]
    with pytest.raises(UnknownDeclarationError):
        source.call("forget_token", token)
    net.kill("source")
    net.run(21.0)
    assert [event.uri for event in sink.events(DeclarationChange.FORGOTTEN)] == ["/alive/1", "/alive/2"]


def test_known_tells_own_ones_first(net, pair):
    source, _ = pair
    source.subscribe(5, mode=SubscriptionMode.PULL)
    assert source.participant.known() == [Known(b"", DeclarationKind.SUBSCRIBER, 5, "", SubscriptionMode.PULL)]


def test_a_resource_lives_as_long_as_one_stands_on_it(net, pair):
    source, sink = pair
    first, second = source.publish("/a"), source.publish("/a")
    net.run(0.5)
    source.call("forget_publisher", first)
    net.run(0.5)
    assert sink.knows("/a")
    source.call("forget_publisher", second)
    net.run(0.5)
    assert not sink.knows("/a")


def test_quality_comes_from_the_definition(net, pair):
    source, sink = pair
    sink.define("/a", told=Told(reliable=False))
    net.run(0.5)
    publisher = source.publish("/a")
    assert not source.node.publisher(publisher).settings.reliable
    assert source.conflicts == []


def test_who_uses_a_resource_first_keeps_its_quality(net, pair):
    source, sink = pair
    source.publish(5)
    definition = sink.define("/a", rid=5, told=Told(reliable=False))
    net.run(0.5)
    assert definition.status is ResultStatus.CONFLICT
    (event,) = source.conflicts
    assert (event.first.told, event.second.told) == (Told(reliable=True), Told(reliable=False))
    assert not source.knows("/a")


def test_an_own_use_contradicts_too(net, pair):
    _, sink = pair
    sink.publish(5)
    assert sink.define("/a", rid=5, told=Told(reliable=False)).status is ResultStatus.CONFLICT
    assert len(sink.conflicts) == 1


def test_late_joiners_get_the_history_first_then_what_is_fresh(net):
    source = Program(net, "source", lease=20.0)
    first = [source.define(f"/first/{number}", rid=number + 1) for number in range(300)]
    late = Program(net, "late", lease=20.0)
    net.run_until(lambda: late.register.books)
    source.define("/fresh", rid=1000)
    source.call("forget_resource", first[299].number)
    net.run_until(lambda: late.knows("/fresh"))
    net.run(1.0)
    declared = [event.uri for event in late.events(DeclarationChange.DECLARED)]
    assert [uri for uri in declared if uri != "/fresh"][:299] == [f"/first/{number}" for number in range(299)]
    assert not late.knows("/first/299")


@pytest.mark.parametrize("loss", LOSSES)
def test_switching_keeps_order_and_once_only(loss):
    net = SimNet(21, Weather(loss, duplication=0.05, delay=(0.0002, 0.004)))
    source, one, two = (Program(net, name, lease=60.0) for name in ("source", "one", "two"))
    meet(net, source, one, two)
    one.subscribe("/a")
    publisher = source.publish("/a", switching=True)
    net.run_until(lambda: len(source.reaches(publisher)) == 1)
    samples, number = numbered(900), None
    for place in range(0, 900, 3):
        if place == 300:
            number = two.subscribe("/a")
        if place == 600:
            two.call("forget_subscriber", number)
        source.write(publisher, *samples[place : place + 3])
        net.run(0.01)
    net.run_until(lambda: len(one.received["/a"]) >= 900)
    net.run(1.0)
    assert one.received["/a"] == samples
    other = two.received["/a"]
    assert other
    assert other == samples[samples.index(other[0]) :][: len(other)]
    assert source.node.publisher(publisher).way.outlet.conduit.peer is not None


def test_while_one_subscribes_the_others_are_left_alone(net):
    source, one, two = (Program(net, name, lease=20.0) for name in ("source", "one", "two"))
    meet(net, source, one, two)
    one.subscribe("/a")
    publisher = source.publish("/a", switching=True)
    net.run_until(lambda: source.reaches(publisher))
    before = source.node.transmission.outlet(0).conduit.window.next
    source.write(publisher, *numbered(10))
    net.run(0.5)
    assert one.received["/a"] == numbered(10)
    assert source.node.transmission.outlet(0).conduit.window.next == before


def test_a_unicast_resource_has_one_subscriber(net):
    source, one, two = (Program(net, name, lease=20.0) for name in ("source", "one", "two"))
    meet(net, source, one, two)
    source.define("/a", unicast=True)
    publisher = source.publish("/a")
    net.run(0.5)
    one.subscribe("/a")
    net.run(0.5)
    two.subscribe("/a")
    two.subscribe("/*")
    net.run(0.5)
    before = source.node.transmission.outlet(0).conduit.window.next
    source.write(publisher, b"1")
    net.run(0.5)
    assert one.received["/a"] == [b"1"]
    assert two.deliveries == []
    assert source.node.transmission.outlet(0).conduit.window.next == before
    assert len(two.refusals) == 1
    assert "unicast" in two.refusals[0].reason
    assert len(source.refusals) == 2
    assert one.sim.peer_id.hex() in source.refusals[0].reason


def test_what_waits_for_its_way_is_dropped_with_its_publisher(net, pair):
    source, _ = pair
    publisher = source.publish("/b", congestion=Congestion.DROP)
    write, done = source.write(publisher, b"1"), []
    write.done = done.append
    source.call("forget_publisher", publisher)
    assert (write.dropped, done) == (1, [write])
    net.run(0.5)
    assert not source.knows("/b")


def test_with_a_resource_that_is_refused_its_publisher_goes(net):
    source = Program(net, "source", lease=20.0)
    sink = Program(net, "sink", lease=20.0, declarations=DeclarationSettings(most_declarations=1))
    meet(net, source, sink)
    source.define("/a")
    net.run(0.5)
    publisher = source.publish("/b")
    write = source.write(publisher, b"1")
    subscriber = source.subscribe("/b")
    net.run(0.5)
    assert write.dropped == 1
    assert "NO_SPACE" in source.refusals[0].reason
    with pytest.raises(UnknownPublisherError):
        source.write(publisher, b"2")
    source.call("forget_subscriber", subscriber)
    assert [each.uri for each in source.participant.known() if not each.peer_id] == ["/a"]


def test_what_waits_for_its_way_expires(net, pair):
    source, _ = pair
    net.part(["source"], ["sink"])
    publisher = source.publish("/b", deadline=0.5)
    write = source.write(publisher, b"1", b"2")
    net.run(0.4)
    assert write.pending == 2
    net.run(0.2)
    assert write.expired == 2
