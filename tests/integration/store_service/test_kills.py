"""`kill -9` at random moments while messages come in, go out and garbage is collected.

What was confirmed is kept once and in order; what was acknowledged and told to be safe never comes back.
"""

import asyncio
import logging
import random
import time
from contextlib import suppress

import pytest

from conftest import SCALE
from eventually import eventually
from forebay.client import ConsumeSettings, PublishSettings, make_message
from forebay.runtime import BackoffSettings, ServiceError

ROUNDS = 20 * SCALE
QUICK = BackoffSettings(0.02, 0.2)
SIZES = (10, 900, 5_000, 40_000)
"""Octets of bodies: half of them are embedded, the others are not."""

pytestmark = pytest.mark.timeout(300 * SCALE)


class Traffic:
    """A publisher to two queues and a consumer of one of them; both go on over every kill."""

    def __init__(self, client, seed):
        self.client = client
        self.random = random.Random(seed)
        self.kept = []
        """Numbers of messages that both queues get."""
        self.passing = []
        """Numbers of those that only the consumed queue gets."""
        self.acked = set()
        """Numbers of messages whose acknowledgement is safe."""
        self.repeats = []
        """Numbers of messages that came again though they were acknowledged safely."""
        self.seen = set()
        self.stopped = False
        self.confirmed = 0
        """Messages whose outcome is known."""
        self.settings = PublishSettings(batch_messages=40, backoff=QUICK)

    async def publish(self):
        async with self.client.publisher(settings=self.settings) as publisher:
            number = 0
            while not self.stopped:
                messages = []
                for _ in range(20):
                    number += 1
                    to, numbers = self.random.choice((("a.keep", self.kept), ("a.pass", self.passing)))
                    numbers.append(number)
                    body = b"%d:" % number + bytes(self.random.choice(SIZES))
                    messages.append(make_message(to, body))
                await publisher.send(messages)
                if self.random.random() < 0.3:
                    await publisher.flush()
                self.confirmed = publisher.tally.confirmed
            await publisher.flush()
            assert publisher.tally.refused == 0

    async def consume(self):
        """For ever."""
        settings = ConsumeSettings(backoff=QUICK)
        async with self.client.consume("work", prefetch=200, settings=settings) as consumption:
            asked = set()
            async for delivery in consumption:
                number = int(delivery.body.partition(b":")[0])
                self.seen.add(number)
                if number in self.acked:
                    self.repeats.append(number)
                if self.random.random() < 0.05:
                    delivery.requeue()
                else:
                    delivery.ack()
                    asked.add(number)
                if len(asked) >= 100:
                    if await consumption.flush():
                        self.acked |= asked
                    asked = set()


async def contents(client, queue):
    return [int(delivery.body.partition(b":")[0]) async for delivery in in_pages(client, queue)]


async def is_emptied(client):
    """Empty all queues; whether no message is left on disk."""
    for queue in ("archive", "brief", "work"):
        await client.purge(queue)
    return (await client.status()).messages == 0


async def in_pages(client, queue):
    async for delivery in client.browse(queue):
        yield delivery.message


async def test_nothing_confirmed_is_lost_and_nothing_acknowledged_comes_back(started, record_property):
    seed = time.time_ns() % 1_000_000
    record_property("seed", seed)
    logging.getLogger(__name__).warning("seed %d", seed)
    server = await started(
        {
            "work": {"bindings": ["a.#"]},
            "archive": {"bindings": ["a.keep"]},
            "brief": {"bindings": ["a.pass"], "maxLength": 50},
        }
    )
    moments = random.Random(seed)
    async with server.client() as client:
        traffic = Traffic(client, seed)
        tasks = [asyncio.ensure_future(traffic.publish()), asyncio.ensure_future(traffic.consume())]
        for _ in range(ROUNDS):
            before = traffic.confirmed
            await eventually(lambda before=before: traffic.confirmed > before or tasks[0].done(), within=60)
            await asyncio.sleep(moments.uniform(0.0, 0.4))
            assert not any(task.done() for task in tasks), [task.exception() for task in tasks if task.done()]
            await server.kill()
            await server.start()
        traffic.stopped = True
        async with asyncio.timeout(120):
            await tasks[0]
            tasks[1].cancel()
            with suppress(asyncio.CancelledError, ServiceError):
                await tasks[1]
            everything = {*traffic.kept, *traffic.passing}
            left = await contents(client, "work")
            assert sorted(set(left)) == sorted(left)
            assert everything - set(left) <= traffic.seen, "lost"
            assert not set(left) & traffic.acked, "came back"
            assert traffic.repeats == []
            assert await contents(client, "archive") == traffic.kept
            assert await contents(client, "brief") == traffic.passing[-50:]
            await eventually(lambda: is_emptied(client))
    record_property("messages", len(everything))
