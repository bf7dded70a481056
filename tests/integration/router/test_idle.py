"""What is known of recipients to whom nothing was sent for long."""

from eventually import eventually
from forebay.client.router import ProcessSettings
from threads import Inbox


async def test_recipients_to_whom_nothing_is_sent_are_forgotten_and_found_again(attach):
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    one = await attach("one", ProcessSettings(farewell=0.5, idle=0.1))
    alice = await one.thread("alice")
    alice.send("bob", "m", b"1")
    alice.multicast("news", "m")
    await one.flush()
    assert alice._recipients.known
    await eventually(lambda: not alice._recipients.known and not alice._recipients._groups)
    assert not one.dispatch._outboxes
    alice.send("bob", "m", b"2")
    await inbox.got(2)
    assert inbox.bodies == [b"1", b"2"]


async def test_what_threads_that_have_ended_leave_behind_is_forgotten(attach):
    await (await attach("two")).thread("bob", Inbox())
    one = await attach("one", ProcessSettings(farewell=0.5, idle=0.1))
    alice = await one.thread("alice")
    alice.send("bob", "m")
    await alice.end()
    await eventually(lambda: not one.dispatch._outboxes)
    assert "alice" not in one.threads
