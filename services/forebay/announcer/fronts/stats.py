"""The figures of a tracker that are shown over HTTP, all of one moment. Keys of URLs are not among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.status import ForwarderStatus
from forebay.announcer.messages import place_of
from forebay.api.v1alpha1 import Listing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.status import QueueStatus
    from forebay.announcer.fronts.tally import Tally
    from forebay.announcer.swarms.swarm import Swarm
    from forebay.api.v1alpha1 import AnnouncerSpec

MOST_FORWARDERS = 500
"""Forwarders that are shown; those that get nothing come first."""
PAUSED = "PAUSED"
"""Beside the conditions that a forwarder has by itself: its spec says so."""

Json = dict[str, Any]
_URGENCY = [Condition.DISABLED, Condition.SUSPENDED, Condition.ENABLED]


class Moment(NamedTuple):
    """What the tracker knows now."""

    spec: AnnouncerSpec
    queue: QueueStatus
    spilled: int
    """Jobs that wait in Redis for room."""
    forwarders: Sequence[ForwarderStatus]
    paused: Sequence[ForwarderSpec]
    peers: int
    """Peers of all swarms."""
    swarms: int
    largest: Sequence[tuple[bytes, Swarm]]
    """The largest swarms by info hash, the largest first."""
    tallies: Mapping[str, Tally]
    """What each front has done, by its protocol."""
    connections: int
    """Connections of HTTP that are open."""


def figures(moment: Moment) -> Json:
    """Everything, ready to be written as JSON. Times are in seconds but where a name says otherwise."""
    queue, counters = moment.queue, moment.queue.counters
    # Whoever knows an info hash may fetch the torrent: which ones are allowed is no news for everybody.
    is_private = moment.spec.torrents.mode is Listing.ALLOW
    ordered = sorted(moment.forwarders, key=lambda each: (_URGENCY.index(each.condition), each.name))
    return {
        "config": _config(moment.spec),
        "pending_jobs": queue.pending,
        "scheduled_jobs": queue.scheduled,
        "spilled_jobs": moment.spilled,
        "tracked_hashes": moment.swarms,
        "peers": moment.peers,
        "http_connections": moment.connections,
        "fronts": {protocol: _tally(tally) for protocol, tally in moment.tallies.items()},
        "active_forwarders": _number(ordered, Condition.ENABLED),
        "suspended_forwarders": _number(ordered, Condition.SUSPENDED),
        "paused_forwarders": len(moment.paused),
        "disabled_forwarders": [
            {"name": each.name, "cause": each.cause or "", "reason": each.reason}
            for each in ordered[:MOST_FORWARDERS]
            if each.condition is Condition.DISABLED
        ],
        "forwarders": [
            *(_forwarder(each) for each in ordered[:MOST_FORWARDERS]),
            *(_paused(each) for each in moment.paused[: max(0, MOST_FORWARDERS - len(ordered))]),
        ],
        "scheduled_announces": [
            {
                "info_hash": "" if is_private else job.info_hash.hex(),
                "forwarder": job.forwarder,
                "time_to_exec": round(job.time_to_execution, 1),
            }
            for job in queue.next_scheduled
        ],
        "hash_peer_stats": {
            info_hash.hex(): _swarm(swarm) for info_hash, swarm in ([] if is_private else moment.largest)
        },
        "queue_depth": queue.depth,
        "queue_capacity": queue.capacity,
        "queue_fill_pct": round(queue.fill, 2),
        "active_workers": queue.workers,
        "max_workers": queue.max_workers,
        "throttling": queue.throttling,
        "dropped_full": counters.dropped_full,
        "refused_full": counters.refused_full,
        "rate_limited": counters.rate_limited,
        "throttled_forwarders": counters.throttled,
        "parked": counters.parked,
        "duplicates": counters.duplicates,
        "cancelled": counters.cancelled,
    }


def _config(spec: AnnouncerSpec) -> Json:
    return {
        "age": spec.swarms.peer_age.total_seconds(),
        "announce_interval": spec.announces.interval.total_seconds(),
        "min_interval": spec.announces.min_interval.total_seconds(),
        "retry_period": spec.forwarding.retry_period.total_seconds(),
        "torrents": spec.torrents.mode,
        "overflow": spec.forwarding.overflow,
    }


def _number(forwarders: Sequence[ForwarderStatus], condition: Condition) -> int:
    return sum(each.condition is condition for each in forwarders)


def _tally(tally: Tally) -> Json:
    return {
        "announces": tally.announces,
        "scrapes": tally.scrapes,
        "failures": tally.failures,
        "ignored": tally.ignored,
    }


def _forwarder(status: ForwarderStatus) -> Json:
    return {
        "name": status.name,
        "tracker": place_of(status.url),
        "protocol": urlsplit(status.url).scheme,
        "condition": status.condition.value,
        "cause": status.cause or "",
        "reason": status.reason,
        "suspended_seconds": round(status.suspended_for, 1),
        "failures": status.failures,
        "avg_response_time_ms": None if status.mean_response is None else round(status.mean_response * 1000, 1),
        "last_interval_seconds": status.last_interval,
        "sample_count": status.samples,
        "seconds_since_last_announce": None if status.since_last_answer is None else round(status.since_last_answer, 1),
        "has_stats": status.samples > 0,
    }


def _paused(spec: ForwarderSpec) -> Json:
    unasked = ForwarderStatus(
        name=spec.name,
        url=spec.url,
        condition=Condition.DISABLED,
        cause=None,
        reason="spec.pause is true",
        suspended_for=0.0,
        failures=0,
        mean_response=None,
        samples=0,
        last_interval=None,
        since_last_answer=None,
    )
    return _forwarder(unasked) | {"condition": PAUSED}


def _swarm(swarm: Swarm) -> Json:
    found = swarm.figures()
    return {
        "local_unique": len(swarm),
        "forwarder_unique": swarm.outsiders,
        "complete": found.complete,
        "incomplete": found.incomplete,
        "downloaded": found.downloaded,
    }
