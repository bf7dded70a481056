from contextlib import suppress

import pytest

from backingqueues import ALL, contents, deliveries, drain, fetch, publish, seqs, settle, span, stages
from forebay.msgstore import MessageStoreError
from forebay.store.backing.run import spans_of
from forebay.store.errors import UnknownSpanError
from powerloss import PowerLossDisk
from unit.store.backing.small import shrink


async def test_requeued_messages_come_first_and_in_their_old_order(stores, queue):
    arrivals = stores.arrivals(6)
    publish(queue, arrivals)
    await fetch(queue, 4)
    queue.requeue([span(2)])
    queue.requeue([span(0)])
    queue.ack([span(1)])
    queue.requeue([span(3)])
    runs = await fetch(queue, 6)
    assert seqs(runs) == [0, 2, 3, 4, 5]
    assert deliveries(runs) == [1, 1, 1, 0, 0]


async def test_messages_are_ready_once_their_batch_is_settled(stores, queue):
    queue.publish(stores.arrivals(3))
    batch = queue.take()
    queue.publish(stores.arrivals(2))
    assert len(queue) == 0
    queue.write(batch)
    assert (queue.settle(batch), len(queue)) == (3, 3)
    assert settle(queue) == 2


async def test_deliveries_are_counted_over_restarts(stores):
    queue = await stores.open()
    publish(queue, stores.arrivals(4))
    await fetch(queue, 2)
    settle(queue)
    for expected in ([1, 1, 0, 0], [2, 2, 1, 1]):
        queue.close()
        queue = await stores.open()
        assert deliveries(await fetch(queue, 4)) == expected
    queue.close()


async def test_settling_what_nobody_holds_is_refused_and_changes_nothing(stores, queue):
    publish(queue, stores.arrivals(4))
    await fetch(queue, 2)
    with pytest.raises(UnknownSpanError, match="2 is not held"):
        queue.ack([span(0), span(1, 2)])
    assert queue.unacked == 2


async def test_references_are_released_once_the_acknowledgement_is_durable(stores, queue):
    publish(queue, stores.arrivals(2, embedded=False))
    queue.ack(spans_of(await fetch(queue, 1)))
    assert len(stores.bodies.bodies) == 2
    settle(queue)
    assert len(stores.bodies.bodies) == 1


async def test_transient_messages_are_paged_out_and_gone_after_a_restart(stores, monkeypatch):
    shrink(monkeypatch)
    queue = await stores.open()
    arrivals = stores.arrivals(60, persistent=False)
    publish(queue, arrivals)
    queue.set_target(0)
    assert stages(queue)[2] > 0
    assert contents(await fetch(queue, 60)) == [arrival.content for arrival in arrivals]
    queue.close()
    queue = await stores.open()
    assert len(queue) == 0
    queue.close()


async def test_without_memory_only_a_bounded_part_is_in_memory(stores):
    queue = await stores.open()
    queue.set_target(0)
    arrivals = stores.arrivals(40_000)
    for first in range(0, len(arrivals), 500):
        publish(queue, arrivals[first : first + 500])
        if queue.checkpoint_due:
            queue.checkpoint()
    q1, q2, delta, q3, q4 = stages(queue)
    assert q1 + q4 <= 500
    assert q2 + q3 <= 16384 + 4096
    assert delta + q2 + q3 + q1 + q4 == 40_000
    queue.checkpoint()
    assert queue.ram_octets < 100_000
    assert await drain(queue) == [arrival.content for arrival in arrivals]
    queue.close()


@pytest.mark.parametrize("embedded", [True, False], ids=["embedded", "stored"])
async def test_damaged_message_is_set_aside_and_the_rest_served(stores, embedded):
    queue = await stores.open()
    arrivals = stores.arrivals(5, embedded=embedded)
    publish(queue, arrivals)
    queue.checkpoint()
    queue.close()
    queue = await stores.open()
    queue.set_target(0)
    if embedded:
        data = stores.disk.contents("queues/q/0000000000.segment")
        data[data.index(arrivals[2].content)] ^= 1
    else:
        del stores.bodies.bodies[arrivals[2].id]
    assert seqs(await fetch(queue, 5)) == [0, 1, 3, 4]
    assert len(queue) == 0
    assert queue.lost == 1
    queue.close()


async def test_marks_are_durable_with_what_was_published_before(stores):
    queue = await stores.open()
    publish(queue, stores.arrivals(2))
    queue.mark(b"publisher", 7)
    settle(queue)
    queue.checkpoint()
    publish(queue, stores.arrivals(2))
    stores.disk = stores.disk.after_power_loss()
    queue = await stores.open()
    assert queue.marks() == {b"publisher": 7}
    assert seqs(await queue.unmarked()) == [2, 3]
    queue.close()


async def test_priorities_go_first_and_the_lowest_is_dropped(stores):
    queue = await stores.open_levels(3)
    arrivals = [stores.arrival(priority=priority) for priority in (0, 9, 1, 3, 0)]
    assert [(part.level, part.first, part.count) for part in publish(queue, arrivals)] == [
        (0, 0, 1),
        (3, 0, 1),
        (1, 0, 1),
        (3, 1, 1),
        (0, 1, 1),
    ]
    dropped = queue.drop(1)
    assert contents(dropped) == [arrivals[0].content]
    queue.ack(spans_of(dropped))
    browsed = await queue.browse(0, 2, ALL)
    assert contents(browsed.runs) == [arrivals[1].content, arrivals[3].content]
    runs = await fetch(queue, 4)
    assert contents(runs) == [arrivals[at].content for at in (1, 3, 2, 4)]
    queue.requeue(spans_of(runs[:1]))
    assert (len(queue), queue.unacked) == (1 + len(runs[0]) - 1, 4 - len(runs[0]))
    queue.close()


async def run_until_the_power_goes(stores, published, acknowledged):
    """Rounds of publish, fetch and acknowledge with checkpoints between; fills in what each round has confirmed."""
    queue = await stores.open()
    queue.set_target(0)
    for step in range(8):
        arrivals = stores.arrivals(9)
        queue.publish(arrivals)
        runs = await fetch(queue, 4)
        queue.ack(spans_of(runs))
        settle(queue)
        published.update(arrival.content for arrival in arrivals)
        acknowledged.update(contents(runs))
        if step % 3 == 2:
            queue.checkpoint()
    queue.close()


async def test_power_loss_at_every_operation_loses_nothing_confirmed(stores, monkeypatch):
    shrink(monkeypatch)
    disk = PowerLossDisk()
    stores.disk = disk
    await run_until_the_power_goes(stores, set(), set())
    for crash_at in range(1, disk.operations + 1):
        stores.disk, stores.made = PowerLossDisk(crash_at=crash_at), 0
        published, acknowledged, ended = set(), set(), False
        with suppress(OSError, MessageStoreError):
            await run_until_the_power_goes(stores, published, acknowledged)
            ended = True
        stores.disk = stores.disk.after_power_loss()
        queue = await stores.open()
        found = set(await drain(queue))
        assert not found & acknowledged, crash_at
        assert len(published - found - acknowledged) <= (0 if ended else 4), crash_at
        queue.close()
