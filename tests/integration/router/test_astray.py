"""Names of routers that lead for a while to other routers, or to the one that calls: it looks again."""

from contextlib import AsyncExitStack

import pytest
from structlog.testing import capture_logs

from domains import BACKOFF
from eventually import eventually
from forebay.client.router import Dropped, OutboxSettings, Process, ProcessSettings
from forebay.router.links.neighbour import State
from forebay.router.links.settings import LinkSettings, LinksSettings
from forebay.router.links.window import RetrySettings
from forebay.router.settings import RouterSettings
from forebay.router.statuses import links_of
from forebay.runtime import BackoffSettings
from forwarder import forwarder
from ports import free_port
from routers import Router
from threads import Inbox

# None is given up while another link takes over, however busy the machine is.
RETRY = RetrySettings(attempts=20, interval=0.5)
NOWHERE = "127.0.0.1:1"
LOOKS = 4
"""How many of them have to change nothing where nothing is to change."""
QUICK = ProcessSettings(
    farewell=5.0, backoff=BackoffSettings(0.05, 0.2), outbox=OutboxSettings(repeat=0.5, longest_repeat=1.0)
)


class Place:
    """Routers `0`, `1`... of domain east, that call each other by names that tests have lead elsewhere."""

    def __init__(self, stack):
        self.stack = stack
        self.ports = {}
        self.routers = {}
        self.ways = {}
        """By the router that calls, and the router that is meant."""

    def address(self, name):
        return f"127.0.0.1:{self.ports[name]}"

    def lead(self, **ways):
        """`_0_1="2"`: whoever is called as 1 by 0 is 2 from now on."""
        for way, name in ways.items():
            _, caller, called = way.split("_")
            self.ways[caller, called].target = self.address(name) if name else ""

    async def way(self, caller, called):
        self.ways[caller, called] = await self.stack.enter_async_context(forwarder(self.address(called)))

    async def make(self, *names):
        """Ways between all routers; they begin with `start`."""
        self.ports = {name: free_port() for name in names}
        for caller in names:
            for called in names:
                await self.way(caller, called)

    def settings(self, name, **settings):
        peers = [way.address for (caller, _), way in self.ways.items() if caller == name]
        return LinksSettings(**{"peers": peers, "retry": RETRY, "backoff": BACKOFF} | settings)

    async def start(self, *, domains=None, **links):
        for name, port in self.ports.items():
            domain = (domains or {}).get(name, "east")
            router = self.routers[name] = Router(
                RouterSettings(router=name, domain=domain, grace=0.0),
                self.settings(name, **links.get(f"_{name}", {})),
                port,
            )
            await router.start()
            self.stack.push_async_callback(router.stop)

    def node(self, name):
        return self.routers[name].node

    def linking(self, caller, called):
        address = self.ways[caller, called].address
        return next(each for each in self.node(caller).linkings if address in each.settings.addresses)

    def linked(self, one, other):
        """The other router, where both know each other as linked."""
        known = [
            self.node(a).neighbours.find(self.node(b).switch.settings.domain, b)
            for a, b in ((other, one), (one, other))
        ]
        return known[1] if all(each and each.state is State.UP for each in known) else None

    async def looked(self, *ways):
        """Wait until so many looks were taken."""
        before = {way: self.ways[way].connections for way in ways}
        await eventually(lambda: all(self.ways[way].connections >= before[way] + LOOKS for way in ways))

    async def thread(self, router, name):
        """A thread of that name, with an inbox."""
        inbox = Inbox()
        process = await self.stack.enter_async_context(
            Process.connect(self.address(router), f"of-{name}", settings=QUICK)
        )
        return await process.thread(name, inbox, on_event=inbox.on_event), inbox


@pytest.fixture
async def place():
    async with AsyncExitStack() as stack:
        yield Place(stack)


class Talk:
    """Messages from a thread to another, each of which has to come once, and in its order."""

    def __init__(self, alice, told, inbox):
        self.alice, self.told, self.inbox, self.sent = alice, told, inbox, 0

    async def go_on(self, count=200):
        for _ in range(count):
            self.alice.send("bob", "m", str(self.sent).encode())
            self.sent += 1
            await self.alice.drain()

    async def end(self):
        await self.alice._process.flush()
        await self.inbox.got(self.sent)
        assert self.inbox.bodies == [str(number).encode() for number in range(self.sent)]
        assert self.told.told_of(Dropped) == []


async def talk(place, one, other):
    _, inbox = await place.thread(other, "bob")
    alice, told = await place.thread(one, "alice")
    await eventually(lambda: "bob" in place.node(one).switch.registry.entries)
    return Talk(alice, told, inbox)


async def test_a_name_that_led_to_the_router_itself_is_looked_up_again(place):
    await place.make("0", "1")
    place.lead(_0_1="0", _1_0="1")
    with capture_logs() as logs:
        await place.start()
        linkings = [linking for name in "01" for linking in place.node(name).linkings]
        await eventually(lambda: all(linking.itself for linking in linkings))
        await place.looked(("0", "1"), ("1", "0"))
    assert [linking.problem for linking in linkings] == [""] * 4
    assert [links_of(place.node(name)) for name in "01"] == [[], []]
    assert [place.node(name).problems() for name in "01"] == [[], []]
    assert [entry for entry in logs if "link" in entry["event"]] == []
    place.lead(_0_1="1")
    await eventually(lambda: place.linked("0", "1"))
    await (conversation := await talk(place, "0", "1")).go_on()
    await conversation.end()


async def test_a_name_that_led_to_another_router_is_looked_up_again(place):
    await place.make("0", "1", "2")
    place.lead(_0_1="2", _1_0="2")
    await place.start()
    await eventually(lambda: place.linked("0", "2") and place.linked("1", "2"))
    await eventually(lambda: place.linking("0", "1").up and place.linking("1", "0").up)
    conversation = await talk(place, "0", "2")
    links = [place.linked(name, "2").link for name in "01"]
    await conversation.go_on()
    await place.looked(("0", "1"), ("1", "0"))
    await conversation.go_on()
    assert [place.linked(name, "2").link for name in "01"] == links
    assert place.linked("0", "1") is None
    place.lead(_0_1="1", _1_0="0")
    await eventually(lambda: place.linked("0", "1"))
    await eventually(lambda: place.linked("0", "2") and place.linked("1", "2"))
    await conversation.go_on()
    await conversation.end()


async def test_when_the_link_that_has_gone_astray_carries_messages_another_takes_them_over(place):
    await place.make("0", "1", "2")
    # Between 0 and 2 there is no other way than the one that should lead to 1.
    place.lead(_0_1="2", _0_2="0", _2_0="2", _1_0="1")
    await place.start()
    astray = place.linking("0", "1")
    other = await eventually(lambda: place.linked("0", "2"))
    assert astray.neighbour is other
    conversation = await talk(place, "0", "2")
    await conversation.go_on()
    place.lead(_0_1="1", _0_2="2")
    for _ in range(10):
        await conversation.go_on(50)
    await eventually(lambda: place.linked("0", "1") and astray.neighbour.router == "1")
    await conversation.go_on()
    await eventually(lambda: place.linked("0", "2") is other and place.linking("0", "2").neighbour is other)
    await conversation.end()


async def test_two_names_of_one_router_are_no_trouble(place):
    await place.make("0", "1")
    await place.start()
    other = await eventually(lambda: place.linked("0", "1"))
    await eventually(lambda: place.linking("0", "1").up and place.linking("1", "0").up)
    conversation = await talk(place, "0", "1")
    link = other.link
    place.lead(_0_0="1")
    await eventually(lambda: place.linking("0", "0").neighbour is other)
    await place.looked(("0", "0"), ("0", "1"))
    await conversation.go_on()
    assert place.linked("0", "1").link == link
    assert place.node("0").problems() == []
    await conversation.end()


async def test_a_name_of_which_another_router_has_the_address_by_now_is_a_problem_when_it_leads_nowhere(place):
    await place.make("0", "1", "2")
    place.lead(_1_0="2")
    place.ways["0", "1"].target = NOWHERE
    await place.start()
    astray = place.linking("0", "1")
    await eventually(lambda: place.linking("0", "2").up and astray.failed)
    place.lead(_0_1="2")
    await eventually(lambda: astray.up and not place.node("0").problems())
    # It came later: else it may carry what the two routers tell each other, and would be left alone.
    assert not astray.carries
    place.ways["0", "1"].target = NOWHERE
    [(name, problem)] = await eventually(lambda: place.node("0").problems())
    assert name == astray.settings.name
    assert problem
    assert place.linked("0", "2")


async def test_a_link_to_a_domain_whose_name_led_to_another_is_made_in_the_end(place):
    await place.make("0", "1", "2")
    place.lead(_0_1="2")
    to_west = LinkSettings("to-west", [place.ways["0", "1"].address], domain="west")
    none = {"peers": []}
    await place.start(domains={"1": "west", "2": "north"}, _0={"peers": [], "links": [to_west]}, _1=none, _2=none)
    await eventually(lambda: "its router is of domain north" in place.linking("0", "1").problem)
    place.lead(_0_1="1")
    await eventually(lambda: place.linked("0", "1"))
    assert place.linking("0", "1").problem == ""


async def test_a_link_that_is_tried_for_the_first_time_is_told_by_nobody(place):
    await place.make("0", "1")
    place.lead(_0_1="", _1_0="1")
    await place.start()
    await eventually(lambda: place.ways["0", "1"].connections)
    assert place.node("0").problems() == []
    assert links_of(place.node("0")) == []


# Links that are removed.


async def test_a_router_that_another_link_leads_to_is_kept_when_a_link_is_removed(place):
    await place.make("0", "1")
    place.lead(_0_0="1", _1_0="1")
    await place.start()
    node = place.node("0")
    await eventually(lambda: all(place.linking("0", called).up for called in "01"))
    conversation = await talk(place, "0", "1")
    await conversation.go_on()
    other = place.linked("0", "1")
    carrier = next(each for each in node.linkings if each._stream)
    left = [address for address in node.neighbours.settings.peers if address not in carrier.settings.addresses]
    await conversation.go_on()
    await node.configure(node.switch.settings, place.settings("0", peers=left))
    assert [linking.neighbour for linking in node.linkings] == [other]
    await conversation.go_on()
    await conversation.end()
    assert place.linked("0", "1") is other


async def test_a_router_that_has_called_is_kept_when_the_link_to_it_is_removed(place):
    await place.make("0", "1")
    place.lead(_0_1="0")
    await place.start()
    node = place.node("0")
    other = await eventually(lambda: place.linked("0", "1"))
    place.lead(_0_1="1")
    await eventually(lambda: place.linking("0", "1").neighbour is other)
    conversation = await talk(place, "0", "1")
    await conversation.go_on()
    link = other.link
    await node.configure(node.switch.settings, place.settings("0", peers=[]))
    await conversation.go_on()
    await conversation.end()
    assert place.linked("0", "1") is other
    assert other.link == link


async def test_a_link_under_another_name_takes_over_what_waits(place):
    await place.make("0", "1")
    links = [LinkSettings(name, [place.ways["0", "1"].address], domain="west") for name in ("old", "new")]
    none = {"peers": []}
    await place.start(domains={"1": "west"}, _0={"peers": [], "links": links[:1]}, _1=none)
    other = await eventually(lambda: place.linked("0", "1"))
    node = place.node("0")
    await node.configure(node.switch.settings, place.settings("0", peers=[], links=links[1:]))
    assert node.neighbours.find("west", "1") is other
    await eventually(lambda: place.linked("0", "1"))
    assert place.linked("0", "1") is other


async def test_a_router_that_no_link_leads_to_any_more_is_given_up_at_once(place):
    await place.make("0", "1")
    to_west = LinkSettings("to-west", [place.ways["0", "1"].address], domain="west")
    none = {"peers": []}
    await place.start(domains={"1": "west"}, _0={"peers": [], "links": [to_west]}, _1=none)
    await eventually(lambda: place.linked("0", "1"))
    node = place.node("0")
    await node.configure(node.switch.settings, place.settings("0", peers=[]))
    assert list(node.neighbours) == []
