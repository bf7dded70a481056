"""A router that goes away, and is there again."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from eventually import eventually
from forebay.client.router import Dropped, OutboxSettings, Process, ProcessSettings, ThreadEndedError
from forebay.router.settings import RouterSettings
from forebay.runtime import BackoffSettings, PermissionDeniedError
from routers import Router
from threads import Inbox

QUICK = ProcessSettings(
    farewell=5.0, backoff=BackoffSettings(0.05, 0.2), outbox=OutboxSettings(repeat=0.5, longest_repeat=1.0)
)
PATIENT = RouterSettings(grace=5.0)


@asynccontextmanager
async def site(*names, routers=1):
    """A router, and processes that are attached to it."""
    async with AsyncExitStack() as stack:
        router = Router(PATIENT)
        await router.start()
        stack.push_async_callback(lambda: router.stop())
        found = [
            await stack.enter_async_context(Process.connect(router.address, name, settings=QUICK)) for name in names
        ]
        yield router, *found


async def test_after_a_restart_of_the_router_processes_are_there_again_with_their_groups():
    async with site("one", "two") as (router, one, two):
        inbox = Inbox()
        bob = await two.thread("bob", inbox)
        bob.join("news")
        alice = await one.thread("alice")
        await router.stop()
        await router.start()
        await eventually(lambda: sorted(router.switch.registry.entries) == ["alice", "bob"])
        await eventually(lambda: router.switch.groups.here() == ["news"])
        alice.send("bob", "m")
        alice.multicast("news", "n")
        await inbox.got(2)
        assert router.switch.alarms.raised() == []


async def test_what_was_on_its_way_is_handled_once_and_in_order():
    async with site("one", "two") as (router, one, two):
        inbox, told = Inbox(), Inbox()
        await two.thread("bob", inbox)
        alice = await one.thread("alice", on_event=told.on_event)
        for number in range(3000):
            if number % 1000 == 500:
                await router.stop()
                await router.start()
            alice.send("bob", "m", str(number).encode())
            await alice.drain()
        await one.flush()
        await inbox.got(3000)
        assert inbox.bodies == [str(number).encode() for number in range(3000)]
        assert told.told_of(Dropped) == []


async def test_when_a_stream_is_cut_messages_are_handled_once_and_in_order():
    async with site("one", "two") as (_, one, two):
        inbox, told = Inbox(), Inbox()
        await two.thread("bob", inbox)
        alice = await one.thread("alice", on_event=told.on_event)
        for number in range(2000):
            if number % 400 == 200:
                attachments = one._attaching.attachments
                one._attaching.cut()
                await eventually(lambda attachments=attachments: one._attaching.attachments > attachments)
            alice.send("bob", "m", str(number).encode())
            await alice.drain()
        await one.flush()
        await inbox.got(2000)
        assert inbox.bodies == [str(number).encode() for number in range(2000)]


async def test_a_request_survives_the_restart_of_the_router():
    async with site("one", "two") as (router, one, two):
        inbox = Inbox()
        bob = await two.thread("bob", inbox)
        alice = await one.thread("alice")
        asking = asyncio.ensure_future(alice.request("bob", "ask"))
        [message] = await inbox.got(1)
        await router.stop()
        bob.reply(message, "answer", b"x")
        await router.start()
        assert (await asking).body == b"x"


async def test_a_thread_that_begins_while_the_router_is_away_is_known_when_it_is_back():
    async with site("one") as (router, one):
        await router.stop()
        await eventually(lambda: not one._attaching.attached.is_set())
        beginning = asyncio.ensure_future(one.thread("alice"))
        await asyncio.sleep(0.1)
        assert not beginning.done()
        await router.start()
        await beginning
        assert "alice" in router.switch.registry.entries


async def test_threads_of_one_process_go_on_without_a_router():
    async with site("one") as (router, one):
        inbox = Inbox()
        await one.thread("bob", inbox)
        alice = await one.thread("alice")
        await router.stop()
        alice.send("bob", "m")
        await inbox.got(1)
        await router.start()
        await eventually(lambda: one._attaching.attached.is_set())


async def test_a_thread_whose_name_is_taken_meanwhile_ends():
    async with site("one") as (router, one):
        alice = await one.thread("alice")
        await router.stop()
        await eventually(lambda: not one._attaching.attached.is_set())
        waiting, one._attaching._later._clock = one._attaching._later._clock, Held()
        await router.start()
        async with Process.connect(router.address, "two", settings=QUICK) as two:
            await two.thread("alice")
            held, one._attaching._later._clock = one._attaching._later._clock, waiting
            held.open.set()
            await asyncio.wait([alice.ended], timeout=30)
            assert alice.ended.done()


class Held:
    """A clock that sleeps until it is told to go on."""

    def __init__(self):
        self.open = asyncio.Event()

    def monotonic(self):
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds):
        await self.open.wait()


async def test_of_several_routers_the_next_is_tried_when_one_is_away():
    first, second = Router(PATIENT), Router(PATIENT)
    await first.start()
    await second.start()
    try:
        async with Process.connect([first.address, second.address], "one", settings=QUICK) as one:
            inbox = Inbox()
            await one.thread("bob", inbox)
            await first.stop()
            await eventually(lambda: "bob" in second.switch.registry.entries)
            alice = await one.thread("alice")
            alice.send("bob", "m")
            await inbox.got(1)
            await first.start()
    finally:
        await first.stop()
        await second.stop()


async def test_a_message_to_a_thread_that_is_about_to_attach_waits_for_it():
    async with site("one") as (router, one):
        alice = await one.thread("alice")
        alice.send("bob", "m")
        await asyncio.sleep(0.1)
        async with Process.connect(router.address, "two", settings=QUICK) as two:
            inbox = Inbox()
            await two.thread("bob", inbox)
            await inbox.got(1)


def refuse(hello, principals):
    raise PermissionDeniedError("not you")


async def test_when_no_router_takes_a_process_any_more_its_threads_end_and_tell_why():
    async with site("one") as (router, one):
        alice = await one.thread("alice")
        await router.stop()
        await router.start(attach=refuse)
        with pytest.raises(PermissionDeniedError, match="not you"):
            await alice.wait()
        with pytest.raises(ThreadEndedError, match="process one has ended"):
            await one.thread("bob")
