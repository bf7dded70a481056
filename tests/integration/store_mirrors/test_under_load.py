"""Primaries end at random moments while messages go in and out: what was confirmed, and settled, stays so."""

import asyncio
import os
import random
from contextlib import suppress

import pytest
from grpc.aio import AioRpcError, insecure_channel

from eventually import eventually
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from storecalls import SECONDS

ROUNDS = 2 * int(os.environ.get("SCALE", "1"))
SEED = int(os.environ.get("SEED", str(random.randrange(1 << 32))))
BATCH = 20
TAKEN = 10


class Load:
    """Publishes and takes at the primary, whichever that is; notes what it was told."""

    def __init__(self, pods) -> None:
        self.pods = pods
        self.confirmed: set[bytes] = set()
        self.taken: list[bytes] = []
        self.made = self.doubtful = 0

    async def run(self) -> None:
        while True:
            with suppress(AioRpcError, KeyError):
                async with insecure_channel(self.pods.primary.address) as channel:
                    stub = StoreServiceStub(channel)
                    while True:
                        await self.publish(stub)
                        await self.take(stub)
            await asyncio.sleep(0.05)

    async def take(self, stub: StoreServiceStub) -> None:
        """What is got counts as settled, also if the answer is lost."""
        self.doubtful += TAKEN
        answer = await stub.Get(pb.GetRequest(queue="orders", count=TAKEN), timeout=SECONDS)
        self.taken += [delivery.message.body for delivery in answer.deliveries]
        self.doubtful -= TAKEN

    async def confirms(self, more: int) -> None:
        """Wait for so many more confirmed messages."""
        wanted = len(self.confirmed) + more
        await eventually(lambda: len(self.confirmed) >= wanted, within=60)

    async def publish(self, stub: StoreServiceStub) -> None:
        bodies = [b"%d" % number for number in range(self.made, self.made + BATCH)]
        self.made += BATCH
        messages = [pb.Message(address="orders", body=body) for body in bodies]
        call = stub.Publish(iter([pb.PublishRequest(first=0, messages=messages)]), timeout=SECONDS)
        async for response in call:
            for run in response.confirms:
                assert run.outcome == pb.OUTCOME_CONFIRMED
                self.confirmed.update(bodies[run.first : run.first + run.count])

    async def drained(self) -> list[bytes]:
        """All that is left."""
        left: list[bytes] = []
        async with insecure_channel(self.pods.primary.address) as channel:
            stub = StoreServiceStub(channel)
            while True:
                answer = await stub.Get(pb.GetRequest(queue="orders", count=1000), timeout=SECONDS)
                left += [delivery.message.body for delivery in answer.deliveries]
                if not answer.deliveries:
                    return left


async def judged(load: Load) -> None:
    left = await load.drained()
    assert len(left) == len(set(left))
    assert not set(left) & set(load.taken), "what was settled came back"
    lost = sorted(map(int, load.confirmed - set(left) - set(load.taken)))
    assert len(lost) <= load.doubtful, f"confirmed and lost: {lost}; {load.doubtful} may have been taken unheard"
    assert len(load.taken) == len(set(load.taken))


@pytest.mark.parametrize("number", range(ROUNDS))
async def test_primaries_are_killed(pods, number: int):
    print(f"SEED={SEED}")  # noqa: T201 - to repeat it
    chance = random.Random(SEED + number)
    load = Load(pods)
    work = asyncio.ensure_future(load.run())
    for _ in range(3):
        await asyncio.sleep(chance.uniform(0.2, 2))
        name = pods.holder
        await pods.pods[name].kill()
        await pods.led_by_another(name)
        await pods.pods[name].start()
        await pods.whole()
        assert not work.done(), work.exception()
    await load.confirms(BATCH)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    await judged(load)


async def test_a_frozen_primary_confirms_nothing_once_another_leads(pods):
    """What it had under way when it stood still is confirmed only if the new primary has it."""
    load = Load(pods)
    work = asyncio.ensure_future(load.run())
    old, name = pods.primary, pods.holder
    await asyncio.sleep(0.5)
    old.freeze()
    await pods.led_by_another(name)
    await asyncio.sleep(0.5)
    old.thaw()
    assert await old.ended() != 0, "it lost its lease"
    await old.start()
    await pods.whole()
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    await judged(load)


async def test_a_frozen_mirror_is_waited_for_then_left_out_and_caught_up(pods):
    load = Load(pods)
    work = asyncio.ensure_future(load.run())
    slow = next(name for name in pods.names if name != pods.holder)
    pods.pods[slow].freeze()
    await pods.left_out(slow)
    await load.confirms(BATCH)
    pods.pods[slow].thaw()
    await pods.whole()
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    await judged(load)
