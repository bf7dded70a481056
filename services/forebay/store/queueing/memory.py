"""How much of their messages queues keep in memory: all, until that is half of what messages may take."""

from collections.abc import Sequence
from math import inf

PAGING_AT = 0.5
"""Part of the allowed octets from which on messages are left on disk alone."""


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
