"""Messages between processes of one router."""

import asyncio

import pytest

from forebay.client.router import Dropped, DroppedError, Flag, NoReplyError
from threads import Inbox


async def pair(attach, inbox, **options):
    one, two = await attach("one"), await attach("two")
    bob = await two.thread("bob", inbox, **options)
    alice = await one.thread("alice")
    return alice, bob


async def test_messages_go_by_way_of_the_router_in_their_order(router, attach):
    inbox = Inbox()
    alice, _ = await pair(attach, inbox)
    for number in range(5000):
        alice.send("bob", "m", str(number).encode())
    await inbox.got(5000)
    assert inbox.bodies == [str(number).encode() for number in range(5000)]
    assert router.switch.messages == 5000


async def test_a_message_arrives_as_it_was_sent(attach):
    inbox = Inbox()
    alice, _ = await pair(attach, inbox)
    fields = {"n": -1, "r": 1.5, "t": "é", "o": b"\0", "yes": True}
    alice.send("bob", "hello", b"hi", fields, flags=Flag.URGENT | Flag.NOTIFY_DROP, ttl=2)
    [message] = await inbox.got(1)
    assert (message.name, message.body, message.fields) == ("hello", b"hi", fields)
    assert (message.sender, message.recipient) == ("alice@local", "bob@local")
    assert message.flags == Flag.URGENT | Flag.NOTIFY_DROP
    assert message.ttl == 1
    assert message.marker.sender == "alice@local"
    assert message.marker.sequence == 1


async def test_large_messages_arrive(attach):
    inbox = Inbox()
    alice, _ = await pair(attach, inbox)
    bodies = [bytes([number]) * 3_000_000 for number in range(5)]
    for body in bodies:
        alice.send("bob", "m", body)
        await alice.drain()
    await inbox.got(5)
    assert inbox.bodies == bodies


async def test_when_all_is_flushed_everything_has_its_receipt(attach):
    inbox = Inbox(stalled=True)
    alice, bob = await pair(attach, inbox)
    for _ in range(100):
        alice.send("bob", "m")
    await alice._process.flush()
    assert len(bob.queue) >= 99


async def test_requests_get_their_replies_whatever_their_order(attach):
    waiting = []

    async def answer(thread, message):
        waiting.append(message)
        if len(waiting) == 3:
            for each in reversed(waiting):
                thread.reply(each, "answer", each.body)

    alice, _ = await pair(attach, answer)
    replies = await asyncio.gather(*(alice.request("bob", "ask", bytes([number])) for number in range(3)))
    assert [reply.body for reply in replies] == [b"\0", b"\1", b"\2"]


async def test_a_thread_that_waits_for_a_reply_gets_it_from_within_its_handler(attach):
    one, two = await attach("one"), await attach("two")

    async def double(thread, message):
        thread.reply(message, "doubled", message.body * 2)

    async def relay(thread, message):
        reply = await thread.request("doubler", "double", message.body)
        thread.reply(message, "relayed", reply.body)

    await two.thread("doubler", double)
    await two.thread("relay", relay)
    alice = await one.thread("alice")
    assert (await alice.request("relay", "ask", b"x")).body == b"xx"


async def test_without_a_reply_in_time_a_request_fails(attach):
    inbox = Inbox()
    alice, bob = await pair(attach, inbox)
    with pytest.raises(NoReplyError, match=r"bob@local gave no reply to ask within 0\.05 s"):
        await alice.request("bob", "ask", within=0.05)
    [message] = await inbox.got(1)
    bob.reply(message, "late")
    await bob._process.flush()


async def test_a_request_to_nobody_fails_at_once_and_tells_why(attach):
    inbox = Inbox()
    alice, _ = await pair(attach, inbox)
    with pytest.raises(DroppedError, match="knows no thread nobody@local") as caught:
        await alice.request("nobody", "ask")
    assert caught.value.dropped.name == "skal-drop-no-recipient"


async def test_a_request_is_told_by_its_error_alone(attach):
    one = await attach("one")
    told = Inbox()
    alice = await one.thread("alice", on_event=told.on_event)
    with pytest.raises(DroppedError):
        await alice.request("nobody", "ask")
    alice.send("nobody", "m")
    await told.told(Dropped)
    assert len(told.events) == 1


async def test_urgent_messages_overtake_in_the_queue(attach):
    inbox = Inbox(stalled=True)
    alice, bob = await pair(attach, inbox)
    alice.send("bob", "m", b"0")
    await alice._process.flush()
    alice.send("bob", "m", b"1")
    alice.send("bob", "m", b"2", flags=Flag.URGENT)
    await alice._process.flush()
    inbox.open.set()
    await inbox.got(3)
    assert inbox.bodies == [b"0", b"2", b"1"]
    assert len(bob.queue) == 0


async def test_a_handler_that_blocks_runs_beside_the_event_loop(attach):
    one, two = await attach("one"), await attach("two")
    inbox = Inbox()

    def blocking(thread, message):
        reply = thread.request("doubler", "double", message.body)
        thread.drain()
        thread.send("alice", "doubled", reply.body)
        if message.body == b"3":
            thread.stop()

    async def double(thread, message):
        thread.reply(message, "doubled", message.body * 2)

    await two.thread("doubler", double)
    worker = await two.thread("worker", blocking)
    alice = await one.thread("alice", inbox)
    for number in range(4):
        alice.send("worker", "work", str(number).encode())
    await inbox.got(4)
    assert inbox.bodies == [b"00", b"11", b"22", b"33"]
    await worker.wait()


async def test_a_blocking_handler_may_reply_and_multicast(attach):
    one, two = await attach("one"), await attach("two")
    inbox = Inbox()

    def blocking(thread, message):
        thread.multicast("news", "told")
        thread.reply(message, "answer", message.body)

    await two.thread("worker", blocking)
    alice = await one.thread("alice", inbox)
    alice.join("news")
    assert (await alice.request("worker", "ask", b"x")).body == b"x"
    await inbox.got(1)


async def test_threads_of_one_name_one_after_the_other_are_not_mixed_up(attach):
    one, two = await attach("one"), await attach("two")
    alice = await one.thread("alice")
    for turn in range(3):
        inbox = Inbox()
        bob = await two.thread("bob", inbox)
        alice.send("bob", "m", bytes([turn]))
        await inbox.got(1)
        assert inbox.bodies == [bytes([turn])]
        await bob.end()
