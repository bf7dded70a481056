"""Nothing is lost and nothing comes twice, whatever the network does."""

from random import Random

import pytest

from eventually import eventually
from forebay.client.router import Dropped, Flag, OutboxSettings, ProcessSettings
from forebay.pb.router.v1 import router_pb2 as pb
from threads import Inbox

QUICK = ProcessSettings(farewell=5.0, outbox=OutboxSettings(repeat=0.2, longest_repeat=0.5, window_messages=64))


async def test_when_receipts_are_lost_messages_are_repeated_and_handled_once(router, attach):
    lost = []
    forward = router.switch.receipts

    def receipts(batch):
        for receipt in batch:
            if len(lost) < 3:
                lost.append(receipt)
            else:
                forward([receipt])

    router.switch.receipts = receipts
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    one = await attach("one", QUICK)
    alice = await one.thread("alice")
    for number in range(10):
        alice.send("bob", "m", bytes([number]))
    await one.flush()
    assert len(lost) == 3
    await inbox.got(10)
    assert inbox.bodies == [bytes([number]) for number in range(10)]
    assert router.switch.messages > 10


@pytest.mark.parametrize("seed", range(3))
async def test_over_a_lossy_router_each_message_arrives_once_and_in_order(router, attach, seed):
    random = Random(seed)
    parcels, receipts = router.switch.parcels, router.switch.receipts
    router.switch.parcels = lambda batch, source: parcels([each for each in batch if random.random() > 0.2], source)
    router.switch.receipts = lambda batch: receipts([each for each in batch if random.random() > 0.2])
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    one = await attach("one", QUICK)
    alice = await one.thread("alice")
    for number in range(400):
        alice.send("bob", "m", str(number).encode())
        await alice.drain()
    await one.flush()
    await inbox.got(400)
    assert inbox.bodies == [str(number).encode() for number in range(400)]


async def test_a_message_that_may_be_dropped_is_sent_once(router, attach):
    lost = []
    forward = router.switch.parcels

    def parcels(batch, source):
        kept = [each for each in batch if not each.flags & Flag.DROP_OK]
        lost.extend(each for each in batch if each.flags & Flag.DROP_OK)
        forward(kept, source)

    router.switch.parcels = parcels
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    one = await attach("one", QUICK)
    alice = await one.thread("alice")
    alice.send("bob", "m", b"1")
    alice.send("bob", "m", b"2", flags=Flag.DROP_OK)
    alice.send("bob", "m", b"3")
    await one.flush()
    await inbox.got(2)
    assert inbox.bodies == [b"1", b"3"]
    assert len(lost) == 1


async def test_a_drop_is_told_once_however_often_the_message_is_repeated(router, attach):
    forward = router.switch.receipts
    router.switch.receipts = lambda batch: [forward([each, each]) for each in map(copied, batch)]
    told = Inbox()
    one = await attach("one", QUICK)
    alice = await one.thread("alice", on_event=told.on_event)
    alice.send("nobody", "m")
    alice.send("nobody", "m")
    await told.told(Dropped, 2)
    await one.flush()
    assert [event.original_marker.sequence for event in told.events] == [1, 2]


def copied(receipt):
    copy = pb.Receipt()
    copy.CopyFrom(receipt)
    return copy


async def test_octets_that_are_no_messages_are_let_go_of(router, attach):
    forward = router.switch.parcels

    def parcels(batch, source):
        for parcel in batch:
            parcel.messages = parcel.messages.replace(b"garbage", b"\xff" * 7)
            if b"\xff" in parcel.messages:
                parcel.messages = b"\xff\xff"
        forward(batch, source)

    router.switch.parcels = parcels
    inbox = Inbox()
    await (await attach("two")).thread("bob", inbox)
    one = await attach("one", QUICK)
    alice = await one.thread("alice")
    alice.send("bob", "m", b"garbage")
    await one.flush()
    alice.send("bob", "m", b"sound")
    await inbox.got(1)
    assert inbox.bodies == [b"sound"]
    await eventually(lambda: router.switch.messages == 2)
