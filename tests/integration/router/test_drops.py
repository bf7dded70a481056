"""What becomes of messages that cannot be delivered, and who is told."""

import asyncio

import pytest

from eventually import eventually
from forebay.client.router import Dropped, Flag
from threads import Inbox


@pytest.fixture
async def told():
    return Inbox()


@pytest.fixture
async def alice(attach, told):
    return await (await attach("one")).thread("alice", on_event=told.on_event)


async def test_without_a_recipient_a_message_is_dropped_and_its_sender_told(router, alice, told):
    alice.send("nobody", "m")
    [event] = await told.told(Dropped)
    assert (event.name, event.recipient) == ("skal-drop-no-recipient", "nobody@local")
    assert (event.original_marker.sender, event.original_marker.sequence) == ("alice@local", 1)
    assert event.extra == "router router-0@local knows no thread nobody@local"
    assert router.switch.dropped == {"skal-drop-no-recipient": 1}


async def test_a_sender_that_does_not_ask_is_not_told_and_the_drop_is_counted(router, alice, told):
    alice.send("nobody", "m", flags=Flag.NONE)
    alice.send("nobody", "m")
    await told.told(Dropped)
    assert [event.original_marker.sequence for event in told.events] == [2]
    assert router.switch.dropped == {"skal-drop-no-recipient": 2}
    await alice._process.flush()


async def test_a_message_that_may_be_dropped_is_told_of_when_its_sender_asks(alice, told):
    alice.send("nobody", "m", flags=Flag.DROP_OK | Flag.NOTIFY_DROP)
    alice.send("nobody", "m", flags=Flag.DROP_OK)
    alice.send("nobody", "m")
    await told.told(Dropped, 2)
    assert [event.original_marker.sequence for event in told.events] == [1, 3]


async def test_without_a_way_to_the_domain_a_message_is_dropped_and_its_sender_told(router, alice, told):
    alice.send("bob@elsewhere", "m")
    [event] = await told.told(Dropped)
    assert (event.name, event.recipient) == ("skal-drop-no-network", "bob@elsewhere")
    assert event.extra == "router router-0@local knows no way to domain elsewhere"
    assert router.switch.dropped == {"skal-drop-no-network": 1}


async def test_a_message_that_has_passed_all_its_routers_is_dropped_and_its_sender_told(router, attach, alice, told):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    alice.send("bob", "m", ttl=0)
    alice.send("bob", "m", ttl=1)
    [event] = await told.told(Dropped)
    assert (event.name, event.original_marker.sequence) == ("skal-drop-ttl", 1)
    [message] = await inbox.got(1)
    assert message.sequence == 2
    assert [alarm.name for alarm in router.switch.alarms.raised()] == ["skal-drop-ttl"]


async def test_a_thread_of_another_process_that_is_ending_drops_what_comes_and_what_it_has(attach, alice, told):
    inbox = Inbox(stalled=True)
    bob = await (await attach("two")).thread("bob", inbox)
    alice.send("bob", "handled")
    await eventually(lambda: not len(bob.queue) and bob.pacing._sleeping is None)
    alice.send("bob", "left in the queue")
    await alice._process.flush()
    bob.stop()
    alice.send("bob", "too late")
    alice.send("bob", "too late, and may be dropped", flags=Flag.DROP_OK | Flag.NOTIFY_DROP)
    alice.send("bob", "not asked for", flags=Flag.NONE)
    await told.told(Dropped, 2)
    inbox.open.set()
    await bob.end()
    events = await told.told(Dropped, 3)
    assert {event.name for event in events} == {"skal-msg-drop-shutdown"}
    assert [event.original_marker.sequence for event in events] == [3, 4, 2]
    assert [message.name for message in inbox.messages] == ["handled"]
    await alice._process.flush()


async def test_after_its_end_a_thread_is_no_recipient(attach, alice, told):
    two = await attach("two")
    bob = await two.thread("bob", Inbox())
    await bob.end()
    await eventually(lambda: "bob" not in two.threads)
    await asyncio.sleep(0.05)
    alice.send("bob", "m")
    [event] = await told.told(Dropped)
    assert event.name == "skal-drop-no-recipient"
