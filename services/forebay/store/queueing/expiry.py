"""When messages expire: the shorter of what the queue and what the message says, fixed when it is taken in."""

from collections.abc import Sequence

AT_ONCE_MS = 1000
"""Within this a message that is to be delivered at once has to be with a consumer."""


def expiry(taken_ms: int, queue_ttl: int | None, message_ttl: int | None) -> int:
    """When a message expires, in milliseconds since the epoch; 0 for never. Times to live are in milliseconds."""
    if queue_ttl is None and message_ttl is None:
        return 0
    ttl = min(ttl for ttl in (queue_ttl, message_ttl) if ttl is not None)
    # One that must be delivered at once needs some time for the disk, or it would never be.
    return min(taken_ms + (ttl or AT_ONCE_MS), (1 << 64) - 1)


def expiries(
    taken_ms: int, queue_ttl: int | None, ttls: Sequence[int | None] | None, positions: Sequence[int]
) -> list[int]:
    """As `expiry`, for messages of a batch; `ttls` is None when no message says anything."""
    if ttls is None:
        return [expiry(taken_ms, queue_ttl, None)] * len(positions)
    return [expiry(taken_ms, queue_ttl, ttls[position]) for position in positions]


def at_once(queue_ttl: int | None, ttls: Sequence[int | None] | None, positions: Sequence[int]) -> Sequence[int]:
    """The positions of messages that are delivered at once or never."""
    if queue_ttl == 0:
        return positions
    if ttls is None:
        return ()
    return [position for position in positions if ttls[position] == 0]
