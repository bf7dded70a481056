"""What the service tells and is told over gRPC, as messages."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from forebay.announcer.announce import Announce, Event
from forebay.announcer.errors import RequestError
from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.wire.addresses import packed
from forebay.pb.announcer.v1 import announcer_pb2 as pb

if TYPE_CHECKING:
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.status import ForwarderStatus, QueueStatus, ScheduledJob
    from forebay.announcer.swarms.figures import Candidate, Figures

ID = 20
"""Octets of an info hash and of a peer id."""
LONGEST_KEY = 32
_EVENTS = {
    pb.EVENT_UNSPECIFIED: Event.NONE,
    pb.EVENT_STARTED: Event.STARTED,
    pb.EVENT_STOPPED: Event.STOPPED,
    pb.EVENT_COMPLETED: Event.COMPLETED,
    pb.EVENT_PAUSED: Event.PAUSED,
}
_CONDITIONS = {
    Condition.ENABLED: pb.FORWARDER_CONDITION_ENABLED,
    Condition.SUSPENDED: pb.FORWARDER_CONDITION_SUSPENDED,
    Condition.DISABLED: pb.FORWARDER_CONDITION_DISABLED,
}


def read_announce(told: pb.ClientAnnounce, caller: bytes) -> Announce:
    """An announce; `caller`: the caller's address, of 4 or 16 octets. Raises `RequestError`, which names the field."""
    _check(told)
    try:
        address = packed(told.ip) if told.ip else caller
    except ValueError:
        raise RequestError(f"ip {told.ip!a} is no address") from None
    return Announce(
        info_hash=told.info_hash,
        peer_id=told.peer_id,
        port=told.port,
        uploaded=told.uploaded,
        downloaded=told.downloaded,
        left=told.left if told.HasField("left") else None,
        event=_EVENTS[told.event],
        numwant=told.numwant if told.HasField("numwant") else None,
        key=told.key,
        address=address,
    )


def _check(told: pb.ClientAnnounce) -> None:
    if len(told.info_hash) != ID:
        raise RequestError(f"info_hash has {len(told.info_hash)} octets; give {ID}")
    if len(told.peer_id) != ID:
        raise RequestError(f"peer_id has {len(told.peer_id)} octets; give {ID}")
    if len(told.key) > LONGEST_KEY:
        raise RequestError(f"key has {len(told.key)} octets; give at most {LONGEST_KEY}")
    if told.event not in _EVENTS:
        raise RequestError(f"event {told.event} is unknown")
    if told.port > 65535 or (told.port == 0 and told.event != pb.EVENT_STOPPED):
        raise RequestError(f"port {told.port} is none; give 1 to 65535")


def peer(candidate: Candidate) -> pb.Peer:
    """A peer of a swarm."""
    address, port = candidate.endpoint[:-2], candidate.endpoint[-2:]
    return pb.Peer(ip=str(ip_address(address)), port=int.from_bytes(port), peer_id=candidate.peer_id)


def swarm(info_hash: bytes, figures: Figures) -> pb.Swarm:
    """The sizes of a swarm."""
    return pb.Swarm(
        info_hash=info_hash,
        complete=figures.complete,
        incomplete=figures.incomplete,
        downloaded=figures.downloaded,
        downloaders=figures.downloaders,
    )


def forwarder(status: ForwarderStatus) -> pb.Forwarder:
    """A forwarder that may get announces."""
    return pb.Forwarder(
        name=status.name,
        tracker=place_of(status.url),
        condition=_CONDITIONS[status.condition],
        cause=status.cause or "",
        reason=status.reason,
        suspended_for=status.suspended_for,
        failures=status.failures,
        mean_response=status.mean_response,
        answers=status.samples,
        last_interval=status.last_interval,
        since_last_answer=status.since_last_answer,
    )


def paused(spec: ForwarderSpec) -> pb.Forwarder:
    """A forwarder that is to get nothing."""
    reason = "spec.pause is true"
    return pb.Forwarder(
        name=spec.name, tracker=place_of(spec.url), condition=pb.FORWARDER_CONDITION_PAUSED, reason=reason
    )


def place_of(url: str) -> str:
    """Scheme, host and port of a URL: what follows may hold a key."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def queue(status: QueueStatus, spilled: int, peers: int, swarms: int) -> pb.GetQueueResponse:
    """The queue, the schedule and the workers; `spilled`: jobs that wait outside of the queue for room in it."""
    counters = status.counters
    return pb.GetQueueResponse(
        depth=status.depth,
        capacity=status.capacity,
        fill=status.fill,
        workers=status.workers,
        max_workers=status.max_workers,
        pending=status.pending,
        scheduled=status.scheduled,
        spilled=spilled,
        next_scheduled=map(_scheduled, status.next_scheduled),
        dropped_full=counters.dropped_full,
        refused_full=counters.refused_full,
        rate_limited=counters.rate_limited,
        throttled=counters.throttled,
        parked=counters.parked,
        duplicates=counters.duplicates,
        cancelled=counters.cancelled,
        throttling=status.throttling,
        peers=peers,
        swarms=swarms,
    )


def _scheduled(job: ScheduledJob) -> pb.ScheduledJob:
    return pb.ScheduledJob(
        info_hash=job.info_hash,
        forwarder=job.forwarder,
        peer_id=job.peer_id,
        time_to_execution=job.time_to_execution,
    )
