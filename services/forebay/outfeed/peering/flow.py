"""What a peerfeed stands on: what all of them share, and how articles flow through each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from forebay.outfeed.bodies import Bodies
from forebay.outfeed.log.feedlog import FeedLog
from forebay.outfeed.log.outcomelog import OutcomeLog


class Front(Protocol):
    """How far the feed log was fanned out to the peers. Records behind it may be on disk already."""

    @property
    def head(self) -> int:
        """The first seq that was not."""


@dataclass(frozen=True)
class Shared:
    """What all peerfeeds of an outfeed share."""

    feedlog: FeedLog
    front: Front
    bodies: Bodies
    outcomes: OutcomeLog
    now: Callable[[], int]
    """Wall clock, milliseconds since the epoch."""


@dataclass(frozen=True)
class FlowSettings:
    """How articles flow through a peerfeed."""

    delay: float = 0.0
    """Seconds since its arrival before an article is handed out; until then it rests in the feed log."""
    backlog_first: bool = False
    """What comes in queues up behind the backlog, so that all goes out in order."""
    keeps_backlog: bool = True
    """What the memory queue cannot take goes to the backlog; else it is dropped."""
    rate: float | None = None
    """Articles a second that go to the peer at most, over all its lines; None sets no limit."""
    headers_only: bool = False
    """Articles go without their bodies."""
