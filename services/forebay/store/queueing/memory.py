"""How much of their messages queues keep in memory: all, until that is half of what messages may take."""

from collections.abc import Sequence
from math import inf

from forebay.store.backing.protocol import BackingQueue

PAGING_AT = 0.5
"""Part of the allowed octets from which on messages are left on disk alone."""


OVERHEAD = 200
"""Octets that a message takes in memory beside its content, wherever that is: its place, and what the index has."""


def taken(backing: BackingQueue) -> int:
    """Octets of memory that a queue takes, about."""
    on_disk = sum(level.delta for level in backing.insides())
    return backing.ram_octets + OVERHEAD * (len(backing) + backing.unacked - on_disk)


def target(used: int, allowed: int, durations: Sequence[float]) -> float:
    """Seconds of coming and going that each queue may keep in memory; inf for all.

    used: octets of messages in memory. durations: for each queue, the seconds that its messages in memory stand for
    now; inf where nothing moves.
    """
    ratio = used / (allowed * PAGING_AT)
    if ratio < 1:
        return inf
    moving = [duration for duration in durations if duration != inf]
    return sum(moving) / len(moving) / ratio if moving else 0.0
