"""The power goes at every operation on the disk in turn: what was confirmed is there."""

import random
from contextlib import suppress

import pytest

from eventually import eventually
from forebay.msgstore import MessageStore, MessageStoreError, Put
from messagestores import SMALL, abandon, body, collected, ids, message_id, opened, put, puts
from powerloss import PowerLossDisk

SEEDS = (None, 1, 2, 3)
"""How the unsynced fares: it is lost, or left in some shape by chance."""


class Owner:
    """Puts and removes, and remembers what it must find again."""

    def __init__(self, disk):
        self.disk = disk
        self.owned = {}

    async def put(self, store, batch):
        await store.put(batch)
        for item in batch:
            self.owned[item.id] = b"".join(item.parts)

    def remove(self, store, numbers):
        for id in ids(numbers):
            self.owned.pop(id, None)
        store.remove(ids(numbers))

    async def settled(self, store, done):
        """Wait for garbage collection, or the end of power."""
        await eventually(lambda: self.disk.crashed or done(store.stats), every=0.002)


async def put_only(owner, store):
    for first in range(0, 60, 6):
        await owner.put(store, puts(range(first, first + 6)))


async def put_and_remove(owner, store):
    await owner.put(store, puts(range(30)))
    owner.remove(store, range(0, 30, 5))
    await owner.put(store, puts(range(30, 40)))
    owner.remove(store, range(20))
    await owner.settled(store, lambda stats: stats.gc_deleted_files)
    await owner.put(store, [Put(message_id(3), (b"another body under an old id",))])


async def collect(owner, store):
    await owner.put(store, puts(range(100)))
    owner.remove(store, [n for n in range(100) if n % 4])
    await owner.settled(store, lambda stats: stats.gc_runs >= 2 and stats.gc_deleted_files >= 4)
    await owner.put(store, puts(range(200, 210)))


async def run(disk, scenario):
    """Run a scenario until its end or the power's; True when it came to its end."""
    owner = Owner(disk)
    with suppress(MessageStoreError, OSError), opened(disk) as store:
        await scenario(owner, store)
    return owner


def check(disk, owner):
    """All that was confirmed is there after a start, and after one more."""
    for _ in range(2):
        store = MessageStore.open(disk, SMALL)
        try:
            assert store.recount((id, 1) for id in owner.owned) == []
            assert store.read(list(owner.owned)) == list(owner.owned.values())
            assert store.stats.messages == len(owner.owned)
        finally:
            store.close()


@pytest.mark.parametrize("scenario", [put_only, put_and_remove, collect])
async def test_power_loss_at_every_operation(scenario):
    whole = PowerLossDisk()
    await run(whole, scenario)
    assert whole.operations > 20
    for crash_at in range(1, whole.operations + 10):
        disk = PowerLossDisk(crash_at=crash_at)
        owner = await run(disk, scenario)
        for seed in SEEDS:
            check(disk.after_power_loss(random.Random(seed) if seed else None), owner)


async def test_power_loss_at_every_operation_of_a_recovery():
    disk = PowerLossDisk()
    owner = Owner(disk)
    with opened(disk) as store:
        await collect(owner, store)
        disk.crashed = True
    worn = disk.after_power_loss()

    async def recover(crash_at):
        again = worn.after_power_loss()
        again.crash_at = crash_at
        with suppress(MessageStoreError, OSError), opened(again) as store:
            store.recount((id, 1) for id in owner.owned)
            await eventually(lambda: again.crashed or not store._catalogue._retired, every=0.002)
        return again

    operations = (await recover(None)).operations
    assert operations > 3
    for crash_at in range(1, operations + 5):
        disk = await recover(crash_at)
        check(disk.after_power_loss(random.Random(crash_at)), owner)


async def test_clean_stop_survives_a_power_loss():
    disk = PowerLossDisk()
    owner = await run(disk, collect)
    with opened(disk.after_power_loss()) as store:
        assert store.report.clean
        assert store.read(list(owner.owned)) == list(owner.owned.values())


async def test_snapshot_that_was_used_does_not_come_back():
    """It would still fit the files, and tell old reference counts."""
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put([put(1)])
    with opened(disk) as store:
        assert store.report.clean
        await store.put([put(1)])
        abandon(store)
    with opened(disk.after_power_loss()) as store:
        assert not store.report.clean


async def test_message_that_only_the_page_cache_held_counts_as_durable_only_once_synced():
    """A killed process leaves a written, unsynced record; the next start may confirm its id without writing it."""
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put([put(1)])
        name = next(iter(store._catalogue.files.values())).name
        await store.put([put(2)])
        abandon(store)
    inode = disk._inode(name)
    inode.durable = inode.durable[:-100]
    with opened(disk) as store:
        await store.put([put(2)])
        assert store.stats.writes == 0
        abandon(store)
    with opened(disk.after_power_loss()) as store:
        assert store.read(ids([1, 2])) == [body(1), body(2)]


async def test_newest_body_of_an_id_wins_over_copies_of_older_ones(snapshot):
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put([put(1), *puts(range(10, 20))])
        store.hold()
        for text in (b"second", b"third"):
            store.remove(ids([1]))
            await store.put([Put(message_id(1), (text,))])
    disk.unlink(snapshot)
    with opened(disk) as store:
        store.recount([(message_id(1), 1)])
        assert store.read(ids([1])) == [b"third"]
        await collected(store)
