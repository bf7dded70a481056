"""The power goes at every operation on the disk, under queue, index and message store at once."""

import random
from contextlib import suppress

import pytest

from backingqueues import contents, fetch
from forebay.msgstore import MessageStoreError
from forebay.store.backing.run import spans_of
from powerloss import PowerLossDisk
from storequeues import QueueSite, arrivals, content, numbers

SEEDS = (None, 1)
"""How the unsynced fares: it is lost, or left in some shape by chance."""


class Owner:
    """Publishes and acknowledges in rounds, with checkpoints between, until the end or the power's."""

    def __init__(self, disk):
        self.site = QueueSite(disk, checked=False)
        self.confirmed = set()
        self.taken = set()
        """Acknowledged, whether that was confirmed or not."""
        self.done = set()
        """Acknowledged for good."""
        self.first_free = 0

    async def run(self):
        with suppress(OSError, MessageStoreError):
            await self.work()
        with suppress(OSError, MessageStoreError):
            await self.site.close()

    async def work(self):
        queue = await self.site.open()
        queue.set_target(0)
        for step in range(6):
            fresh = range(step * 6, step * 6 + 6)
            await self.site.publish(arrivals(fresh, 300, embedded=step % 2 == 0))
            self.confirmed.update(fresh)
            self.first_free = self.site.index.next_seq
            runs = await fetch(queue, 4)
            some = set(numbers(contents(runs)))
            self.taken |= some
            queue.ack(spans_of(runs))
            self.site.settle()
            self.done |= some
            if step % 2:
                queue.checkpoint()


async def check(disk, owner):
    """What was confirmed is there, what is done with is gone; also after one more start."""
    site = QueueSite(disk, checked=False)
    for _ in range(2):
        await site.reopen()
        assert site.missing == []
        assert site.index.next_seq >= owner.first_free
        runs = await fetch(site.queue, 100)
        found = numbers(contents(runs))
        assert owner.confirmed - owner.taken <= set(found)
        assert not set(found) & owner.done
        assert found == sorted(set(found))
        assert contents(runs) == [content(n, 300) for n in found]
        assert site.queue.lost == 0
        # A body that nobody owns is gone, too.
        assert site.store.stats.messages == sum(n // 6 % 2 for n in found)
    await site.close()


async def test_power_loss_at_every_operation():
    whole = PowerLossDisk()
    await Owner(whole).run()
    assert whole.operations > 60
    for crash_at in range(1, whole.operations + 3):
        disk = PowerLossDisk(crash_at=crash_at)
        owner = Owner(disk)
        await owner.run()
        for seed in SEEDS:
            await check(disk.after_power_loss(random.Random(seed) if seed else None), owner)


@pytest.mark.parametrize("seed", SEEDS)
async def test_power_loss_at_every_operation_of_a_start(seed):
    disk = PowerLossDisk()
    owner = Owner(disk)
    await owner.work()
    worn = disk.after_power_loss()
    await owner.site.close()
    site = QueueSite(worn.after_power_loss(), checked=False)
    await site.open()
    operations = site.disk.operations
    await site.close()
    assert operations > 10
    for crash_at in range(1, operations + 2):
        again = worn.after_power_loss()
        again.crash_at = crash_at
        starting = QueueSite(again, checked=False)
        with suppress(OSError, MessageStoreError):
            await starting.open()
        await starting.close()
        await check(again.after_power_loss(random.Random(seed) if seed else None), owner)
