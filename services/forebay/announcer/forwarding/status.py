"""What queue and forwarders tell about themselves."""

from dataclasses import dataclass

from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.outcome import Cause


@dataclass(slots=True)
class Counters:
    """What happened since the start."""

    dropped_full: int = 0
    """Jobs dropped for want of room."""
    refused_full: int = 0
    """First announces refused for want of room."""
    rate_limited: int = 0
    """First announces refused by the rate limit."""
    throttled: int = 0
    """Forwarders that the throttle left out of announces."""
    parked: int = 0
    """Times that a scheduled job found the queue full and was put off."""
    duplicates: int = 0
    """Retries dropped since their torrent and forwarder had one scheduled already."""
    cancelled: int = 0
    """Jobs taken back since their client stopped before they were carried out."""


@dataclass(frozen=True, slots=True)
class ScheduledJob:
    """A job that waits for its time."""

    info_hash: bytes
    forwarder: str
    peer_id: bytes
    time_to_execution: float
    """Seconds; below 0 when it is due and the next tick will take it."""


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """The queue, the schedule and the workers."""

    depth: int
    """Jobs that wait for a worker."""
    capacity: int
    """Most of them."""
    fill: float
    """The part of the capacity in use, in per cent."""
    workers: int
    """Workers that run."""
    max_workers: int
    """Most of them."""
    pending: int
    """Jobs queued, scheduled and carried out."""
    scheduled: int
    """Jobs that wait for their time."""
    next_scheduled: tuple[ScheduledJob, ...]
    """The next ten of them, the earliest first."""
    throttling: bool
    """Whether announces go to fewer forwarders now, for the queue is long."""
    counters: Counters
    """What happened since the start."""


@dataclass(frozen=True, slots=True)
class ForwarderStatus:
    """One forwarder."""

    name: str
    url: str
    condition: Condition
    """Whether it gets announces."""
    cause: Cause | None
    """Why not, for programs."""
    reason: str
    """Why not, for people."""
    suspended_for: float
    """Seconds until it gets announces again; 0 unless it is suspended."""
    failures: int
    """Failed requests in a row."""
    mean_response: float | None
    """Mean time of an answer in seconds; none: there was no answer yet."""
    samples: int
    """Answers so far."""
    last_interval: float | None
    """Seconds to the next announce, by the last answer."""
    since_last_answer: float | None
    """Seconds since the last answer."""
