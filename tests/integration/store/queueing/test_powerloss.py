"""The power goes at any operation on the disk: what was confirmed is there once, what was settled stays away."""

import asyncio
import random

import pytest

from powerloss import PowerLossDisk
from storehub import ACK, CONFIRMED, REJECT, Queues, Source, Tap, message, queue

SPECS = (queue("q", bindings=("a",)), queue("other", bindings=("a",)))
BATCH = 8


class Session:
    """Publishes to two queues and settles deliveries of one, at random."""

    def __init__(self, queues, seed):
        self.rng = random.Random(seed)
        self.source = Source(queues.hub, "p")
        self.tap = Tap(queues.hub, "q", credit=10_000)
        self.idle = Tap(queues.hub, "other", credit=10_000)
        self.asked = set()
        """Numbers of deliveries that were settled, safely or not."""

    async def run(self):
        for _ in range(6):
            first = self.source.next
            sizes = [self.rng.choice((5, 200, 5000)) for _ in range(BATCH)]
            self.source.send([message("a", b"%d:" % (first + at) + bytes(size)) for at, size in enumerate(sizes)])
            assert await self.source.outcomes(first + BATCH - 1) == [CONFIRMED] * (first + BATCH - 1)
            self.idle.look()
            self.tap.look()
            for number in range(1, len(self.tap.got) + 1):
                if number not in self.asked and self.rng.random() < 0.6:
                    self.asked.add(number)
                    self.tap.settle(number, disposition=self.rng.choice((ACK, REJECT)))
            await self.tap.until(lambda: self.asked <= set(self.tap.settled))

    @property
    def confirmed(self):
        return {number for number, outcome in enumerate(self.source.look(), 1) if outcome == CONFIRMED}

    def numbers(self, deliveries):
        """The messages of deliveries of the settling consumer."""
        return {self.tap.got[number - 1].message.number for number in deliveries}


async def until_the_end_of_power(queues, session):
    work, end = asyncio.ensure_future(session.run()), asyncio.ensure_future(queues.tasks.crashed())
    await asyncio.wait((work, end), return_when=asyncio.FIRST_COMPLETED, timeout=30)
    assert work.done() or end.done()
    work.cancel()
    end.cancel()
    await asyncio.gather(work, end, return_exceptions=True)


@pytest.mark.parametrize("seed", range(3))
async def test_the_power_goes_at_any_operation(seed):
    calm = PowerLossDisk()
    queues = Queues(calm)
    await queues.open(*SPECS)
    started = calm.operations
    await Session(queues, seed).run()
    total = calm.operations
    await queues.close()
    chance = random.Random(seed)
    for crash_at in sorted(chance.sample(range(1, total - started), 7)):
        disk = PowerLossDisk()
        queues = Queues(disk)
        await queues.open(*SPECS)
        disk.crash_at = disk.operations + crash_at
        session = Session(queues, seed)
        await until_the_end_of_power(queues, session)
        session.tap.look()
        await queues.lose_power(disk.after_power_loss(chance))
        found = {
            name: [int(delivery.message.body.partition(b":")[0]) for delivery in await queues.browse(name)]
            for name in ("q", "other")
        }
        assert all(numbers == sorted(set(numbers)) for numbers in found.values()), crash_at
        assert session.confirmed - session.numbers(session.asked) <= set(found["q"]), crash_at
        assert session.confirmed <= set(found["other"]), crash_at
        assert not session.numbers(session.tap.settled) & set(found["q"]), crash_at
        await queues.close()
