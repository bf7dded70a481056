"""RabbitMQ and a store behind one face, so that the same cases can be put to both."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any, NamedTuple, Protocol

import grpc
import pika
from pika.exceptions import NackError

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from storecommand import run_store

PATIENCE = 20.0
"""Seconds to wait for a message that has to come."""
POLL = 0.02
MANY = 1000


class Options(NamedTuple):
    """What a queue is like."""

    max_length: int | None = None
    overflow: str = "drop-head"
    """Or reject-publish."""
    dead_letter: str = ""
    """The queue that gets dead letters."""
    ttl_ms: int | None = None
    max_priority: int = 0


class Taken(NamedTuple):
    """A message that a consumer holds."""

    tag: Any
    body: str
    redelivered: bool
    deaths: tuple[tuple[str, str, int], ...]
    """Queue, reason and count, the last first."""


class Broker(Protocol):
    """What the cases ask of a broker."""

    async def declare(self, queues: Mapping[str, Options]) -> None:
        """Begin with these queues, empty."""

    async def publish(self, queue: str, body: str, *, ttl_ms: int | None = None, priority: int = 0) -> bool:
        """Publish durably; whether it was confirmed."""

    async def take(self, queue: str, count: int) -> list[Taken]:
        """Hold so many messages from the head, which have to come soon."""

    async def ack(self, queue: str, taken: Taken) -> None: ...

    async def requeue(self, queue: str, taken: Taken) -> None: ...

    async def reject(self, queue: str, taken: Taken) -> None: ...

    async def ready(self, queue: str) -> int:
        """How many messages may be taken."""

    async def close(self) -> None: ...


class RabbitMqBroker:
    """A real RabbitMQ, asked in threads."""

    def __init__(self, uri: str) -> None:
        self.connection = pika.BlockingConnection(pika.URLParameters(uri))
        self.channel = self.connection.channel()
        self.channel.confirm_delivery()
        self.declared: list[str] = []

    async def declare(self, queues: Mapping[str, Options]) -> None:
        for name, options in queues.items():
            arguments = {
                "x-max-length": options.max_length,
                "x-overflow": options.overflow,
                "x-dead-letter-exchange": "" if options.dead_letter else None,
                "x-dead-letter-routing-key": options.dead_letter or None,
                "x-message-ttl": options.ttl_ms,
                "x-max-priority": options.max_priority or None,
            }
            given = {key: value for key, value in arguments.items() if value is not None}
            await asyncio.to_thread(self.channel.queue_declare, name, durable=True, arguments=given)
            self.declared.append(name)

    async def publish(self, queue: str, body: str, *, ttl_ms: int | None = None, priority: int = 0) -> bool:
        expiration = None if ttl_ms is None else str(ttl_ms)
        properties = pika.BasicProperties(delivery_mode=2, expiration=expiration, priority=priority)
        try:
            await asyncio.to_thread(self.channel.basic_publish, "", queue, body.encode(), properties)
        except NackError:
            return False
        return True

    async def take(self, queue: str, count: int) -> list[Taken]:
        taken: list[Taken] = []
        async with asyncio.timeout(PATIENCE):
            while len(taken) < count:
                method, properties, body = await asyncio.to_thread(self.channel.basic_get, queue)
                if method is None:
                    await asyncio.sleep(POLL)
                    continue
                deaths = (properties.headers or {}).get("x-death", [])
                told = tuple((death["queue"], death["reason"], death["count"]) for death in deaths)
                taken.append(Taken(method.delivery_tag, body.decode(), method.redelivered, told))
        return taken

    async def ack(self, queue: str, taken: Taken) -> None:
        await asyncio.to_thread(self.channel.basic_ack, taken.tag)

    async def requeue(self, queue: str, taken: Taken) -> None:
        await asyncio.to_thread(self.channel.basic_nack, taken.tag, requeue=True)

    async def reject(self, queue: str, taken: Taken) -> None:
        await asyncio.to_thread(self.channel.basic_reject, taken.tag, requeue=False)

    async def ready(self, queue: str) -> int:
        declared = await asyncio.to_thread(self.channel.queue_declare, queue, passive=True)
        return int(declared.method.message_count)

    async def close(self) -> None:
        for name in self.declared:
            await asyncio.to_thread(self.channel.queue_delete, name)
        await asyncio.to_thread(self.connection.close)


class Consumption:
    """A consumer of a store that takes as many as it is told to, and waits until its settlements are durable."""

    def __init__(self, stub: StoreServiceStub, queue: str) -> None:
        self.queue = queue
        self.stream = stub.Consume()
        self.started = False
        self.settled: set[int] = set()
        self.arrived: list[pb.Delivery] = []
        self.news = asyncio.Condition()

    async def start(self) -> None:
        self.reading = asyncio.ensure_future(self.read())
        await self.stream.write(pb.ConsumeRequest(start=pb.ConsumeStart(queue=self.queue, prefetch=MANY)))

    async def read(self) -> None:
        async for response in self.stream:
            async with self.news:
                self.arrived += response.deliveries
                for run in response.settled:
                    self.settled.update(range(run.first, run.first + run.count))
                self.news.notify_all()

    async def take(self, count: int) -> list[pb.Delivery]:
        await self.stream.write(pb.ConsumeRequest(credit=count))
        async with asyncio.timeout(PATIENCE), self.news:
            await self.news.wait_for(lambda: len(self.arrived) >= count)
        taken, self.arrived = self.arrived[:count], self.arrived[count:]
        return taken

    async def settle(self, number: int, disposition: pb.Disposition) -> None:
        run = pb.Settlement(first=number, count=1, disposition=disposition)
        await self.stream.write(pb.ConsumeRequest(settlements=[run]))
        async with asyncio.timeout(PATIENCE), self.news:
            await self.news.wait_for(lambda: number in self.settled)

    async def close(self) -> None:
        self.stream.cancel()
        await asyncio.gather(self.reading, return_exceptions=True)


REASONS = {
    pb.DEATH_REASON_REJECTED: "rejected",
    pb.DEATH_REASON_EXPIRED: "expired",
    pb.DEATH_REASON_MAXLEN: "maxlen",
    pb.DEATH_REASON_DELIVERY_LIMIT: "delivery_limit",
}
OVERFLOWS = {"drop-head": "DropHead", "reject-publish": "RejectPublish"}


class StoreBroker:
    """A store as a process of its own, asked over gRPC."""

    def __init__(self) -> None:
        self.stack = AsyncExitStack()
        self.consumptions: dict[str, Consumption] = {}

    async def declare(self, queues: Mapping[str, Options]) -> None:
        specs = {name: spec_of(options) for name, options in queues.items()}
        command = await self.stack.enter_async_context(run_store(specs))
        channel = await self.stack.enter_async_context(grpc.aio.insecure_channel(command.address))
        self.stub = StoreServiceStub(channel)

    async def publish(self, queue: str, body: str, *, ttl_ms: int | None = None, priority: int = 0) -> bool:
        message = pb.Message(address=queue, body=body.encode(), ttl_ms=ttl_ms, priority=priority)
        stream = self.stub.Publish()
        await stream.write(pb.PublishRequest(first=1, messages=[message]))
        async with asyncio.timeout(PATIENCE):
            # The first response says that the stream is taken in, and may have nothing in it.
            while not (confirms := (await stream.read()).confirms):
                pass
        stream.cancel()
        return bool(confirms[0].outcome == pb.OUTCOME_CONFIRMED)

    async def take(self, queue: str, count: int) -> list[Taken]:
        return [taken_of(delivery) for delivery in await (await self.consumption(queue)).take(count)]

    async def ack(self, queue: str, taken: Taken) -> None:
        await self.settle(queue, taken, pb.DISPOSITION_ACK)

    async def requeue(self, queue: str, taken: Taken) -> None:
        await self.settle(queue, taken, pb.DISPOSITION_REQUEUE)

    async def reject(self, queue: str, taken: Taken) -> None:
        await self.settle(queue, taken, pb.DISPOSITION_REJECT)

    async def ready(self, queue: str) -> int:
        response = await self.stub.GetQueue(pb.GetQueueRequest(queue=queue))
        return response.status.ready

    async def close(self) -> None:
        for consumption in self.consumptions.values():
            await consumption.close()
        await self.stack.aclose()

    async def consumption(self, queue: str) -> Consumption:
        if queue not in self.consumptions:
            self.consumptions[queue] = Consumption(self.stub, queue)
            await self.consumptions[queue].start()
        return self.consumptions[queue]

    async def settle(self, queue: str, taken: Taken, disposition: pb.Disposition) -> None:
        await (await self.consumption(queue)).settle(taken.tag, disposition)


def spec_of(options: Options) -> dict[str, object]:
    """The spec of a StoreQueue."""
    spec = {
        "maxLength": options.max_length,
        "overflow": OVERFLOWS[options.overflow],
        "deadLetter": {"address": options.dead_letter} if options.dead_letter else None,
        "ttl": None if options.ttl_ms is None else f"{options.ttl_ms}ms",
        "maxPriority": options.max_priority,
    }
    return {name: value for name, value in spec.items() if value is not None}


def taken_of(delivery: pb.Delivery) -> Taken:
    message = delivery.message
    deaths = tuple((death.queue, REASONS[death.reason], death.count) for death in message.deaths)
    return Taken(delivery.number, message.body.decode(), delivery.deliveries > 0, deaths)
