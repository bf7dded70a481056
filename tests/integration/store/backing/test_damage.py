"""Damaged files under a queue: the damaged record alone is lost and reported, the rest is served in its order.

Of thirty messages the first ten are embedded in a segment, the next ten are in a message file, named by the segment,
and the last ten are embedded in the journal.
"""

import pytest

from backingqueues import contents, deliveries, fetch
from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE
from storequeues import arrivals, content, numbers

ALL = set(range(30))
SIZE = 100
ENTRY = HEAD_SIZE + 16
"""Octets of a publish record without a message."""

FILES = {
    "message": ("persistent/0000000001.messages", FILE_HEAD_SIZE, HEAD_SIZE + SIZE, range(10, 20)),
    "segment": ("queues/q/0000000000.segment", FILE_HEAD_SIZE, ENTRY + SIZE, range(10)),
    "journal": ("queues/q/", FILE_HEAD_SIZE + HEAD_SIZE, ENTRY + SIZE, range(20, 30)),
}
"""Where the records of some messages are: file, place of the first, size of each."""


@pytest.fixture
async def worn(site):
    """The disk as a kill leaves it."""
    await site.open()
    await site.publish(arrivals(range(10)))
    await site.publish(arrivals(range(10, 20), embedded=False))
    site.queue.checkpoint()
    await site.publish(arrivals(range(20, 30)))
    return site.disk.after_power_loss()


class Place:
    """The records of one file."""

    def __init__(self, disk, file):
        self.name, self.start, self.size, self.seqs = FILES[file]
        if self.name.endswith("/"):
            (journal,) = (name for name in disk.names("queues/q") if name.endswith("journal"))
            self.name += journal
        self.disk = disk
        self.data = disk.contents(self.name)

    def flip(self, at):
        self.data[self.start + 3 * self.size + at] ^= 4
        return {self.seqs[3]}

    def tear(self):
        del self.data[-5:]
        return {19 if self.name.endswith("segment") else self.seqs[-1]}

    def punch(self):
        start = self.start + 3 * self.size + 30
        self.data[start : start + 2 * self.size] = bytes(2 * self.size)
        return {self.seqs[3], self.seqs[4], self.seqs[5]}


async def check(site, disk, lost):
    """Served is all but that, and numbers are not used again; so it is at the next start, too."""
    await site.reopen(disk)
    reports = site.store.report, site.index.report
    runs = await fetch(site.queue, 30)
    found = contents(runs)
    assert set(numbers(found)) == ALL - lost
    assert numbers(found) == sorted(numbers(found))
    assert found == [content(n) for n in numbers(found)]
    # The number that only a torn tail of the journal knew was never durable.
    assert (len(site.queue), site.index.next_seq) == (0, 29 if lost == {29} else 30)
    await site.reopen()
    assert set(numbers(await site.drain())) == ALL - lost
    await site.publish(arrivals([30]))
    assert numbers(await site.drain()) == [30]
    return reports


@pytest.mark.parametrize("file", FILES)
async def test_nothing_is_lost_without_damage(site, worn, file):
    store, index = await check(site, worn, set())
    assert (store.damaged, store.torn, index.damaged, index.torn) == (0, 0, 0, 0)


@pytest.mark.parametrize("at", [0, 10, 30, 70])
@pytest.mark.parametrize("file", FILES)
async def test_flipped_byte_costs_one_message(site, worn, file, at):
    place = Place(worn, file)
    store, index = await check(site, worn, place.flip(at))
    report = store if file == "message" else index
    assert (store.damaged + index.damaged, report.damages[0].file) == (1, place.name)


@pytest.mark.parametrize("file", FILES)
async def test_torn_tail_costs_the_last_message(site, worn, file):
    store, index = await check(site, worn, Place(worn, file).tear())
    assert (store.torn + index.torn, store.damaged + index.damaged) == (1, 0)


@pytest.mark.parametrize("file", FILES)
async def test_hole_of_zeros_costs_what_it_covers(site, worn, file):
    place = Place(worn, file)
    store, index = await check(site, worn, place.punch())
    report = store if file == "message" else index
    assert (store.damaged + index.damaged, report.damages[0].file) == (1, place.name)


@pytest.mark.parametrize(
    ("file", "lost"), [("message", range(10, 20)), ("segment", range(20)), ("journal", range(20, 30))]
)
async def test_deleted_file_costs_its_messages(site, worn, file, lost):
    worn.unlink(Place(worn, file).name)
    worn.settle()
    await site.reopen(worn)
    assert set(numbers(await site.drain())) == ALL - set(lost)
    assert site.store.stats.messages == 0
    await site.publish(arrivals([30]))
    assert numbers(await site.drain()) == [30]


async def test_what_the_message_store_lost_is_named(site, worn, caplog):
    (victim,) = Place(worn, "message").flip(70)
    await site.reopen(worn)
    assert site.missing == [victim.to_bytes(16, "big")]
    await site.drain()
    assert site.queue.lost == 1
    assert f"1 messages from {victim} on are damaged" in caplog.text


async def test_segment_that_vanishes_under_a_running_queue_costs_its_messages(site, worn):
    await site.reopen(worn)
    site.queue.set_target(0)
    site.queue.checkpoint()
    name = "queues/q/0000000000.segment"
    site.disk.unlink(name)
    await fetch(site.queue, 30)
    assert (len(site.queue), site.index.stats.damaged > 0) == (0, True)
    await site.publish(arrivals([30]))
    site.queue.checkpoint()
    await site.reopen()
    assert numbers(await site.drain()) == [30]


async def test_damaged_delivery_and_acknowledgement_bring_a_message_again_and_nothing_else(site, worn):
    await site.reopen(worn)
    await site.take(5)
    disk = site.disk.after_power_loss()
    (name,) = (name for name in disk.names("queues/q") if name.endswith("journal"))
    data = disk.contents(f"queues/q/{name}")
    data[-2] ^= 1
    await site.reopen(disk)
    runs = await fetch(site.queue, 30)
    assert set(numbers(contents(runs))) == ALL
    assert deliveries(runs)[:5] == [1] * 5


@pytest.mark.parametrize("embedded", [True, False], ids=["embedded", "stored"])
async def test_bodies_that_look_like_records_are_none(site, worn, embedded):
    """Whole files of a store come in as messages, and the records around them are damaged."""
    images = [bytes(Place(worn, file).data) for file in FILES]
    await site.reopen(worn)
    await site.drain()
    disguised = [
        arrival._replace(content=b"%d " % (100 + n) + image)
        for n, (arrival, image) in enumerate(zip(arrivals(range(100, 103), embedded=embedded), images, strict=True))
    ]
    await site.publish(disguised)
    disk = site.disk.after_power_loss()
    for folder in ("persistent", "queues/q"):
        for name in disk.names(folder):
            data = disk.contents(f"{folder}/{name}")
            if (at := data.find(disguised[1].content[:20])) >= 0:
                data[at + 2] ^= 1
    await site.reopen(disk)
    assert numbers(await site.drain()) == [100, 102]


@pytest.mark.parametrize("embedded", [True, False], ids=["embedded", "stored"])
async def test_messages_of_five_megabytes(site, embedded):
    """Whatever the limits above, a queue keeps them; they are paged out and come back."""
    await site.open()
    large = arrivals(range(4), 5_000_000, embedded=embedded)
    await site.publish(large)
    site.queue.set_target(0)
    if site.queue.checkpoint_due:
        site.queue.checkpoint()
    await site.reopen(site.disk.after_power_loss())
    assert await site.drain() == [arrival.content for arrival in large]
