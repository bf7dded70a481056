"""The scenarios between processes, wherever these are attached: one domain, two, and three in line and in a ring."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from domains import site
from eventually import eventually
from forebay.client.router import Crashed, Dropped, DroppedError, FlowSettings, Process, ProcessSettings, QueueLimits
from threads import Inbox, thread_process

SETTINGS = ProcessSettings(
    farewell=1.0,
    queue=QueueLimits(high=4, low=2),
    flow=FlowSettings(repeat=60.0, longest_repeat=60.0, block_limit=60.0),
)

TOPOLOGIES = {
    "three routers of one domain": ({"east": 3}, (), "east-0", "east-2"),
    "two domains": ({"east": 1, "west": 1}, [("east-0", "west-0")], "east-0", "west-0"),
    "two domains of two routers": ({"east": 2, "west": 2}, [("east-1", "west-0")], "east-0", "west-1"),
    "three domains in line": (
        {"east": 1, "mid": 1, "west": 1},
        [("east-0", "mid-0"), ("west-0", "mid-0")],
        "east-0",
        "west-0",
    ),
    "three domains in a ring": (
        {"east": 1, "mid": 1, "west": 1},
        [("east-0", "mid-0"), ("mid-0", "west-0"), ("west-0", "east-0")],
        "east-0",
        "west-0",
    ),
    "two domains with two links": (
        {"east": 2, "west": 2},
        [("east-0", "west-0"), ("east-1", "west-1")],
        "east-0",
        "west-1",
    ),
    "two domains over UDP": ({"east": 1, "west": 1}, [("east-0", "west-0")], "east-0", "west-0", 0.0),
    "three domains in line over UDP that loses": (
        {"east": 1, "mid": 1, "west": 1},
        [("east-0", "mid-0"), ("west-0", "mid-0")],
        "east-0",
        "west-0",
        0.07,
    ),
}


@pytest.fixture(params=TOPOLOGIES.values(), ids=TOPOLOGIES)
async def place(request):
    """A site, the routers of alice and of bob, and how bob is called from alice's domain."""
    domains, links, hers, his, *udp_loss = request.param
    async with site(domains, links, *udp_loss) as made:
        for router in made.routers.values():
            await made.reaches(router.settings.router, *(set(domains) - {router.settings.domain}))
        yield Place(made, hers, his)


class Place:
    def __init__(self, made, hers, his):
        self.site, self.hers, self.his = made, hers, his
        self.domain = made[his].settings.domain
        self.bob = f"bob@{self.domain}"
        self.alice = f"alice@{made[hers].settings.domain}"

    async def ready(self, *threads):
        """Wait until every router of bob's domain knows his threads."""
        for router in self.site.routers.values():
            if router.settings.domain == self.domain:
                await self.site.knows(router.settings.router, *threads)


@pytest.fixture
async def one(place):
    async with Process.connect(place.site.address(place.hers), "one", settings=SETTINGS) as process:
        yield process


@pytest.fixture
async def two(place):
    async with Process.connect(place.site.address(place.his), "two", settings=SETTINGS) as process:
        yield process


async def test_messages_arrive_once_and_in_order_and_replies_come_back(place, one, two):
    inbox = Inbox()
    await two.thread("bob", inbox, queue=QueueLimits())
    await place.ready("bob")
    alice = await one.thread("alice")
    for number in range(500):
        alice.send(place.bob, "m", str(number).encode())
        await alice.drain()
    await one.flush()
    await inbox.got(500)
    assert inbox.bodies == [str(number).encode() for number in range(500)]
    assert inbox.messages[0].sender == place.alice

    async def answer(thread, message):
        thread.reply(message, "answer", message.body * 2)

    await two.thread("answerer", answer)
    await place.ready("answerer")
    assert (await alice.request(f"answerer@{place.domain}", "ask", b"x")).body == b"xx"


async def test_a_full_queue_makes_its_sender_wait_until_xon(place, one, two):
    inbox = Inbox(stalled=True)
    await two.thread("bob", inbox)
    await place.ready("bob")
    alice = await one.thread("alice")
    for _ in range(6):
        alice.send(place.bob, "m")
    await eventually(lambda: alice.pacing.blockers == [place.bob])
    inbox.open.set()
    await alice.drain()
    await inbox.got(6)


async def test_without_a_recipient_the_sender_is_told(place, one):
    told = Inbox()
    alice = await one.thread("alice", on_event=told.on_event)
    alice.send(f"nobody@{place.domain}", "m")
    [event] = await told.told(Dropped)
    assert event.name == "skal-drop-no-recipient"
    with pytest.raises(DroppedError):
        await alice.request(f"nobody@{place.domain}", "ask")
    alice.send("bob@nowhere", "m")
    [_, event] = await told.told(Dropped, 2)
    assert event.name == "skal-drop-no-network"


async def test_a_thread_that_is_ending_drops_what_comes(place, one, two):
    inbox, told = Inbox(stalled=True), Inbox()
    bob = await two.thread("bob", inbox)
    await place.ready("bob")
    alice = await one.thread("alice", on_event=told.on_event)
    alice.send(place.bob, "handled")
    await one.flush()
    await asyncio.sleep(0.05)  # it is being handled, and stalls
    bob.stop()
    alice.send(place.bob, "too late")
    [event] = await told.told(Dropped)
    assert (event.name, event.original_marker.sequence) == ("skal-msg-drop-shutdown", 2)
    inbox.open.set()


async def test_a_crash_is_told_everywhere_and_who_waits_goes_on(place, one):
    told = Inbox()
    alice = await one.thread("alice", on_event=told.on_event)
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(thread_process(place.site.address(place.his), "two", "bob"))
        await place.ready("bob")

        def blocked():
            # What a link that is given up on a busy machine drops does not fill the queue.
            if not alice.pacing.blockers:
                alice.send(place.bob, "m")
            return alice.pacing.blockers == [place.bob]

        await eventually(blocked)
        process.kill()
        [event] = await told.told(Crashed)
        assert (event.process, event.threads) == ("two", (place.bob,))
        await alice.drain()
    await asyncio.sleep(0.2)
    assert len(told.told_of(Crashed)) == 1


async def test_groups_of_another_place_are_reached_once(place, one, two):
    inboxes = [Inbox(), Inbox()]
    for number, inbox in enumerate(inboxes):
        (await two.thread(f"bob-{number}", inbox)).join("news", "m.*")
    for router in place.site.routers.values():
        if router.settings.domain == place.domain:
            await eventually(lambda router=router: list(router.switch.groups.ways("news")))
    alice = await one.thread("alice")
    for number in range(20):
        alice.multicast(f"news@{place.domain}", "m", bytes([number]))
        alice.multicast(f"news@{place.domain}", "other")
    for inbox in inboxes:
        await inbox.got(20)
    await asyncio.sleep(0.1)
    for inbox in inboxes:
        assert inbox.bodies == [bytes([number]) for number in range(20)]
