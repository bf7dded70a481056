"""Processes and threads that crash."""

import asyncio
import signal

import pytest

from eventually import eventually
from forebay.client.router import (
    Crashed,
    Dropped,
    DroppedError,
    FlowSettings,
    Process,
    ProcessSettings,
    QueueLimits,
    ThreadEndedError,
)
from forebay.router.settings import RouterSettings
from routers import running_router
from threads import Inbox, thread_process

PATIENT = ProcessSettings(
    farewell=0.5,
    queue=QueueLimits(high=4, low=2),
    flow=FlowSettings(repeat=60.0, longest_repeat=60.0, block_limit=60.0),
)


async def test_when_a_process_is_killed_everybody_is_told_the_names_of_its_threads(router, attach, start):
    told = Inbox()
    await (await attach("one")).thread("alice", on_event=told.on_event)
    process = await start("two", "bob", "carol")
    process.kill()
    [event] = await told.told(Crashed)
    assert (event.process, set(event.threads), event.reason) == ("two", {"bob@local", "carol@local"}, "link closed")
    [alarm] = router.switch.alarms.raised()
    assert (alarm.name, alarm.origin) == ("skal-process-crashed", "two@local")
    assert sorted(router.switch.registry.entries) == ["alice"]


async def test_who_waits_for_a_thread_of_a_killed_process_goes_on(attach, start):
    told = Inbox()
    process = await start("two", "bob")
    alice = await (await attach("one", PATIENT)).thread("alice", told, on_event=told.on_event)
    for _ in range(6):
        alice.send("bob", "m")
    await eventually(lambda: alice.pacing.blockers == ["bob@local"])
    alice.send("alice", "wait")
    process.kill()
    await told.told(Crashed)
    await told.got(1)


async def test_what_a_killed_process_has_not_received_is_told_to_its_sender(router, attach, start):
    process = await start("two", "bob")
    told = Inbox()
    alice = await (await attach("one")).thread("alice", on_event=told.on_event)
    [attachment] = [each for each in router.node.processes if each.process == "two"]
    attachment.outlet.fill = lambda freight: False
    alice.send("bob", "m")
    asking = asyncio.ensure_future(alice.request("bob", "ask"))
    await eventually(lambda: attachment.outlet.octets)
    process.kill()
    [event] = await told.told(Dropped)
    assert (event.name, event.extra) == ("skal-drop-no-recipient", "process two has crashed: link closed")
    with pytest.raises(DroppedError, match="process two has crashed"):
        await asking


async def test_a_process_that_gives_no_sign_of_life_counts_as_crashed():
    told = Inbox()
    async with (
        running_router(RouterSettings(grace=0.0, heartbeat=0.2)) as router,
        Process.connect(router.address, "one") as one,
        thread_process(router.address, "two", "bob") as process,
    ):
        await one.thread("alice", on_event=told.on_event)
        process.send_signal(signal.SIGSTOP)
        [event] = await told.told(Crashed)
        assert (event.threads, event.reason) == (("bob@local",), "no heartbeat")
        assert [alarm.name for alarm in router.switch.alarms.raised()] == ["skal-process-no-heartbeat"]
        process.send_signal(signal.SIGCONT)
        await eventually(lambda: "bob" in router.switch.registry.entries)
        assert router.switch.alarms.raised() == []


async def test_a_thread_that_crashes_ends_alone_and_who_waits_for_it_goes_on(router, attach):
    going = asyncio.Event()

    async def crash(thread, message):
        await going.wait()
        raise RuntimeError("no more")

    two, told, inbox = await attach("two", PATIENT), Inbox(), Inbox()
    bob = await two.thread("bob", crash)
    await two.thread("carol", inbox)
    alice = await (await attach("one", PATIENT)).thread("alice", on_event=told.on_event)
    for _ in range(6):
        alice.send("bob", "m")
    await eventually(lambda: alice.pacing.blockers)
    going.set()
    await alice.drain()
    alice.send("carol", "m")
    await inbox.got(1)
    with pytest.raises(RuntimeError, match="no more"):
        await bob.wait()
    events = await told.told(Dropped, 5)
    assert {event.name for event in events} == {"skal-msg-drop-shutdown"}
    [alarm] = await eventually(router.switch.alarms.raised)
    assert (alarm.name, alarm.origin, alarm.comment) == ("skal-thread-crashed", "bob@local", "RuntimeError: no more")
    assert told.told_of(Crashed) == []


async def test_a_blocking_handler_that_raises_ends_its_thread(attach):
    def crash(thread, message):
        thread.send("skal-nobody", "m")

    one = await attach("one")
    bob = await one.thread("bob", crash)
    (await one.thread("alice")).send("bob", "m")
    with pytest.raises(Exception, match="begins with skal"):
        await bob.wait()


async def test_a_request_of_a_thread_that_ends_fails(attach):
    one = await attach("one")
    await one.thread("bob", Inbox())
    alice = await one.thread("alice")
    asking = asyncio.ensure_future(alice.request("bob", "ask"))
    await asyncio.sleep(0.01)
    await alice.end()
    with pytest.raises(ThreadEndedError, match="before the reply came"):
        await asking


async def test_when_a_crashed_process_is_there_again_its_alarm_is_off(router, start):
    process = await start("two", "bob")
    process.kill()
    await eventually(router.switch.alarms.raised)
    await start("two", "bob")
    assert router.switch.alarms.raised() == []


async def test_a_process_that_leaves_is_not_mourned(router, attach):
    told = Inbox()
    await (await attach("one")).thread("alice", on_event=told.on_event)
    async with Process.connect(router.address, "two") as two:
        await two.thread("bob")
    await eventually(lambda: sorted(router.switch.registry.entries) == ["alice"])
    assert told.events == []
    assert router.switch.alarms.raised() == []
