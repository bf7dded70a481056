"""A load on queues, the same for ours and the rival, and what came of it second by second."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Load:
    """What producers and consumers do. Exactly one of `seconds` and `messages` is given."""

    size: int = 1024
    """Octets of a body, at least 12."""
    queues: int = 1
    """How many get a copy of each message; each has a consumer of its own."""
    produces: bool = True
    consumes: bool = True
    window: int = 1000
    """Messages that may be unconfirmed."""
    rate: int = 0
    """Messages a second that are published; 0: as many as the window lets through."""
    seconds: float = 0
    messages: int = 0
    """Messages after which it ends: confirmed, or received where it consumes."""
    version: int = 1
    """Of the rival's queues: 1 is its default, 2 does not sync before it confirms."""


PREFETCH, ACK_EVERY = 1000, 100
"""Messages that a consumer may hold, and after how many it acknowledges."""


class Second(NamedTuple):
    """What happened in about a second."""

    until: float
    """Seconds since the start."""
    rate: float
    """Messages a second that consumers got, or that were confirmed where nobody consumes."""
    p99: float
    """Milliseconds from publishing within which 99 of 100 messages were received; 0 where that is not known."""


def steady_rate(seconds: Sequence[Second], warm_up: float) -> float:
    """Messages a second after the warm-up."""
    count = span = before = 0.0
    for second in seconds:
        if second.until > warm_up:
            count += second.rate * (second.until - before)
            span += second.until - before
        before = second.until
    assert count, f"nothing was measured after the warm-up of {warm_up} s: {seconds}"
    return count / span


def steady_p99(seconds: Sequence[Second], warm_up: float) -> float:
    """The median of the seconds' latencies after the warm-up, in milliseconds."""
    return statistics.median(second.p99 for second in seconds if second.until > warm_up)
