"""What there is no memory for waits in Redis, and comes back in its order."""

import asyncio
import signal
from contextlib import AsyncExitStack

import pytest

from eventually import eventually
from forebay.client.router import Dropped, Flag, OutboxSettings, Process, ProcessSettings, RouterClient
from forebay.router.settings import OutletLimits, RouterSettings
from forebay.runtime import BackoffSettings
from forebay.spill import Spill, SpillSettings
from peers.valkey import run_small_valkey, run_valkey
from ports import free_port
from routerprocess import router_process
from routers import Router
from threads import Inbox, thread_process

BODY = bytes(10_000)
SENT = 1000
LIMITS = OutletLimits(high=100_000, low=50_000, most=200_000, response=50_000)
SETTINGS = RouterSettings(grace=0.0, outlets=LIMITS)
PROCESS = ProcessSettings(
    farewell=10.0,
    backoff=BackoffSettings(0.05, 0.2),
    outbox=OutboxSettings(window_messages=4, repeat=0.5, longest_repeat=1.0),
)
"""Little goes into one parcel, and it is soon sent again."""


@pytest.fixture
async def stack():
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
async def valkey():
    async with run_valkey() as server:
        yield server


@pytest.fixture
async def router(valkey):
    router = Router(SETTINGS)
    await begin(router, valkey.url)
    yield router
    await router.stop()


async def begin(router, url, uid="uid"):
    await router.start()
    router.node.spill(Spill(SpillSettings(url=url, holder="ab"), "router", uid), router.settings.router)
    await eventually(lambda: not router.node.reservoir.problem)


@pytest.fixture
async def attach(stack, router):
    async def attach(name, settings=PROCESS):
        return await stack.enter_async_context(Process.connect(router.address, name, settings=settings))

    return attach


def stall(router, name):
    """Have a router write nothing to a process, until what is returned is called."""
    [attachment] = [each for each in router.node.processes if each.process == name]
    outlet = attachment.outlet
    fill, outlet.fill = outlet.fill, lambda freight: False

    def go():
        outlet.fill = fill
        outlet.wake()

    return outlet, go


async def pour(sender, count, recipient="bob", first=0, flags=Flag.DROP_OK | Flag.NOTIFY_DROP):
    """Send numbered messages without heed for who waits: by default such as nobody keeps."""
    for number in range(first, first + count):
        sender.send(recipient, "m", number.to_bytes(4) + BODY, flags=flags)
        await asyncio.sleep(0)


def numbers(inbox):
    return [int.from_bytes(body[:4]) for body in inbox.bodies]


async def test_what_exceeds_the_limit_waits_in_redis_and_comes_back_in_its_order(router, attach):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    outlet, go = stall(router, "two")
    alice = await (await attach("one")).thread("alice")
    await pour(alice, 300)
    await eventually(lambda: router.switch.messages == 300)
    await eventually(lambda: router.node.reservoir.octets > 2_000_000 and not outlet.overflow._put)
    assert outlet.octets < 250_000, "memory stays bounded"
    assert router.switch.dropped == {}
    go()
    await inbox.got(300)
    assert numbers(inbox) == list(range(300))
    await eventually(lambda: router.node.reservoir.octets == 0)
    assert not outlet.spilling


async def test_senders_wait_until_what_was_spilled_has_come_back(router, attach):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    outlet, go = stall(router, "two")
    alice = await (await attach("one")).thread("alice")
    await pour(alice, 100)
    await eventually(lambda: alice.pacing.blockers == ["bob@local"])
    await eventually(lambda: outlet.spilling)
    go()
    await alice.drain()
    await inbox.got(100)
    await pour(alice, 10, first=100)
    await inbox.got(110)
    assert numbers(inbox) == list(range(110))


async def test_a_message_that_is_sent_again_meanwhile_waits_once(router, attach):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    outlet, go = stall(router, "two")
    alice = await (await attach("one")).thread("alice")
    await pour(alice, 60, flags=Flag.NOTIFY_DROP)
    await eventually(lambda: outlet.overflow and not outlet.overflow._put and outlet.overflow._stored)
    known = outlet.overflow.octets
    repeats = alice._process.dispatch
    repeats.rewind()
    await eventually(lambda: router.switch.messages >= 120)
    assert outlet.overflow.octets == known
    go()
    await inbox.got(60)
    await alice._process.flush()
    assert numbers(inbox) == list(range(60))


async def test_messages_to_a_group_that_nobody_keeps_are_not_dropped(router, attach):
    inbox = Inbox()
    bob = await (await attach("two")).thread("bob", inbox)
    bob.join("room")
    await eventually(lambda: list(router.switch.groups.ways("room")))
    outlet, go = stall(router, "two")
    alice = await (await attach("one")).thread("alice")
    for number in range(100):
        alice.multicast("room", "m", number.to_bytes(4) + BODY)
        await asyncio.sleep(0)
    await eventually(lambda: router.switch.messages == 100)
    assert router.switch.dropped == {}
    await eventually(lambda: outlet.spilling)
    go()
    await inbox.got(100)
    assert numbers(inbox) == list(range(100))


async def test_a_process_that_dies_leaves_nothing_in_redis(router, valkey, attach, stack):
    two = await stack.enter_async_context(AsyncExitStack())
    process = await two.enter_async_context(
        Process.connect(router.address, "two", settings=ProcessSettings(farewell=0.1))
    )
    await process.thread("bob", Inbox())
    outlet, _ = stall(router, "two")
    alice = await (await attach("one")).thread("alice")
    await pour(alice, 60)
    await eventually(lambda: outlet.overflow and outlet.overflow._stored)
    await process._close()
    await eventually(lambda: no_keys(valkey))
    assert router.node.reservoir.octets == 0


async def no_keys(valkey):
    """Nothing is left but what names the service."""
    keys = await valkey.command("KEYS", "forebay:*")
    return not [key for key in keys if b"}:" in key and b"}:owners" not in key]


async def test_while_redis_is_away_senders_keep_what_they_send_and_nothing_is_lost(router, valkey, attach):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    outlet, go = stall(router, "two")
    await valkey.kill()
    await eventually(lambda: router.node.reservoir.problem)
    alice = await (await attach("one")).thread("alice")
    await pour(alice, 60, flags=Flag.NOTIFY_DROP)
    await eventually(lambda: router.switch.dropped["skal-drop-full"])
    assert alice.pacing.blockers == ["bob@local"]
    assert outlet.octets < 250_000
    go()
    await inbox.got(60)
    await alice._process.flush()
    assert numbers(inbox) == list(range(60))


async def test_what_lies_in_redis_when_it_goes_away_comes_once_it_is_back(router, valkey, attach):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    outlet, go = stall(router, "two")
    alice = await (await attach("one")).thread("alice")
    await pour(alice, 60, flags=Flag.NOTIFY_DROP)
    await eventually(lambda: outlet.overflow and outlet.overflow._stored and not outlet.overflow._put)
    await valkey.kill()
    await eventually(lambda: router.node.reservoir.problem)
    await pour(alice, 20, first=60, flags=Flag.NOTIFY_DROP)
    go()
    await valkey.start()
    await inbox.got(80)
    await alice._process.flush()
    assert numbers(inbox) == list(range(80))


async def test_a_redis_that_has_forgotten_all_costs_no_message_that_is_kept(router, valkey, attach):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    outlet, go = stall(router, "two")
    alice = await (await attach("one")).thread("alice")
    await pour(alice, 60, flags=Flag.NOTIFY_DROP)
    await eventually(lambda: outlet.overflow and outlet.overflow._stored and not outlet.overflow._put)
    await valkey.command("FLUSHALL")
    go()
    await inbox.got(60)
    await alice._process.flush()
    assert numbers(inbox) == list(range(60))


async def test_a_full_redis_takes_no_more_and_nothing_is_lost(stack):
    valkey = await stack.enter_async_context(run_small_valkey("4mb"))
    router = Router(SETTINGS)
    await begin(router, valkey.url)
    stack.push_async_callback(router.stop)
    two, one = [
        await stack.enter_async_context(Process.connect(router.address, name, settings=PROCESS))
        for name in ("two", "one")
    ]
    inbox = Inbox()
    await two.thread("bob", inbox)
    _, go = stall(router, "two")
    alice = await one.thread("alice")
    await pour(alice, 600, flags=Flag.NOTIFY_DROP)
    await eventually(lambda: router.node.reservoir.problem)
    go()
    await inbox.got(600)
    await one.flush()
    assert numbers(inbox) == list(range(600))


async def test_what_a_killed_router_had_spilled_comes_once_or_its_sender_is_told(valkey, stack):
    router = await stack.enter_async_context(router_process(free_port(), "--spill", valkey.url))
    two = await stack.enter_async_context(thread_process(router.address, "two", "bob"))
    told = Inbox()
    one = await stack.enter_async_context(Process.connect(router.address, "one", settings=PROCESS))
    alice = await one.thread("alice", on_event=told.on_event)
    two.stdin.write(b"\n")
    two.send_signal(signal.SIGSTOP)
    for number in range(SENT):
        alice.send("bob", "m", f"{number} {'x' * 10_000}".encode())
        await asyncio.sleep(0)
    await eventually(lambda: spilled(router.address), within=60)
    await router.kill()
    await router.start()
    two.send_signal(signal.SIGCONT)
    found = []

    async def read():
        while line := await two.stdout.readline():
            if line.startswith(b"alice@"):
                found.append(int(line.split()[1]))

    reading = asyncio.ensure_future(read())
    await one.flush()

    def all_told():
        assert (len(found) + len(told.told_of(Dropped)), reading.done()) == (SENT, False)
        return True

    await eventually(all_told, within=60)
    assert found == sorted(set(found))
    reading.cancel()
    await eventually(lambda: one_life(valkey))


async def one_life(valkey):
    """What the killed router has left is deleted."""
    owners = await valkey.command("SMEMBERS", "forebay:{router/uid}:owners")
    return len({owner.split(b"%2F")[1] for owner in owners}) <= 1


async def spilled(address):
    async with RouterClient.connect(address) as client:
        return (await client.router()).spilled_octets > 1_000_000
