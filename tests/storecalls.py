"""Calls to a store by its plain stub, as any client could make them."""

from collections.abc import AsyncIterator, Sequence

from grpc.aio import Channel

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub

SECONDS = 30.0


async def publish(channel: Channel, address: str, bodies: Sequence[bytes], **fields: object) -> list[int]:
    """Publish messages; the outcome of each. `fields` are those of each message beside address and body."""
    messages = [pb.Message(address=address, body=body, **fields) for body in bodies]
    outcomes: list[int] = []
    call = StoreServiceStub(channel).Publish(once(pb.PublishRequest(first=1, messages=messages)), timeout=SECONDS)
    async for response in call:
        for confirm in response.confirms:
            outcomes += [confirm.outcome] * confirm.count
        if len(outcomes) == len(bodies):
            call.cancel()
            break
    return outcomes


async def once(request: pb.PublishRequest) -> AsyncIterator[pb.PublishRequest]:
    yield request


async def take(channel: Channel, queue: str, count: int = 1000) -> list[bytes]:
    """Take messages from the head of a queue; their bodies."""
    answer = await StoreServiceStub(channel).Get(pb.GetRequest(queue=queue, count=count), timeout=SECONDS)
    return [delivery.message.body for delivery in answer.deliveries]


async def queues(channel: Channel) -> dict[str, pb.QueueStatus]:
    """All queues by name."""
    answer = await StoreServiceStub(channel).ListQueues(pb.ListQueuesRequest(), timeout=SECONDS)
    return {queue.name: queue for queue in answer.queues}


def numbered(count: int, first: int = 0) -> list[bytes]:
    """Bodies that can be told apart."""
    return [f"message {number}".encode() for number in range(first, first + count)]
