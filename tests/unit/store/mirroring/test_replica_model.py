"""Whatever happens to a queue, a mirror has what a restart of the primary would find, from whenever it joined."""

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backingqueues import Stores, deliveries, fetch
from forebay.msgstore import MessageStore
from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.store.backing.run import spans_of
from forebay.store.mirroring import changes
from forebay.store.mirroring.mirrorqueue import MirrorQueue
from forebay.store.mirroring.replica import Replica
from powerloss import PowerLossDisk
from unit.store.backing.small import shrink

UID = "q"
"""The folder of `backingqueues` has this name too."""


@pytest.fixture(autouse=True, scope="module")
def _small():
    with pytest.MonkeyPatch.context() as patch:
        shrink(patch)
        patch.setattr("forebay.store.mirroring.mirrorqueue.COPY_COUNT", 7)
        yield


class Pair:
    """A primary's queue and a mirror that may join at any time."""

    def __init__(self, chance: random.Random, top: int) -> None:
        self.chance = chance
        self.top = top
        self.stores = Stores(PowerLossDisk())
        self.mirror = PowerLossDisk()
        self.replica: Replica | None = None
        self.contents: MessageStore | None = None
        self.copying: int | None = None
        self.step = 0
        self.held = []
        self.stored = {}

    async def open(self) -> None:
        self.told = []
        self.queue = MirrorQueue(await self._open(self.stores), UID, self.told)

    async def _open(self, stores):
        return await (stores.open_levels(self.top) if self.top else stores.open())

    async def run(self, steps: int) -> None:
        acts = [self.publish, self.publish, self.round, self.fetch, self.fetch, self.ack, self.requeue, self.mark]
        acts += [self.round, self.copy, self.copy]
        for number in range(steps):
            if number == steps // 3:
                self.join()
            act = self.chance.choice(acts)
            await act()
            if self.chance.random() < 0.01:
                await self.queue.purge()
        while self.copying is not None:
            await self.copy()
        await self.round()

    def join(self) -> None:
        self.contents = MessageStore.open(self.mirror)
        self.replica = Replica(self.mirror, self.contents, sync=True)
        self.copying = 0

    async def publish(self) -> None:
        chance = self.chance
        arrivals = [
            self.stores.arrival(
                embedded=chance.random() < 0.6,
                persistent=chance.random() < 0.8,
                priority=chance.randrange(self.top + 1),
                size=chance.randrange(5, 60),
            )
            for _ in range(chance.randrange(1, 9))
        ]
        self.stored |= {arrival.id: arrival.content for arrival in arrivals if not arrival.embedded}
        self.queue.publish(arrivals)

    async def round(self) -> None:
        told = self.told.copy()
        self.told.clear()
        if batch := self.queue.take():
            self.queue.write(batch)
            self.queue.settle(batch)
        named = {id for change in told for id in changes_of(change)}
        await self.tell([pb.MirrorContent(id=id, data=self.stored[id]) for id in named if id in self.stored], told)

    async def tell(self, contents, told, *, first: bool = False) -> None:
        if self.replica:
            self.step += 1
            opened = [self.queue.opened()] if self.step == 1 else []
            request = pb.FollowRequest(contents=contents, changes=[*opened, *told], step=self.step)
            assert await self.replica.apply(pb.FollowRequest.FromString(request.SerializeToString()))
            await self.replica.rest()

    async def copy(self) -> None:
        """Some messages to the mirror; other things happen while they are read."""
        if self.copying is None:
            return
        reading = asyncio.ensure_future(self.queue.copy(self.copying))
        await asyncio.sleep(0)
        while not reading.done():
            await self.ack()
            await asyncio.sleep(0)
        runs, following = await reading
        told = [change for run in runs for change in changes.copied(UID, run)]
        if not self.copying:
            told += self.queue.copied_marks()
        await self.tell(list(changes.contents(runs)), told)
        self.copying = following or None

    async def fetch(self) -> None:
        self.held += await fetch(self.queue, self.chance.randrange(1, 12), counted=self.chance.random() < 0.8)

    async def ack(self) -> None:
        self.queue.ack(spans_of(self._some()))

    async def requeue(self) -> None:
        self.queue.requeue(spans_of(self._some()))

    def _some(self):
        """Parts of what is held, which is held no more."""
        self.chance.shuffle(self.held)
        taken = [self.held.pop() for _ in range(min(len(self.held), 2))]
        some = []
        for run in taken:
            cut = self.chance.randrange(len(run) + 1)
            some += [part for part in (run.part(0, cut),) if len(part)]
            self.held += [part for part in (run.part(cut, len(run)),) if len(part)]
        return some

    async def mark(self) -> None:
        self.queue.mark(b"publisher %d" % self.chance.randrange(3), self.chance.randrange(100))

    async def restarted(self, disk, bodies):
        """What a start finds, and the references that it needs."""
        stores = Stores(disk.after_power_loss())
        stores.bodies.bodies = bodies
        queue = await self._open(stores)
        references = dict(queue.references())
        runs = (await queue.browse(0, 10_000, 1 << 40)).runs
        found = [
            (run.level, seq, id, content, expiry)
            for run in runs
            for seq, id, content, expiry in zip(
                run.seqs, run.ids, run.contents, run.expiries or [0] * len(run), strict=True
            )
        ]
        return found, deliveries(runs), queue.marks(), references


def changes_of(change: pb.QueueChange) -> list[bytes]:
    ids = change.published.ids
    return [ids[at : at + 16] for at in range(0, len(ids), 16)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0, 2]))
def test_a_mirror_has_what_a_restart_of_the_primary_would_find(seed: int, top: int):
    asyncio.run(check(seed, top))


async def check(seed: int, top: int) -> None:
    pair = Pair(random.Random(seed), top)
    await pair.open()
    await pair.run(60)
    assert pair.replica
    assert pair.contents
    await pair.replica.close()
    expected = await pair.restarted(pair.stores.disk, pair.stores.bodies.bodies)
    references = expected[-1]
    pair.contents.close()
    contents = MessageStore.open(pair.mirror)
    shelf = {id: body for id, body in zip(references, await contents.fetch(list(references)), strict=True) if body}
    assert await pair.restarted(pair.mirror, shelf) == expected
    contents.remove([id for id, count in references.items() for _ in range(count)])
    assert contents.stats.messages == 0
    contents.close()
