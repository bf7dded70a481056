"""Since when the oldest article of a peer waits, in each place where articles wait."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.outfeed.peering.peerfeed import Peerfeed


class Place(StrEnum):
    """Where articles wait."""

    LOG = "log"
    """In the feed log, not handed out: the peer is behind, or its articles rest."""
    QUEUE = "queue"
    """In memory, or on the way to the backlog."""
    BACKLOG = "backlog"
    """In B on Redis."""
    DEFERRED = "deferred"
    """In D on Redis, or on the way there."""
    RESEND = "resend"
    """In R on Redis, or read back from it."""


def oldest_arrivals(feed: Peerfeed) -> dict[Place, int]:
    """When the oldest article came in, milliseconds since the epoch, by place; no entry where nothing waits.

    What is on Redis counts from when its segment was opened: what was put off again is older than told.
    """
    queue, state = feed.queue, feed.backlog.spool.state
    found: dict[Place, list[int | None]] = {
        Place.LOG: [feed.oldest_in_log()],
        Place.QUEUE: [tokens[0].arrival if tokens else None for tokens in (queue.fresh, queue.spilling)],
        Place.BACKLOG: [state.oldest_backlog],
        Place.DEFERRED: [state.oldest_deferred, feed.backlog.oldest_put_off],
        Place.RESEND: [state.oldest_resend, queue.resent[0].arrival if queue.resent else None],
    }
    arrivals = {place: [each for each in times if each is not None] for place, times in found.items()}
    return {place: min(times) for place, times in arrivals.items() if times}
