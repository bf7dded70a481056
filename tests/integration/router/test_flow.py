"""xoff, xon and ntf-xon between processes of one router."""

import asyncio

from eventually import eventually
from forebay.client.router import Dropped, FlowSettings, OutboxSettings, ProcessSettings, QueueLimits
from forebay.pb.router.v1 import router_pb2 as pb
from threads import Inbox

LIMITS = QueueLimits(high=4, low=2)
SLOW = FlowSettings(repeat=60.0, longest_repeat=60.0, block_limit=60.0)
"""Nothing happens by time."""


def settings(flow=SLOW, **options):
    return ProcessSettings(farewell=0.5, queue=LIMITS, flow=flow, **options)


def seen(router):
    """Signals that pass the router from now on, by name."""
    found = []
    forward = router.switch.signals

    def signals(batch):
        batch = list(batch)
        found.extend((pb.SignalKind.Name(each.kind), each.sender, each.recipient) for each in batch)
        forward(batch)

    router.switch.signals = signals
    return found


def lossy(router, kind, times):
    """Lose so many signals of a kind at the router."""
    lost = []
    forward = router.switch.signals

    def signals(batch):
        kept = []
        for signal in batch:
            if signal.kind == kind and len(lost) < times:
                lost.append(signal)
            else:
                kept.append(signal)
        forward(kept)

    router.switch.signals = signals
    return lost


async def fill(alice, count=4, recipient="bob"):
    for _ in range(count):
        alice.send(recipient, "m")
    await eventually(lambda: alice.pacing.blockers)


async def test_a_full_queue_takes_the_message_and_tells_its_sender_xoff_and_later_xon(router, attach):
    signals = seen(router)
    inbox = Inbox(stalled=True)
    bob = await (await attach("two", settings())).thread("bob", inbox)
    alice = await (await attach("one", settings())).thread("alice")
    await fill(alice, 6)
    assert alice.pacing.blockers == ["bob@local"]
    await eventually(lambda: len(bob.queue) == 5)
    inbox.open.set()
    await alice.drain()
    await inbox.got(6)
    assert signals[-1] == ("SIGNAL_KIND_XON", "bob@local", "alice@local")
    assert {signal[0] for signal in signals} == {"SIGNAL_KIND_XOFF", "SIGNAL_KIND_XON"}


async def test_while_a_sender_waits_it_handles_no_message_but_every_event(attach):
    stalled, inbox = Inbox(stalled=True), Inbox()
    two = await attach("two", settings())
    await two.thread("bob", stalled)
    carol = await two.thread("carol")
    alice = await (await attach("one", settings())).thread("alice", inbox, on_event=inbox.on_event)
    await fill(alice)
    carol.send("alice", "wait")
    alice.send("nobody", "m")
    await inbox.told(Dropped)
    await two.flush()
    assert len(alice.queue) == 1
    assert inbox.messages == []
    stalled.open.set()
    await inbox.got(1)


async def test_one_xon_cancels_all_xoffs_of_a_recipient(router, attach):
    signals = seen(router)
    inbox = Inbox(stalled=True)
    await (await attach("two", settings())).thread("bob", inbox)
    alice = await (await attach("one", settings())).thread("alice")
    for _ in range(5):
        await fill(alice)
        await alice._process.flush()
    await eventually(lambda: sum(kind == "SIGNAL_KIND_XOFF" for kind, *_ in signals) >= 5)
    inbox.open.set()
    await alice.drain()
    await inbox.got(20)
    assert not alice.pacing.held


async def test_a_sender_waits_until_every_recipient_has_told_xon(attach):
    two = await attach("two", settings())
    inboxes = {name: Inbox(stalled=True) for name in ("bob", "carol")}
    for name, inbox in inboxes.items():
        await two.thread(name, inbox)
    alice = await (await attach("one", settings())).thread("alice")
    for name in inboxes:
        await fill(alice, 4, name)
    await eventually(lambda: len(alice.pacing.blockers) == 2)
    inboxes["bob"].open.set()
    await eventually(lambda: alice.pacing.blockers == ["carol@local"])
    inboxes["carol"].open.set()
    await alice.drain()


async def test_every_sender_that_waits_is_told_xon(attach):
    inbox = Inbox(stalled=True)
    await (await attach("two", settings())).thread("bob", inbox)
    senders = [await (await attach(f"one-{number}", settings())).thread(f"alice-{number}") for number in range(5)]
    for sender in senders:
        await fill(sender)
    inbox.open.set()
    for sender in senders:
        await sender.drain()
    await inbox.got(20)


async def test_others_go_on_while_one_sender_waits(attach):
    stalled, inbox = Inbox(stalled=True), Inbox()
    two = await attach("two", settings())
    await two.thread("bob", stalled)
    await two.thread("carol", inbox)
    one = await attach("one", settings())
    alice, dave = await one.thread("alice"), await one.thread("dave")
    await fill(alice)
    for number in range(100):
        dave.send("carol", "m", bytes([number]))
        await dave.drain()
    await inbox.got(100)
    assert alice.pacing.held


async def test_when_an_xon_is_lost_the_timer_asks_again(router, attach):
    lost = lossy(router, pb.SIGNAL_KIND_XON, 2)
    inbox = Inbox(stalled=True)
    flow = FlowSettings(repeat=0.05, block_limit=60.0)
    await (await attach("two", settings(flow))).thread("bob", inbox)
    alice = await (await attach("one", settings(flow))).thread("alice")
    await fill(alice)
    inbox.open.set()
    await inbox.got(4)
    await alice.drain()
    assert len(lost) == 2


async def test_when_ntf_xon_is_lost_it_is_repeated(router, attach):
    lossy(router, pb.SIGNAL_KIND_XON, 1)
    asked = lossy(router, pb.SIGNAL_KIND_NTF_XON, 3)
    inbox = Inbox(stalled=True)
    flow = FlowSettings(repeat=0.02, block_limit=60.0)
    await (await attach("two", settings(flow))).thread("bob", inbox)
    alice = await (await attach("one", settings(flow))).thread("alice")
    await fill(alice)
    await eventually(lambda: len(asked) == 3)
    inbox.open.set()
    await alice.drain()


async def test_who_asks_a_thread_that_is_gone_for_xon_is_told_so(router, attach):
    lossy(router, pb.SIGNAL_KIND_XON, 1)
    flow = FlowSettings(repeat=0.05, block_limit=60.0)
    two = await attach("two", settings(flow))
    bob = await two.thread("bob")
    alice = await (await attach("one", settings(flow))).thread("alice")
    await fill(alice)
    await bob.end()
    await alice.drain()


async def test_a_thread_that_ends_tells_xon_to_all_who_wait(attach):
    two = await attach("two", settings())
    bob = await two.thread("bob")
    alice = await (await attach("one", settings())).thread("alice")
    await fill(alice)
    await bob.end()
    await alice.drain()


async def test_two_threads_full_of_each_others_messages_go_on_after_a_while_and_there_is_an_alarm(router, attach):
    flow = FlowSettings(repeat=0.05, block_limit=0.5)
    inboxes = {name: Inbox(stalled=True) for name in ("alice", "bob")}
    alice = await (await attach("one", settings(flow))).thread("alice", inboxes["alice"])
    bob = await (await attach("two", settings(flow))).thread("bob", inboxes["bob"])
    for _ in range(6):
        alice.send("bob", "m")
        bob.send("alice", "m")
    await eventually(lambda: alice.pacing.blockers and bob.pacing.blockers)
    for inbox in inboxes.values():
        inbox.open.set()
    for inbox in inboxes.values():
        await inbox.got(6)
    [alarm, *_] = await eventually(router.switch.alarms.raised)
    assert alarm.name == "skal-block-limit"
    assert alarm.origin in {"alice@local", "bob@local"}


async def test_too_much_without_a_receipt_holds_a_sender(router, attach):
    receipts = []
    forward, router.switch.receipts = router.switch.receipts, lambda batch: receipts.extend(batch)
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    outbox = OutboxSettings(window_messages=40, repeat=60.0)
    alice = await (await attach("one", settings(outbox=outbox))).thread("alice")
    for _ in range(40):
        alice.send("bob", "m")
    assert alice.pacing.held
    await inbox.got(40)
    assert alice.pacing.held
    router.switch.receipts = forward
    forward(receipts)
    await alice.drain()


async def test_a_process_that_reads_nothing_makes_its_senders_wait_and_nothing_is_lost(router, attach):
    two = await attach("two")
    inbox = Inbox()
    await two.thread("bob", inbox)
    [attachment] = [each for each in router.node.processes if each.process == "two"]
    fill, attachment.outlet.fill = attachment.outlet.fill, lambda freight: False
    alice = await (await attach("one")).thread("alice")
    sent = 0
    while not alice.pacing.held:
        alice.send("bob", "m", bytes(100_000))
        sent += 1
        await asyncio.sleep(0)
    assert sent < 200
    attachment.outlet.fill = fill
    attachment.outlet.wake()
    await alice.drain()
    await inbox.got(sent)
    assert len(inbox.messages) == sent
