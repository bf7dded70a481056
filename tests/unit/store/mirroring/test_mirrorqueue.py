"""What a primary's queue tells its mirrors."""

import asyncio

import pytest

from backingqueues import Stores, fetch, publish, seqs, span
from forebay.store.backing.run import spans_of
from forebay.store.mirroring.mirrorqueue import MirrorQueue
from powerloss import PowerLossDisk

UID = "uid"


class Telling(MirrorQueue):
    """Hands out what it told."""

    def __init__(self, under, uid):
        self.list = []
        super().__init__(under, uid, self.list)

    def told(self):
        told = self.list.copy()
        self.list.clear()
        return told


@pytest.fixture
def stores():
    return Stores(PowerLossDisk())


@pytest.fixture
async def queue(stores):
    queue = Telling(await stores.open(), UID)
    queue.told()
    yield queue
    queue.close()


def words(queue) -> list[str]:
    return [change.WhichOneof("change") for change in queue.told()]


async def test_what_happens_is_told_once_in_its_order(queue, stores):
    publish(queue, stores.arrivals(3))
    runs = await fetch(queue, 2)
    queue.mark(b"name", 7)
    queue.ack(spans_of(runs))
    assert words(queue) == ["published", "delivered", "marked", "acknowledged"]
    assert words(queue) == []


async def test_a_mirror_hears_nothing_of_messages_that_do_not_last(queue, stores):
    publish(queue, [stores.arrival(), stores.arrival(persistent=False), stores.arrival()])
    first, second = (change.published for change in queue.told())
    assert (first.first, len(first.sizes), second.first, len(second.sizes)) == (0, 1, 2, 1)
    queue.ack(spans_of(await fetch(queue)))
    assert [(change.acknowledged.first, change.acknowledged.count) for change in queue.told()[2:]] == [(0, 1), (2, 1)]


async def test_hand_outs_that_do_not_count_are_not_told(queue, stores):
    publish(queue, stores.arrivals(2))
    queue.told()
    queue.requeue(spans_of(await fetch(queue, counted=False)))
    assert words(queue) == []
    queue.requeue(spans_of(await fetch(queue)))
    await fetch(queue)
    assert [change.delivered.deliveries for change in queue.told()] == [1, 2]


async def test_contents_in_the_message_store_are_released_by_name(queue, stores):
    publish(queue, [stores.arrival(), stores.arrival(embedded=False)])
    queue.told()
    runs = await fetch(queue)
    ids = [id for run in runs for id in run.ids]
    queue.ack(spans_of(runs))
    gone = b"".join(change.acknowledged.stored for change in queue.told() if change.HasField("acknowledged"))
    assert gone in (bytes(16) + ids[1], ids[1])


async def test_a_purge_is_told_message_by_message(queue, stores):
    publish(queue, stores.arrivals(30))
    (held,) = await fetch(queue, 4)
    queue.told()
    assert await queue.purge() == 26
    gone = [
        range(change.acknowledged.first, change.acknowledged.first + change.acknowledged.count)
        for change in queue.told()
    ]
    assert [seq for part in gone for seq in part] == list(range(4, 30))
    assert queue.unacked == len(held)


async def test_a_copy_leaves_out_what_is_acknowledged_while_it_is_read(queue, stores):
    publish(queue, stores.arrivals(20, embedded=False))
    queue.set_target(0)
    queue.update_rates()
    queue.requeue(spans_of(await fetch(queue, 20, counted=False)))
    await fetch(queue, 10, counted=False)
    reading = asyncio.ensure_future(queue.copy(0))
    await asyncio.sleep(0)
    assert not reading.done()
    queue.ack([span(3, 2)])
    runs, following = await reading
    assert seqs(runs) == [0, 1, 2, *range(5, 20)]
    assert following == 0


async def test_messages_that_came_before_it_was_opened_are_told_by_copies_alone(stores):
    before = await stores.open()
    publish(before, stores.arrivals(3))
    before.close()
    queue = Telling(await stores.open(), UID)
    (opened,) = queue.told()
    assert list(opened.opened.next) == [3]
    runs, _ = await queue.copy(0)
    assert seqs(runs) == [0, 1, 2]
    queue.close()
