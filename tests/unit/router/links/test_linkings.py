"""Which links are in doubt, and whom the end of a link leaves without any."""

import pytest

from fakeclock import FakeClock, settle
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.linking import Linking
from forebay.router.links.linkings import Linkings
from forebay.router.links.neighbour import State
from forebay.router.links.settings import LinkSettings, LinksSettings
from forebay.runtime import BackoffSettings, Supervisor
from unit.router.links.test_neighbours import Router

LONGEST = 1.6


class World:
    """The links of router r0 of domain x; none calls, tests say where they lead."""

    def __init__(self, monkeypatch):
        self.clock = FakeClock()
        self.router = Router("r0", "x", self.clock)
        self.neighbours = self.router.neighbours
        self.neighbours.settings = LinksSettings(backoff=BackoffSettings(0.1, LONGEST))
        self.tasks = Supervisor(self.clock)
        self.linkings = Linkings(self.neighbours, self.clock, self.tasks)
        self.astray: list[str] = []
        """Which would be found so."""
        self.looked: list[str] = []
        self.again: list[str] = []
        monkeypatch.setattr(Linking, "run", idle)
        monkeypatch.setattr(Linking, "is_astray", lambda linking: self.look(linking))
        monkeypatch.setattr(Linking, "call_again", lambda linking: self.call_again(linking))

    async def look(self, linking):
        self.looked.append(linking.settings.name)
        return linking.settings.name in self.astray

    def call_again(self, linking):
        self.again.append(linking.settings.name)
        linking.neighbour, linking.itself = None, False

    def known(self, router, domain="x"):
        """A router that is linked."""
        return self.neighbours.open(pb.LinkHello(router=router, domain=domain, link=1), None)

    async def make(self, *names, peer=True, **settings):
        wanted = [LinkSettings(name, [f"{name}:1"], peer=peer, **settings) for name in names]
        await self.linkings.configure(wanted, None)
        return list(self.linkings)


async def idle(linking):
    """Call nobody."""


@pytest.fixture
async def world(monkeypatch):
    world = World(monkeypatch)
    yield world
    await world.linkings.close()
    await world.tasks.close()


async def looking(world, seconds=0.21):
    world.tasks.spawn("looks", world.linkings.look)
    await world.clock.run(seconds)


async def test_a_link_that_leads_to_the_router_itself_is_looked_at_again_and_again(world):
    itself, other = await world.make("a", "b")
    itself.itself = True
    other.neighbour = world.known("r1")
    await looking(world, 60.0)
    # At once, then less and less often.
    assert 60 / (LONGEST + 0.2) < len(world.looked) < 60 / LONGEST * 2
    assert {*world.looked} == {"a"}
    assert world.again == []
    world.looked, world.astray = [], ["a"]
    await world.clock.run(60.0)
    assert (world.looked, world.again) == (["a"], ["a"])


async def test_of_two_links_to_one_router_the_second_is_in_no_doubt_when_the_first_has_gone_elsewhere(world):
    one, two, other = await world.make("a", "b", "c")
    one.neighbour = two.neighbour = world.known("r1")
    other.neighbour = world.known("r2")
    world.astray = ["a"]
    await looking(world)
    assert (world.looked, world.again) == (["a"], ["a"])


async def test_a_link_that_carries_nothing_goes_first(world):
    one, two = await world.make("a", "b")
    one.neighbour = two.neighbour = world.known("r1")
    one._stream = object()
    world.astray = ["a", "b"]
    await looking(world)
    assert (world.looked, world.again) == (["b"], ["b"])
    one._stream = None


async def test_two_links_to_one_router_are_both_looked_at_and_left_where_they_are_right(world):
    one, two = await world.make("a", "b")
    one.neighbour = two.neighbour = world.known("r1")
    await looking(world)
    assert (world.looked, world.again) == (["a", "b"], [])


async def test_links_to_another_domain_may_lead_to_one_router(world):
    one, two = await world.make("a", "b", peer=False)
    one.neighbour = two.neighbour = world.known("r1", "y")
    await looking(world)
    assert world.looked == []


async def test_a_link_that_is_removed_while_it_looks_does_not_call_again(world, monkeypatch):
    [itself] = await world.make("a")
    itself.itself = True

    async def removed(linking):
        await world.linkings.configure([], None)
        return True

    monkeypatch.setattr(Linking, "is_astray", removed)
    await looking(world)
    assert world.again == []


@pytest.mark.parametrize(
    ("state", "other", "left", "kept"),
    [
        pytest.param(State.SUSPECT, None, [], False, id="nobody wants it"),
        pytest.param(State.UP, None, [], True, id="it has called"),
        pytest.param(State.SUSPECT, "r1", ["b"], True, id="another link leads to it"),
        pytest.param(State.SUSPECT, "r2", ["b"], False, id="another link leads to another"),
        pytest.param(State.SUSPECT, "r1", [], False, id="another link is removed with it"),
    ],
)
async def test_who_is_given_up_when_a_link_is_removed(world, state, other, left, kept):
    one, two = await world.make("a", "b")
    one.neighbour = neighbour = world.known("r1")
    if other:
        two.neighbour = neighbour if other == "r1" else world.known(other)
    neighbour.state = state
    await world.make(*left)
    assert (world.neighbours.find("x", "r1") is neighbour) is kept


@pytest.mark.parametrize(
    ("name", "addresses"),
    [
        pytest.param("a", ["a:1", "b:1"], id="by other addresses too"),
        pytest.param("a", ["c:1"], id="by another address"),
        pytest.param("c", ["a:1"], id="under another name"),
    ],
)
async def test_a_link_that_is_made_anew_keeps_what_waits(world, name, addresses):
    [one] = await world.make("a")
    one.neighbour = neighbour = world.known("r1")
    neighbour.state = State.SUSPECT
    await world.linkings.configure([LinkSettings(name, addresses, peer=True)], None)
    assert list(world.linkings) != [one]
    assert world.neighbours.find("x", "r1") is neighbour


NOBODY, RIGHT, LINKED, UNLINKED = "nobody", "right", "linked", "unlinked"


@pytest.mark.parametrize(
    ("link", "found", "astray"),
    [
        pytest.param("itself", NOBODY, False, id="itself or away: quiet"),
        pytest.param("itself", LINKED, True, id="itself, now linked"),
        pytest.param("itself", UNLINKED, True, id="itself, now to be linked"),
        pytest.param("carrying", NOBODY, False, id="carrying: a look in vain ends nothing"),
        pytest.param("carrying", RIGHT, False, id="carrying, right"),
        pytest.param("carrying", LINKED, False, id="carrying: another that is linked already"),
        pytest.param("carrying", UNLINKED, True, id="carrying: another to be linked"),
        pytest.param("content", NOBODY, True, id="content, but nobody there: a problem"),
        pytest.param("content", RIGHT, False, id="content, right"),
        pytest.param("content", LINKED, True, id="content: another that is linked already"),
        pytest.param("content", UNLINKED, True, id="content: another to be linked"),
    ],
)
async def test_when_a_link_has_gone_astray(monkeypatch, link, found, astray):
    world = World(monkeypatch)
    linking = Linking(world.neighbours, LinkSettings("a", ["a:1"], peer=True), world.clock)
    monkeypatch.undo()
    answers = {
        NOBODY: None,
        **{
            name: pb.LinkHello(router=router, domain="x", link=1)
            for name, router in ((RIGHT, "r1"), (LINKED, "r2"), (UNLINKED, "r3"))
        },
    }
    right = world.known("r1")
    world.known("r2")
    linking.itself = link == "itself"
    linking.neighbour = None if linking.itself else right
    linking._stream = object() if link == "carrying" else None

    async def look():
        return answers[found]

    linking._look = look
    assert await linking.is_astray() is astray
    await linking.close()


async def test_a_router_that_has_begun_anew_is_not_linked_yet(monkeypatch):
    world = World(monkeypatch)
    [linking] = await world.make("a")
    world.known("r1")
    assert linking._known(pb.LinkHello(router="r1", domain="x")) is not None
    assert linking._known(pb.LinkHello(router="r1", domain="x", incarnation=7)) is None
    await settle()
    await world.linkings.close()
    await world.tasks.close()
