"""Routers that are linked in memory, under a fake clock."""

from itertools import count

import pytest

from fakeclock import FakeClock
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.neighbour import State
from forebay.router.links.neighbours import Neighbours
from forebay.router.links.settings import LinksSettings
from forebay.router.links.window import RetrySettings
from forebay.router.registry import Entry
from forebay.router.settings import OutletLimits, RouterSettings
from forebay.router.switch import Switch
from forebay.runtime import AlreadyExistsError, InvalidArgumentError
from unit.router.switches import attach, parcel, signal

INCARNATIONS = count(1)
NUMBERS = count(1)


class Router:
    """A switch with neighbours; threads that had to give up their names are noted."""

    def __init__(self, name, domain, clock):
        self.clock = clock
        self.evicted = []
        limits = OutletLimits(high=1000, low=500, response=20)
        self.switch = Switch(RouterSettings(router=name, domain=domain, grace=0.0, outlets=limits), clock)
        settings = LinksSettings(retry=RetrySettings(attempts=3, interval=1.0))
        self.neighbours = Neighbours(self.switch, settings, self, next(INCARNATIONS))

    def evict(self, entry, problem):
        self.switch.remove_thread(entry.name, entry.outlet)
        self.evicted.append((entry.name, bool(problem)))


class Link:
    """A stream between two routers; what goes over it can be lost."""

    def __init__(self, caller, called, cost=1):
        self.clock = caller.clock
        number = next(NUMBERS)
        self.there = called.neighbours.open(caller.neighbours.hello(number, cost), ())
        answer = called.neighbours.hello(number, cost)
        self.here = caller.neighbours.open(answer, None)
        self.ends = ((caller, self.here), (called, self.there))
        self.number = number

    def pump(self, lose=lambda told: False):
        """Carry what there is to tell, until nothing is left."""
        moved = True
        while moved:
            moved = False
            for sender, receiver in ((self.here, self.there), (self.there, self.here)):
                while (told := sender.take(self.clock.monotonic())) is not None:
                    moved = True
                    if not lose(told):
                        receiver.handle(pb.LinkRequest.FromString(told.SerializeToString()), self.clock.monotonic())

    def cut(self):
        for router, neighbour in self.ends:
            router.neighbours.lost(neighbour, self.number)


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def make(clock):
    return lambda name, domain: Router(name, domain, clock)


def settle(*links):
    for _ in range(4):
        for link in links:
            link.pump()


def test_routers_of_a_domain_know_all_its_threads(make):
    one, two = make("r1", "x"), make("r2", "x")
    here = attach(one.switch, "a")
    attach(two.switch, "b")
    link = Link(one, two)
    link.pump()
    assert sorted(one.switch.registry.entries) == sorted(two.switch.registry.entries) == ["a", "b"]
    assert two.switch.registry.entries["a"].router == "r1"
    attach(one.switch, "c")
    link.pump()
    assert "c" in two.switch.registry.entries
    one.switch.remove_thread("a", here)
    link.pump()
    assert sorted(two.switch.registry.entries) == ["b", "c"]


def test_a_thread_that_begins_and_ends_before_it_is_told_is_not_known(make):
    one, two = make("r1", "x"), make("r2", "x")
    link = Link(one, two)
    link.pump()
    here = attach(one.switch, "a")
    one.switch.remove_thread("a", here)
    one.switch.join("g", "a", here)
    one.switch.leave("g", "a", here)
    link.pump()
    assert not two.switch.registry.entries
    assert not list(two.switch.groups.ways("g"))


def test_groups_are_told_to_routers_of_the_domain(make):
    one, two = make("r1", "x"), make("r2", "x")
    here = attach(one.switch, "a", "b")
    one.switch.join("g", "a", here)
    link = Link(one, two)
    link.pump()
    assert list(two.switch.groups.ways("g")) == [link.there.outlet]
    one.switch.leave("g", "a", here)
    one.switch.join("h", "b", here)
    link.pump()
    assert not list(two.switch.groups.ways("g"))
    assert list(two.switch.groups.ways("h")) == [link.there.outlet]


def test_routers_of_other_domains_are_told_of_ways_alone(make):
    one, two = make("r1", "x"), make("r1", "y")
    attach(one.switch, "a")
    link = Link(one, two)
    link.pump()
    assert not two.switch.registry.entries
    assert list(one.switch.routes) == ["y"]
    assert list(two.switch.routes) == ["x"]


def test_ways_go_over_several_domains_and_routers_and_end_with_their_links(make):
    a, b1, b2, c = make("r", "a"), make("r1", "b"), make("r2", "b"), make("r", "c")
    links = [Link(a, b1), Link(b1, b2), Link(b2, c)]
    settle(*links)
    assert {domain: list(way.path) for domain, way in a.neighbours._best.items()} == {"b": ["b"], "c": ["b", "c"]}
    assert sorted(b1.switch.routes) == sorted(b2.switch.routes) == ["a", "c"]
    assert sorted(c.switch.routes) == ["a", "b"]
    links[2].cut()
    for _ in range(40):
        for router in (b2, c):
            router.clock.advance(0.1)
            router.neighbours.tick()
    settle(*links[:2])
    assert sorted(a.switch.routes) == ["b"]


def test_messages_signals_and_crashes_go_over_a_link(make):
    one, two = make("r1", "x"), make("r1", "y")
    attach(one.switch, "a")
    there = attach(two.switch, "b")
    link = Link(one, two)
    link.pump()
    for first in range(1, 6):
        one.switch.parcels([parcel("b@y", first=first)], None)
    one.switch.signals([signal(pb.SIGNAL_KIND_XOFF, recipient="b@y")])
    one.switch.obituary(pb.Obituary(id="1"), None)
    link.pump()
    parcels, signals, obituaries = [], [], []
    while freight := there.take():
        parcels += freight.parcels
        signals += freight.signals
        obituaries += freight.obituaries
    assert [(each.first, each.ttl) for each in parcels] == [(first, 2) for first in range(1, 6)]
    assert len(signals) == len(obituaries) == 1


def test_what_is_lost_on_the_way_is_repeated_and_comes_once(make):
    one, two = make("r1", "x"), make("r1", "y")
    there = attach(two.switch, "b")
    link = Link(one, two)
    link.pump()
    lost = iter([True, False, True, True, False, False, True])
    got = []
    for first in range(1, 20):
        one.switch.parcels([parcel("b@y", first=first)], None)
        link.pump(lose=lambda told: told.number and next(lost, False))
        one.clock.advance(1.0)
        one.neighbours.tick()
    link.pump()
    while freight := there.take():
        got += [each.first for each in freight.parcels]
    assert got == list(range(1, 20))


def test_what_cannot_be_carried_goes_another_way_when_its_link_is_given_up(make):
    one, two, three = make("r", "x"), make("r", "y"), make("r", "z")
    there = attach(three.switch, "b")
    direct, first, second = Link(one, three), Link(one, two, cost=5), Link(two, three)
    settle(direct, first, second)
    one.switch.parcels([parcel("b@z")], None)
    direct.cut()
    assert one.switch.routes["z"] is first.here.outlet
    for _ in range(40):
        one.clock.advance(0.1)
        one.neighbours.tick()
    settle(first, second)
    [passed] = there.take().parcels
    assert passed.ttl == 1


def test_a_lost_link_is_waited_for_and_then_what_waits_is_dropped(make):
    one, two = make("r1", "x"), make("r1", "y")
    here = attach(one.switch, "a")
    link = Link(one, two)
    link.pump()
    link.cut()
    assert link.here.state is State.SUSPECT
    one.switch.parcels([parcel("b@y")], here)
    one.clock.advance(2.9)
    one.neighbours.tick()
    assert here.take() is None
    one.clock.advance(0.2)
    one.neighbours.tick()
    [receipt] = here.take().receipts
    assert receipt.outcome == pb.OUTCOME_NO_NETWORK
    assert not list(one.neighbours)
    [alarm] = one.switch.alarms.raised()
    assert (alarm.name, alarm.origin) == ("skal-link-down", "r1@y")


def lost(router):
    """Time goes by after a link was cut."""
    router.clock.advance(3.1)
    router.neighbours.tick()
    return [alarm.name for alarm in router.switch.alarms.raised()]


def test_that_a_router_is_down_which_no_link_wants_alarms_nobody(make):
    one, two = make("r1", "x"), make("r2", "x")
    link = Link(one, two)
    link.cut()
    assert lost(one) == ["skal-link-down"]
    one.neighbours.dismiss(link.here)
    assert one.switch.alarms.raised() == [], "it was down before the link went"
    link = Link(one, two)
    one.neighbours.dismiss(link.here)
    link.cut()
    assert lost(one) == [], "the link went before"
    again = Link(one, two)
    one.neighbours.dismiss(again.here)
    Link(one, two).cut()
    assert lost(one) == ["skal-link-down"], "another link wants it"


def test_a_link_that_is_back_in_time_carries_what_waited(make):
    one, two = make("r1", "x"), make("r1", "y")
    there = attach(two.switch, "b")
    link = Link(one, two)
    link.pump()
    one.switch.parcels([parcel("b@y")], None)
    link.here.take(one.clock.monotonic())
    link.cut()
    one.switch.parcels([parcel("b@y", first=2)], None)
    Link(one, two).pump()
    got = []
    while freight := there.take():
        got += [each.first for each in freight.parcels]
    assert got == [1, 2]


def test_of_two_links_the_later_counts(make):
    one, two = make("r1", "x"), make("r1", "y")
    earlier = next(NUMBERS)
    ended = []
    first = Link(one, two)
    first.there.end = lambda: ended.append("first")
    second = Link(one, two)
    assert ended == ["first"]
    assert second.there is first.there
    with pytest.raises(AlreadyExistsError, match="a later link to r1@x is in use"):
        two.neighbours.open(one.neighbours.hello(earlier, 1), ())
    two.neighbours.lost(second.there, first.number)
    assert second.there.state is State.UP


def test_a_router_that_has_begun_anew_is_another(make):
    one, two = make("r1", "x"), make("r2", "x")
    attach(two.switch, "b")
    Link(one, two).pump()
    again = make("r2", "x")
    link = Link(one, again)
    link.pump()
    assert not one.switch.registry.entries
    assert len(list(one.neighbours)) == 1


def test_a_router_does_not_link_to_itself_nor_to_what_is_none(make):
    one, namesake = make("r1", "x"), make("r1", "x")
    with pytest.raises(AlreadyExistsError, match="r1@x is the name of two routers: rename one"):
        one.neighbours.open(namesake.neighbours.hello(1, 1), ())
    itself = one.neighbours.hello(1, 1)
    with pytest.raises(AlreadyExistsError, match="r1@x is this router itself"):
        one.neighbours.open(itself, ())
    with pytest.raises(InvalidArgumentError, match="no name of a domain"):
        one.neighbours.open(pb.LinkHello(router="r", domain="X"), ())


def test_the_older_of_two_threads_with_a_name_stays(make):
    one, two = make("r1", "x"), make("r2", "x")
    for router, since in ((one, 5), (two, 9)):
        outlet = router.switch.outlet("p")
        router.switch.outlets.add(outlet)
        router.switch.add_thread(Entry("b", since, outlet, "p", router.switch.settings.router, since))
    Link(one, two).pump()
    assert one.evicted == []
    assert two.evicted == [("b", True)]
    assert two.switch.registry.entries["b"].router == "r1"
    assert [alarm.name for alarm in one.switch.alarms.raised()] == ["skal-conflict-duplicate-thread"]


def test_a_thread_that_has_moved_is_given_up_without_a_word(make):
    one, two = make("r1", "x"), make("r2", "x")
    attach(one.switch, "b")
    link = Link(one, two)
    link.pump()
    attach(two.switch, "b")
    link.pump()
    assert one.evicted == [("b", False)]
    assert one.switch.registry.entries["b"].router == "r2"
    assert two.switch.registry.entries["b"].router == "r2"


def test_a_stream_without_signs_of_life_is_ended(make):
    one, two = make("r1", "x"), make("r1", "y")
    link = Link(one, two)
    link.pump()
    ended = []
    link.here.end = lambda: ended.append(1)
    for _ in range(5):
        one.clock.advance(1.0)
        one.neighbours.beat()
        two.neighbours.beat()
        link.pump()
    assert ended == []
    for _ in range(4):
        one.clock.advance(1.0)
        one.neighbours.beat()
    assert ended


def test_alarms_are_shared_within_a_domain_alone(make):
    one, two, other = make("r1", "x"), make("r2", "x"), make("r", "y")
    one.switch.alarms.raise_("n", "o", pb.SEVERITY_NOTICE, "")
    inside, outside = Link(one, two), Link(one, other)
    settle(inside, outside)
    two.switch.alarms.raise_("m", "o", pb.SEVERITY_NOTICE, "")
    settle(inside, outside)
    assert {alarm.name for alarm in one.switch.alarms.raised()} == {"n", "m"}
    assert {alarm.name for alarm in two.switch.alarms.raised()} == {"n", "m"}
    assert other.switch.alarms.raised() == []
    two.switch.alarms.clear("n", "o")
    settle(inside)
    assert [alarm.name for alarm in one.switch.alarms.raised()] == ["m"]


def test_a_router_that_has_given_us_up_and_is_there_again_is_understood(make):
    one, two = make("r1", "x"), make("r1", "y")
    there = attach(two.switch, "b")
    link = Link(one, two)
    for first in range(1, 6):
        one.switch.parcels([parcel("b@y", first=first)], None)
        link.pump()
    while there.take():
        pass
    link.cut()
    one.clock.advance(4.0)
    one.neighbours.tick()
    assert not list(one.neighbours)
    again = Link(one, two)
    again.pump()
    one.switch.parcels([parcel("b@y", first=6)], None)
    two.switch.parcels([parcel("z@x", sender="b@y")], None)
    again.pump()
    freight = there.take()
    assert [each.first for each in freight.parcels] == [6]
    assert [each.outcome for each in freight.receipts] == [pb.OUTCOME_NO_RECIPIENT]
