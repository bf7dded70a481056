"""The one subscriber of a unicast resource."""

import pytest

from forebay.conduit.core.declarations.places import SAME_MOMENT
from forebay.conduit.core.wire.declarations import (
    ForgetSubscriber,
    ResourceDeclaration,
    Result,
    ResultStatus,
    SubscriberDeclaration,
)
from forebay.conduit.core.wire.extras import NO_EXTRAS, unicast_property
from simnet import SimNet, Weather

from .programs import Program, meet

UNICAST = ResourceDeclaration(5, "/a", (unicast_property(),))


@pytest.fixture
def place(site):
    """A site with three peers of which nobody subscribes yet."""
    for index in range(3):
        site.meet(index)
    site.hear(0, UNICAST)
    return site


def told(site):
    return [each for each in site.take() if isinstance(each[1], Result)]


def reached(site):
    return site.register.subscribers(5)


def test_of_those_that_were_there_the_lowest_keeps_the_place(place):
    for index in (2, 1):
        place.hear(index, SubscriberDeclaration(5))
    place.take()
    place.events()
    place.publish(5)
    place.settle()
    assert reached(place) == {1}
    assert told(place) == [(2, Result(255, ResultStatus.OTHER, 5))]
    (event,) = [each for each in place.events() if each.reason]
    assert (event.peer_id, event.rid) == (b"p2", 5)
    assert b"p1".hex() in event.reason


def test_a_definition_that_comes_last_settles_it_too(site):
    for index in range(2):
        site.meet(index)
        site.hear(index, SubscriberDeclaration(5))
    site.publish(5)
    assert reached(site) == {0, 1}
    site.hear(0, UNICAST)
    assert reached(site) == {0}
    assert told(site) == [(1, Result(255, ResultStatus.OTHER, 5))]


@pytest.mark.parametrize("pause", [0.0, 2 * SAME_MOMENT], ids=["same moment", "later"])
def test_the_first_one_keeps_the_place_but_at_the_same_moment_the_lowest(place, pause):
    place.publish(5)
    place.settle(5.0)
    place.hear(2, SubscriberDeclaration(5))
    place.take()
    place.settle(pause)
    place.hear(1, SubscriberDeclaration(5))
    winner, loser = (1, 2) if not pause else (2, 1)
    assert reached(place) == {winner}
    assert told(place) == [(loser, Result(255, ResultStatus.OTHER, 5))]


def test_who_knows_no_extras_is_told_nothing_and_gets_the_place_when_it_is_free(place):
    place.announcer.agreed = NO_EXTRAS
    for index in (2, 1):
        place.hear(index, SubscriberDeclaration(5))
    place.publish(5)
    place.settle()
    assert told(place) == []
    assert reached(place) == {1}
    place.hear(1, ForgetSubscriber(5))
    assert reached(place) == {2}
    place.leave(2)
    assert reached(place) == set()


def test_a_pattern_is_passed_over_for_that_resource_alone(place):
    place.hear(0, ResourceDeclaration(6, "/b"))
    place.publish(5)
    place.publish(6)
    place.hear(1, SubscriberDeclaration(5))
    place.hear(0, ResourceDeclaration(9, "/*"))
    place.hear(2, SubscriberDeclaration(9))
    for book in place.register.books.values():
        book.caught_up = True
    place.register.directory.changed()
    assert reached(place) == {1}
    assert place.register.subscribers(6) == {2}
    place.hear(1, ForgetSubscriber(5))
    assert reached(place) == {2}


def test_after_the_last_publisher_the_place_is_open(place):
    settings = place.publish(5)
    place.hear(1, SubscriberDeclaration(5))
    place.register.unpublish(settings, place.now)
    assert place.register.directory.places == {}


@pytest.mark.parametrize("loss", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_publishers_choose_the_same_subscriber(loss, order):
    net = SimNet(61, Weather(loss, delay=(0.0002, 0.02)))
    nodes = [Program(net, name, lease=60.0) for name in ("one", "two", "src-a", "src-b")]
    meet(net, *nodes)
    sinks, sources = nodes[:2], nodes[2:]
    for each in sources:
        each.define("/a", rid=5, unicast=True)
    net.run(3.0)
    publishers = [each.publish(5) for each in sources]
    for place in order:
        sinks[place].subscribe(5)
    net.run(5.0)
    for source, publisher in zip(sources, publishers, strict=True):
        source.write(publisher, source.sim.peer_id)
    net.run(3.0)
    lowest, other = sorted(sinks, key=lambda each: each.sim.peer_id)
    assert sorted(lowest.received["/a"]) == sorted(each.sim.peer_id for each in sources)
    assert other.deliveries == []
    assert other.refusals
    assert lowest.refusals == []
    assert all(source.refusals for source in sources)


def test_who_is_refused_may_ask_again_once_the_place_is_free():
    net = SimNet(62)
    source, one, two = (Program(net, name, lease=60.0) for name in ("source", "one", "two"))
    meet(net, source, one, two)
    source.define("/a", unicast=True)
    net.run(1.0)
    subscribers = [each.subscribe("/a") for each in (one, two)]
    net.run(1.0)
    publisher = source.publish("/a")
    net.run(1.0)
    assert len(two.refusals) == 1
    assert [each.rid for each in one.participant.known() if each.kind.value == "subscriber" and each.peer_id] == []
    one.call("forget_subscriber", subscribers[0])
    net.run(1.0)
    assert not source.reaches(publisher)
    two.call("forget_subscriber", subscribers[1])
    two.subscribe("/a")
    net.run(1.0)
    source.write(publisher, b"1")
    net.run(1.0)
    assert two.received == {"/a": [b"1"]}


def test_a_result_about_nothing_is_passed_over(place):
    place.events()
    place.hear(0, Result(255, ResultStatus.OTHER, 77))
    assert place.events() == []


@pytest.mark.parametrize("status", [ResultStatus.OTHER, ResultStatus.NO_SPACE])
def test_who_is_refused_withdraws_where_the_place_is_taken(place, status):
    place.subscribe(5)
    place.settle()
    commit = next(each[2] for each in place.take() if isinstance(each[1], SubscriberDeclaration))
    place.events()
    place.hear(0, Result(commit.commit_id, status, 5))
    (event,) = place.events()
    assert ("unicast" in event.reason) == (status is ResultStatus.OTHER)
    forgotten = [each for each in place.take() if isinstance(each[1], ForgetSubscriber)]
    assert forgotten == ([(index, ForgetSubscriber(5)) for index in range(3)] if "unicast" in event.reason else [])
