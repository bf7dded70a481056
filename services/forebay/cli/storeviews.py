"""Showing and emptying the queues of a running store, and how it is."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from forebay.cli.options import Output
from forebay.cli.plainmessage import plain, short_name
from forebay.cli.printing import print_json, print_table
from forebay.cli.storemessages import COLUMNS, delivery_row, plain_delivery
from forebay.client import QueueStatus, Store
from forebay.pb.store.v1 import store_pb2 as pb

_STATE = pb.QueueStatus.DESCRIPTOR.fields_by_name["state"]
_FIGURES = ("ready", "unacked", "consumers")
_COUNTS = ("published", "delivered", "acked", "dead_lettered")


async def show_queues(address: str, tls: Path | None, output: Output) -> None:
    """Print all queues as they are now."""
    async with Store.connect(address, tls) as store:
        queues = await store.queues()
    if output is Output.JSON:
        print_json([plain(queue) for queue in queues])
        return
    columns = ("queue", "state", *(f">{name.replace('_', ' ')}" for name in (*_FIGURES, "octets", *_COUNTS)))
    print_table("", columns, map(queue_row, queues))
    for queue in queues:
        if queue.reason:
            print(f"{queue.name}: {queue.reason}")


def queue_row(queue: QueueStatus) -> tuple[object, ...]:
    """A queue as a row of a table."""
    figures = (getattr(queue, name) for name in _FIGURES)
    counts = (getattr(queue.counters, name) for name in _COUNTS)
    octets = queue.ready_bytes + queue.unacked_bytes
    return (queue.name, short_name(_STATE, queue.state), *figures, octets, *counts)


async def show_queue(name: str, address: str, tls: Path | None, output: Output) -> None:
    """Print one queue with its consumers and what goes on inside."""
    async with Store.connect(address, tls) as store:
        queue = await store.queue(name)
    if output is Output.JSON:
        print_json(plain(queue))
        return
    print_table("", ("", ">"), figures_of(queue.status))
    if queue.consumers:
        columns = ("consumer", "peer", ">unacked", ">prefetch", ">credit", ">priority", "active", "exclusive")
        print()
        print_table("Consumers", columns, map(consumer_row, queue.consumers))
    print()
    names = [field.name for field in pb.QueueInsides.DESCRIPTOR.fields]
    headings = [f">{name.replace('_', ' ')}" for name in names]
    print_table("Inside", headings, ([_rounded(plain(inside)[name]) for name in names] for inside in queue.insides))


def figures_of(status: QueueStatus) -> Iterator[tuple[str, object]]:
    """The figures of a queue by name; counts that are 0 are left out."""
    values = plain(status)
    counters: dict[str, int] = values.pop("counters")
    for name, value in (values | {name: count for name, count in counters.items() if count}).items():
        yield name.replace("_", " "), "" if value is None else _rounded(value)


def consumer_row(consumer: pb.ConsumerStatus) -> tuple[object, ...]:
    """A consumer as a row of a table."""
    flags = ("yes" if flag else "no" for flag in (consumer.active, consumer.exclusive))
    numbers = (consumer.unacked, consumer.prefetch, consumer.credit, consumer.priority)
    return (consumer.name, consumer.peer, *numbers, *flags)


def _rounded(value: Any) -> Any:
    return f"{value:.3g}" if isinstance(value, float) else "" if value is None else value


async def show_store(address: str, tls: Path | None, output: Output) -> None:
    """Print how the store is."""
    async with Store.connect(address, tls) as store:
        status = await store.status()
    if output is Output.JSON:
        print_json(plain(status))
        return
    names = [field.name for field in pb.GetStoreResponse.DESCRIPTOR.fields if not field.is_repeated]
    print_table("", [f">{name.replace('_', ' ')}" for name in names], [[getattr(status, name) for name in names]])
    if status.members:
        print(f"{status.members[0]} is primary; have everything: {', '.join(status.members)}")
    for alarm in status.alarms:
        print(f"{alarm.kind} since {alarm.since.ToJsonString()}: {alarm.message}")


async def get_messages(queue: str, count: int, address: str, tls: Path | None, output: Output) -> None:
    """Take messages from a queue, and print them."""
    async with Store.connect(address, tls) as store:
        print_deliveries(await store.get(queue, count), output)


async def browse_messages(
    queue: str, position: int, limit: int, address: str, tls: Path | None, output: Output
) -> None:
    """Print messages of a queue, which stay there."""
    deliveries: list[pb.Delivery] = []
    async with Store.connect(address, tls) as store:
        async for delivery in store.browse(queue, position):
            deliveries.append(delivery)
            if len(deliveries) == limit:
                break
    print_deliveries(deliveries, output)


def print_deliveries(deliveries: Sequence[pb.Delivery], output: Output) -> None:
    """Print messages."""
    if output is Output.JSON:
        print_json([plain_delivery(delivery) for delivery in deliveries])
    else:
        print_table("", COLUMNS, map(delivery_row, deliveries))


async def purge_queue(queue: str, address: str, tls: Path | None, output: Output) -> None:
    """Empty a queue, and print how many messages that were."""
    async with Store.connect(address, tls) as store:
        removed = await store.purge(queue)
    if output is Output.JSON:
        print_json({"removed": removed})
    else:
        print(f"{removed} {'message' if removed == 1 else 'messages'} removed from {queue}")
