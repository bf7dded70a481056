"""Messages between threads of one process: straight into the queue."""

import asyncio

import pytest

from eventually import eventually
from forebay.client.router import (
    BadNameError,
    Dropped,
    FieldTypeError,
    Flag,
    ProcessSettings,
    QueueLimits,
    ThreadEndedError,
)
from threads import Inbox

SMALL = ProcessSettings(farewell=0.5, queue=QueueLimits(high=4, low=2))


@pytest.fixture
async def process(attach):
    return await attach("one", SMALL)


async def test_a_message_goes_straight_into_the_queue_of_its_recipient(router, process):
    inbox = Inbox()
    await process.thread("bob", inbox)
    alice = await process.thread("alice")
    alice.send("bob", "hello", b"hi", {"n": 1})
    alice.send("bob@local", "again")
    first, second = await inbox.got(2)
    assert (first.name, first.body, first.fields, first.sender, first.recipient) == (
        "hello",
        b"hi",
        {"n": 1},
        "alice@local",
        "bob@local",
    )
    assert first.marker != second.marker
    assert router.switch.messages == 0


async def test_a_full_queue_takes_the_message_and_its_sender_waits_until_it_is_low(router, process):
    inbox = Inbox(stalled=True)
    bob = await process.thread("bob", inbox)
    alice = await process.thread("alice")
    for number in range(6):
        alice.send("bob", "m", bytes([number]))
    assert alice.pacing.blockers == ["bob@local"]
    assert len(bob.queue) == 6
    waiting = asyncio.ensure_future(alice.drain())
    await asyncio.sleep(0)
    assert not waiting.done()
    inbox.open.set()
    await waiting
    assert not alice.pacing.blockers
    assert inbox.bodies[:4] == [bytes([number]) for number in range(4)]
    await inbox.got(6)
    assert router.switch.messages == 0


async def test_while_a_sender_waits_it_handles_no_message_but_every_event(process):
    stalled, inbox = Inbox(stalled=True), Inbox()
    await process.thread("bob", stalled)
    alice = await process.thread("alice", inbox, on_event=inbox.on_event)
    carol = await process.thread("carol")
    for _ in range(4):
        alice.send("bob", "m")
    carol.send("alice", "wait")
    alice.send("nobody", "m")
    await inbox.told(Dropped)
    assert inbox.messages == []
    stalled.open.set()
    await inbox.got(1)


async def test_a_sender_waits_for_each_of_its_full_recipients(process):
    inboxes = {name: Inbox(stalled=True) for name in ("bob", "carol")}
    for name, inbox in inboxes.items():
        await process.thread(name, inbox)
    alice = await process.thread("alice")
    for name in inboxes:
        for _ in range(4):
            alice.send(name, "m")
    assert alice.pacing.blockers == ["bob@local", "carol@local"]
    inboxes["carol"].open.set()
    await eventually(lambda: alice.pacing.blockers == ["bob@local"])
    assert alice.pacing.held
    inboxes["bob"].open.set()
    await alice.drain()


async def test_a_thread_may_fill_its_own_queue(process):
    seen = []

    async def handler(thread, message):
        seen.append(message.body)
        if message.name == "begin":
            for number in range(10):
                thread.send("alice", "m", bytes([number]))

    alice = await process.thread("alice", handler)
    alice.send("alice", "begin")
    await eventually(lambda: len(seen) == 11)
    assert not alice.pacing.held


async def test_urgent_messages_are_handled_first(process):
    inbox = Inbox(stalled=True)
    await process.thread("bob", inbox)
    alice = await process.thread("alice")
    alice.send("bob", "m", b"0")
    await asyncio.sleep(0.05)  # it is being handled, and stalls
    alice.send("bob", "m", b"1")
    alice.send("bob", "m", b"2", flags=Flag.URGENT)
    inbox.open.set()
    await inbox.got(3)
    assert inbox.bodies == [b"0", b"2", b"1"]


async def test_a_request_gets_its_reply(process):
    async def answer(thread, message):
        thread.reply(message, "answer", message.body * 2, {"asked": message.name})

    await process.thread("bob", answer)
    alice = await process.thread("alice")
    reply = await alice.request("bob", "ask", b"x")
    assert (reply.name, reply.body, reply.fields, reply.sender) == ("answer", b"xx", {"asked": "ask"}, "bob@local")


async def test_only_requests_are_replied_to(process):
    inbox = Inbox()
    bob = await process.thread("bob", inbox)
    alice = await process.thread("alice")
    alice.send("bob", "m")
    [message] = await inbox.got(1)
    with pytest.raises(ValueError, match="no request"):
        bob.reply(message, "answer")


async def test_a_message_to_a_thread_that_is_ending_is_dropped_and_its_sender_told_the_marker(process):
    inbox, told = Inbox(stalled=True), Inbox()
    bob = await process.thread("bob", inbox)
    alice = await process.thread("alice", on_event=told.on_event)
    alice.send("bob", "handled")
    await asyncio.sleep(0.05)  # it is being handled, and stalls
    alice.send("bob", "left in the queue")
    bob.stop()
    alice.send("bob", "too late")
    alice.send("bob", "too late, and not asked for", flags=Flag.NONE)
    inbox.open.set()
    await bob.end()
    late, left = await told.told(Dropped, 2)
    assert {late.name, left.name} == {"skal-msg-drop-shutdown"}
    assert late.recipient == "bob@local"
    assert [late.original_marker.sequence, left.original_marker.sequence] == [3, 2]
    assert [message.name for message in inbox.messages] == ["handled"]
    assert len(told.events) == 2


async def test_after_its_end_a_thread_sends_nothing_and_its_name_is_free(process):
    alice = await process.thread("alice")
    await alice.end()
    with pytest.raises(ThreadEndedError, match="thread alice has ended"):
        alice.send("bob", "m")
    await eventually(lambda: "alice" not in process.threads)
    await process.thread("alice")


async def test_what_cannot_be_sent_is_refused_at_once(process):
    alice = await process.thread("alice")
    with pytest.raises(BadNameError, match="begins with skal"):
        alice.send("skal-master", "m")
    with pytest.raises(FieldTypeError, match="field n"):
        alice.send("bob", "m", fields={"n": None})
    with pytest.raises(TypeError):
        alice.send("bob", "m", "text")
