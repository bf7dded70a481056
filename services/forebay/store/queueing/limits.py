"""The limits of a queue's length: what still fits, and what has to go."""

from collections.abc import Iterable
from typing import NamedTuple

from forebay.store.queueing.spec import QueueSpec


class Standing(NamedTuple):
    """What a queue holds now."""

    ready: int
    """Messages that may be delivered, and those that are on their way to be."""
    ready_octets: int
    unacked: int
    """Messages that consumers hold."""
    unacked_octets: int


def limited(spec: QueueSpec) -> bool:
    """Whether the queue has a limit at all."""
    return spec.max_length is not None or spec.max_octets is not None


def fitting(spec: QueueSpec, standing: Standing, sizes: Iterable[int]) -> int:
    """How many of the messages of these sizes a queue takes that refuses what is too much; the first ones."""
    count, octets = _counted(spec, standing)
    number = 0
    for size in sizes:
        count += 1
        octets += size
        if _over(spec, count, octets):
            break
        number += 1
    return number


def excess(spec: QueueSpec, standing: Standing, largest: int) -> int:
    """How many ready messages have to go for sure; 0 when nothing has to. Ask again when they are gone.

    largest: octets of no message are more than that.
    """
    count, octets = _counted(spec, standing)
    if not standing.ready or not _over(spec, count, octets):
        return 0
    too_many = count - spec.max_length if spec.max_length is not None else 0
    too_much = octets - spec.max_octets if spec.max_octets is not None else 0
    return min(standing.ready, max(too_many, too_much // max(largest, 1), 1))


def reason(spec: QueueSpec) -> str:
    """Why a message is refused, with the remedy."""
    limits = [
        f"{limit} {unit}"
        for limit, unit in ((spec.max_length, "messages"), (spec.max_octets, "octets"))
        if limit is not None
    ]
    return f"queue {spec.name} is full ({' and '.join(limits)}): consume from it, or raise its limit, and publish again"


def _counted(spec: QueueSpec, standing: Standing) -> tuple[int, int]:
    """Messages and octets that the limits are about."""
    if spec.count_unacked:
        return standing.ready + standing.unacked, standing.ready_octets + standing.unacked_octets
    return standing.ready, standing.ready_octets


def _over(spec: QueueSpec, count: int, octets: int) -> bool:
    too_many = spec.max_length is not None and count > spec.max_length
    return too_many or (spec.max_octets is not None and octets > spec.max_octets)
