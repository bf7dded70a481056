"""Links that are lost, lossy, double or not allowed; routers that are lost."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from domains import site
from eventually import eventually
from forebay.client.channels import open_channel
from forebay.client.router import Dropped, OutboxSettings, Process, ProcessSettings
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.pb.router.v1.router_pb2_grpc import RouterServiceStub
from forebay.router.links.neighbour import State
from forebay.router.links.settings import DomainRule, LinksSettings
from forebay.runtime import BackoffSettings
from threads import Inbox

QUICK = ProcessSettings(
    farewell=5.0, backoff=BackoffSettings(0.05, 0.2), outbox=OutboxSettings(repeat=0.5, longest_repeat=1.0)
)
PAIR = ({"east": 1, "west": 1}, [("east-0", "west-0")])
RING = ({"east": 1, "mid": 1, "west": 1}, [("east-0", "mid-0"), ("mid-0", "west-0"), ("west-0", "east-0", 5)])


class Attached:
    """Processes by the name of their router, and a thread in each with an inbox."""

    def __init__(self, made, stack):
        self.site, self.stack = made, stack

    async def __call__(self, router, name, *, others=()):
        addresses = [self.site.address(each) for each in (router, *others)]
        process = await self.stack.enter_async_context(Process.connect(addresses, f"of-{name}", settings=QUICK))
        inbox = Inbox()
        return await process.thread(name, inbox, on_event=inbox.on_event), inbox


@pytest.fixture
async def stack():
    async with AsyncExitStack() as stack:
        yield stack


async def place(stack, domains, links=(), **settings):
    made = await stack.enter_async_context(site(domains, links, **settings))
    for router in made.routers.values():
        await made.reaches(router.settings.router, *(set(domains) - {router.settings.domain}))
    return made, Attached(made, stack)


def neighbour(made, router, other):
    return next((each for each in made[router].node.neighbours if each.router == other), None)


async def test_ttl_counts_the_routers_of_all_domains(stack):
    _, attach = await place(stack, {"east": 1, "mid": 1, "west": 1}, [("east-0", "mid-0"), ("mid-0", "west-0")])
    _, inbox = await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    alice.send("bob@west", "m", b"2", ttl=2)
    [event] = await told.told(Dropped)
    assert (event.name, event.extra) == (
        "skal-drop-ttl",
        "router west-0@west was one too many: send it with a higher ttl",
    )
    alice.send("bob@west", "m", b"3", ttl=3)
    await inbox.got(1)
    assert (inbox.bodies, inbox.messages[0].ttl) == ([b"3"], 0)


async def test_the_cheapest_way_is_taken_and_another_when_it_is_cut(stack):
    made, attach = await place(stack, *RING)
    _, inbox = await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    await eventually(lambda: [*routes(made, "east-0")["west"].path] == ["mid", "west"])
    alice.send("bob@west", "m", b"1")
    await inbox.got(1)
    await made["mid-0"].stop()
    await eventually(lambda: [*routes(made, "east-0")["west"].path] == ["west"])
    alice.send("bob@west", "m", b"2")
    await inbox.got(2)
    await made["mid-0"].start()
    await eventually(lambda: [*routes(made, "east-0")["west"].path] == ["mid", "west"])
    alice.send("bob@west", "m", b"3")
    await inbox.got(3)
    assert inbox.bodies == [b"1", b"2", b"3"]
    assert told.told_of(Dropped) == []


def routes(made, router):
    return {route.domain: route for route in made[router].node.neighbours.routes()}


async def test_while_the_way_changes_each_message_is_handled_once_and_in_order(stack):
    made, attach = await place(stack, *RING)
    _, inbox = await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    for number in range(1500):
        if number == 500:
            await made["mid-0"].stop()
        if number == 1000:
            await made["mid-0"].start()
        alice.send("bob@west", "m", str(number).encode())
        await alice.drain()
        if not number % 50:
            await asyncio.sleep(0.01)
    await alice._process.flush()
    await inbox.got(1500)
    assert inbox.bodies == [str(number).encode() for number in range(1500)]
    assert told.told_of(Dropped) == []


async def test_a_domain_at_the_end_that_restarts_is_known_again_with_its_threads(stack):
    made, attach = await place(stack, {"east": 1, "mid": 1, "west": 1}, [("east-0", "mid-0"), ("mid-0", "west-0")])
    _, inbox = await attach("west-0", "bob")
    alice, _ = await attach("east-0", "alice")
    await made["west-0"].stop()
    await made["west-0"].start()
    await made.knows("west-0", "bob")
    await made.reaches("east-0", "west")
    alice.send("bob@west", "m")
    await inbox.got(1)


async def test_when_a_link_is_back_soon_nothing_is_lost(stack):
    made, attach = await place(stack, *PAIR)
    _, inbox = await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    for number in range(600):
        if number % 200 == 100:
            other = neighbour(made, "east-0", "west-0")
            link = other.link
            other.end()
            alice.send("bob@west", "while it is away", b"x")
            await eventually(lambda other=other, link=link: other.state is State.UP and other.link > link)
        alice.send("bob@west", "m", str(number).encode())
        await alice.drain()
    await alice._process.flush()
    await inbox.got(603)
    assert [body for body in inbox.bodies if body != b"x"] == [str(number).encode() for number in range(600)]
    assert told.events == []


async def test_when_a_link_stays_away_what_waits_is_dropped_and_told(stack):
    made, attach = await place(stack, *PAIR)
    await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    await made["west-0"].stop()
    await eventually(lambda: neighbour(made, "east-0", "west-0").state is State.SUSPECT)
    alice.send("bob@west", "m")
    [event] = await told.told(Dropped)
    assert event.name == "skal-drop-no-network"
    [alarm] = made["east-0"].switch.alarms.raised()
    assert (alarm.name, alarm.origin) == ("skal-link-down", "west-0@west")
    alice.send("bob@west", "m")
    await told.told(Dropped, 2)
    await made["west-0"].start()
    await made.reaches("east-0", "west")
    assert made["east-0"].switch.alarms.raised() == []


async def test_when_acknowledgements_of_a_link_are_lost_messages_are_repeated_and_handled_once(stack):
    made, attach = await place(stack, *PAIR)
    _, inbox = await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    window, lost = neighbour(made, "east-0", "west-0").window, []
    acknowledge = window.acknowledge

    def lossy(received):
        if len(lost) < 3:
            lost.append(received)
        else:
            acknowledge(received)

    window.acknowledge = lossy
    for number in range(10):
        alice.send("bob@west", "m", bytes([number]))
    await inbox.got(10)
    await eventually(lambda: not window._frames)
    assert len(lost) == 3
    assert inbox.bodies == [bytes([number]) for number in range(10)]
    assert told.events == []


async def test_without_any_acknowledgement_the_network_counts_as_cut(stack):
    made, attach = await place(stack, *PAIR)
    await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    other = neighbour(made, "east-0", "west-0")
    other.window.acknowledge = lambda received: None
    other.window.send(pb.LinkRequest(), 0.0)
    await eventually(lambda: neighbour(made, "east-0", "west-0") is not other)
    await made.reaches("east-0", "west")
    alice.send("bob@west", "m")
    await alice._process.flush()
    assert told.events == []


async def test_two_routers_that_call_each_other_have_one_link(stack):
    made, _ = await place(stack, {"east": 1, "west": 1}, [("east-0", "west-0"), ("west-0", "east-0")])
    east, west = neighbour(made, "east-0", "west-0"), neighbour(made, "west-0", "east-0")
    linkings = [linking for router in made.routers.values() for linking in router.node.linkings]
    # Each has called, and knows that the other is reached.
    await eventually(lambda: all(linking.neighbour and not linking.problem for linking in linkings))
    await eventually(lambda: east.link == west.link and east.state is west.state is State.UP)
    link = east.link
    await asyncio.sleep(1.0)
    assert east.link == west.link == link


async def test_a_router_of_another_domain_cannot_speak_for_our_threads(stack):
    made, attach = await place(stack, *PAIR)
    _, inbox = await attach("west-0", "bob")
    carol, _ = await attach("west-0", "carol")
    parcel = pb.Parcel(sender="carol@west", recipient="bob@west", incarnation=1, first=1, count=1, ttl=4)
    neighbour(made, "east-0", "west-0").outlet.parcel(parcel)
    alice, _ = await attach("east-0", "alice")
    alice.send("bob@west", "m")
    await inbox.got(1)
    assert inbox.messages[0].sender == "alice@east"
    assert carol.address == "carol@west"


def test_only_routers_of_allowed_domains_are_let_in():
    settings = LinksSettings(access=[DomainRule("east", ["router.east"]), DomainRule("*", ["trusted-*"])])
    assert settings.admits(["router.east"], "east")
    assert not settings.admits(["router.east"], "west")
    assert settings.admits(["trusted-1"], "west")
    assert not settings.admits([], "east")
    assert LinksSettings().admits([], "east")


@pytest.mark.parametrize("link", [pytest.param(0, id="who asks"), pytest.param(1, id="who links")])
async def test_a_link_that_is_not_allowed_is_refused_and_tells_why(stack, link):
    made = await stack.enter_async_context(site({"east": 1, "west": 1}))
    made["west-0"].node.neighbours.settings = LinksSettings(access=[DomainRule("north", ["*"])])
    call = caller(made, stack)
    await call.write(pb.LinkRequest(hello=pb.LinkHello(router="east-0", domain="east", link=link)))
    with pytest.raises(Exception, match="may not link for domain east: add a rule"):
        await call.read()


def caller(made, stack):
    """A call to west-0, as another router makes it."""
    channel = open_channel(made.address("west-0"))
    stack.push_async_callback(channel.close)
    return RouterServiceStub(channel.get()).Link()


async def test_who_only_asks_who_is_there_is_not_linked_until_it_says_so(stack):
    made = await stack.enter_async_context(site({"west": 1}))
    call, hello = caller(made, stack), pb.LinkHello(router="east-0", domain="east")
    await call.write(pb.LinkRequest(hello=hello))
    told = (await call.read()).hello
    assert (told.router, told.domain, told.link) == ("west-0", "west", 0)
    assert neighbour(made, "west-0", "east-0") is None
    hello.link = 5
    await call.write(pb.LinkRequest(hello=hello))
    assert (await call.read()).hello.link == 5
    assert neighbour(made, "west-0", "east-0").state is State.UP
    call.cancel()


async def test_who_asks_who_is_there_and_wants_no_link_leaves_no_trace(stack):
    made = await stack.enter_async_context(site({"west": 1}))
    call = caller(made, stack)
    await call.write(pb.LinkRequest(hello=pb.LinkHello(router="east-0", domain="east")))
    await call.read()
    await call.done_writing()
    assert (await call.code()).name == "OK"
    assert neighbour(made, "west-0", "east-0") is None


# Several routers of one domain.


async def test_when_a_router_is_lost_its_threads_move_and_messages_are_handled_once(stack):
    made, attach = await place(stack, {"east": 3}, grace=2.0)
    _, inbox = await attach("east-1", "bob", others=["east-2"])
    alice, told = await attach("east-0", "alice")
    await made.knows("east-0", "bob")
    for number in range(1000):
        if number == 300:
            await made["east-1"].stop()
        alice.send("bob", "m", str(number).encode())
        await alice.drain()
    await eventually(lambda: "bob" in made["east-2"].switch.registry.entries)
    await alice._process.flush()
    dropped = told.told_of(Dropped)
    await inbox.got(1000 - len(dropped))
    assert len(set(inbox.bodies)) == len(inbox.bodies)
    assert sorted(inbox.bodies, key=int) == inbox.bodies
    alice.send("bob", "m", b"1000")
    await eventually(lambda: inbox.bodies[-1] == b"1000")
    await made["east-1"].start()


async def test_both_ends_of_a_lost_router_find_each_other_again(stack):
    made, attach = await place(stack, {"east": 2}, grace=2.0)
    _, inbox = await attach("east-1", "bob", others=["east-0"])
    alice, told = await attach("east-1", "alice", others=["east-0"])
    for number in range(1000):
        if number == 300:
            await made["east-1"].stop()
        alice.send("bob", "m", str(number).encode())
        await alice.drain()
    await alice._process.flush()
    await inbox.got(1000)
    assert inbox.bodies == [str(number).encode() for number in range(1000)]
    assert told.told_of(Dropped) == []
    await made["east-1"].start()


async def test_a_name_is_taken_in_the_whole_domain(stack):
    made, attach = await place(stack, {"east": 3})
    await attach("east-0", "bob")
    await made.knows("east-2", "bob")
    with pytest.raises(Exception, match="bob@east runs in process of-bob at router east-0"):
        await attach("east-2", "bob")
    for router in made.routers.values():
        await eventually(lambda router=router: [a.name for a in router.switch.alarms.raised()])
        assert [alarm.origin for alarm in router.switch.alarms.raised()] == ["bob@east"]


async def test_of_two_threads_that_took_a_name_while_their_routers_were_apart_the_older_stays(stack):
    made, attach = await place(stack, {"east": 2})
    await made["east-1"].stop()
    older, _ = await attach("east-0", "bob")
    made["east-1"].links = LinksSettings()
    made["east-0"].node.neighbours.tick()
    async with AsyncExitStack() as apart:
        await eventually(lambda: neighbour(made, "east-0", "east-1") is None)
        next(iter(made["east-0"].node.linkings))._clock = Held()
        await made["east-1"].start()
        younger = await apart.enter_async_context(Process.connect(made.address("east-1"), "of-younger", settings=QUICK))
        bob = await younger.thread("bob")
        carol = await younger.thread("carol")
        assert not older.ended.done()
        next(iter(made["east-0"].node.linkings))._clock.open.set()
        await asyncio.wait([bob.ended], timeout=30)
        assert bob.ended.done()
        assert not older.ended.done()
        assert not carol.ended.done()
        await made.knows("east-1", "bob")
        await made.knows("east-0", "carol")


class Held:
    """A clock that sleeps until it is told to go on."""

    def __init__(self):
        self.open = asyncio.Event()

    def monotonic(self):
        return asyncio.get_running_loop().time()

    def wall(self):
        return time.time()

    async def sleep(self, seconds):
        await self.open.wait()
        await asyncio.sleep(seconds)


async def test_threads_and_alarms_are_shown_by_every_router_of_a_domain(stack):
    made, attach = await place(stack, {"east": 2})
    bob, _ = await attach("east-0", "bob")
    await made.knows("east-1", "bob")
    channel = open_channel(made.address("east-1"))
    stack.push_async_callback(channel.close)
    stub = RouterServiceStub(channel.get())
    [thread] = (await stub.ListThreads(pb.ListThreadsRequest())).threads
    assert (thread.name, thread.router, thread.process) == ("bob@east", "east-0", "of-bob")
    bob.raise_alarm("low-water")
    await eventually(lambda: listed(stub))
    await stub.ClearAlarm(pb.ClearAlarmRequest(name="low-water", origin="bob@east"))
    await eventually(lambda: not made["east-0"].switch.alarms.raised())


async def listed(stub):
    return list((await stub.ListAlarms(pb.ListAlarmsRequest())).alarms)


async def test_a_router_shows_its_links_and_ways(stack):
    made, _ = await place(stack, {"east": 1, "mid": 1, "west": 1}, [("east-0", "mid-0", 3), ("mid-0", "west-0")])
    channel = open_channel(made.address("east-0"))
    stack.push_async_callback(channel.close)
    stub = RouterServiceStub(channel.get())
    shown = await stub.GetRouter(pb.GetRouterRequest())
    [link] = shown.links
    assert (link.router, link.domain, link.up, link.problem) == ("mid-0", "mid", True, "")
    assert [(route.domain, list(route.path), route.cost) for route in shown.routes] == [
        ("mid", ["mid"], 3),
        ("west", ["mid", "west"], 4),
    ]
    await made["mid-0"].stop()
    await eventually(lambda: down(stub))
    await made["mid-0"].start()


async def down(stub):
    links = (await stub.GetRouter(pb.GetRouterRequest())).links
    return links and not links[0].up and "see whether the router runs" in links[0].problem


# Links over UDP.


@pytest.mark.parametrize("loss", [0.0, 0.07, 0.3])
async def test_over_udp_large_messages_arrive_once_and_in_order(stack, loss):
    made, attach = await place(stack, *PAIR, udp_loss=loss)
    _, inbox = await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    bodies = [bytes([number]) * 20_000 for number in range(30)]
    for body in bodies:
        alice.send("bob@west", "m", body)
        await alice.drain()
    await inbox.got(30)
    assert inbox.bodies == bodies
    assert told.told_of(Dropped) == []
    assert not made["west-0"].switch.dropped


async def test_when_udp_loses_everything_messages_are_tried_several_times_and_then_dropped_and_told(stack):
    made, attach = await place(stack, *PAIR, udp_loss=0.0)
    await attach("west-0", "bob")
    alice, told = await attach("east-0", "alice")
    lost = []
    for router in made.routers.values():
        router.node.udp.send = lambda address, datagrams: lost.extend(datagrams)
    alice.send("bob@west", "m")
    [event] = await told.told(Dropped)
    assert event.name == "skal-drop-no-network"
    assert len([each for each in lost if b"alice@east" in each.payload]) >= 3


async def test_a_router_that_does_not_answer_over_udp_is_told_of(stack):
    made = await stack.enter_async_context(site(*PAIR, udp_loss=1.0))
    [linking] = made["east-0"].node.linkings
    await eventually(lambda: "does not answer over UDP: see whether its router listens there" in linking.problem)


async def test_a_recorded_session_cannot_be_opened_again(stack):
    made, _ = await place(stack, *PAIR, udp_loss=0.0)
    west = made["west-0"].node.udp
    [session] = west._sessions.values()
    recorded = []
    handle = session.handle
    session.handle = lambda datagram, now: (recorded.append(datagram), handle(datagram, now))
    await eventually(lambda: len(recorded) > 2)
    session.close()
    for datagram in recorded:
        west.datagram_received(west._seal.close(datagram), session.address)
    assert session.key not in west._sessions
