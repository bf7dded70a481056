"""What the status page says of each peer, as plain values: names and numbers that programs can rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from forebay.outfeed.peering.fullness import BUCKETS
from forebay.outfeed.peering.peerstatus import peer_refusals, peer_status
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebay.outfeed.peering.peer import Peer

Json = dict[str, Any]

COUNTERS = tuple(field.name for field in pb.PeerCounters.DESCRIPTOR.fields)
PLACES = {value: name.removeprefix("WAITING_PLACE_").lower() for name, value in pb.WaitingPlace.items() if value}


class Connections(NamedTuple):
    """The connections of a peer by what they do."""

    active: int
    """Up, with commands unanswered."""
    idle: int
    """Up, with nothing to do."""
    sleeping: int
    """Not up, and waiting for the next try."""
    most: int
    """That there may be."""


def figures(peers: Iterable[Peer], now: float) -> list[Json]:
    """One object a peer, by name; `now` is the time of the wall clock in seconds."""
    return [_figures(peer_status(peer, now), peer_refusals(peer)) for peer in peers]


def accept_percentage(counters: pb.PeerCounters) -> float | None:
    """Of the articles that a peer answered for good, the share that it took; None before the first answer."""
    answered = counters.accepted + counters.refused + counters.rejected
    return round(100 * counters.accepted / answered, 1) if answered else None


def connections(status: pb.PeerStatus) -> Connections:
    """The connections of a peer, counted."""
    active = sum(1 for line in status.connections if line.in_flight)
    sleeping = status.max_connections if status.state == pb.PEER_STATE_BACKING_OFF else 0
    return Connections(active, len(status.connections) - active, sleeping, status.max_connections)


def _figures(status: pb.PeerStatus, said: pb.PeerRefusals) -> Json:
    lines = status.connections
    oldest = status.oldest_queued_age.ToMilliseconds() / 1000 if status.HasField("oldest_queued_age") else None
    return {
        "name": status.name,
        "state": pb.PeerState.Name(status.state).removeprefix("PEER_STATE_").lower(),
        "reason": status.reason,
        "last_error": status.last_error,
        **{name: getattr(status.counters, name) for name in COUNTERS},
        "accept_pct": accept_percentage(status.counters),
        "articles_per_second": round(status.articles_per_second, 1),
        "connections": connections(status)._asdict(),
        "streaming": any(line.streaming for line in lines) if lines else None,
        "no_check": any(line.no_check for line in lines) if lines else None,
        "tls": all(line.tls for line in lines) if lines else None,
        "compressed": all(line.compressed for line in lines) if lines else None,
        "window": status.window,
        "queue": _queue(status),
        "backlog": _backlog(status.backlog),
        "dropped_by_reason": {each.reason: each.articles for each in status.dropped_by_reason},
        "oldest_seconds": oldest,
        "oldest_seconds_by_place": {
            PLACES[each.place]: each.age.ToMilliseconds() / 1000 for each in status.waiting_ages
        },
        "refusals": [
            {
                "outcome": pb.Refused.Name(each.outcome).removeprefix("REFUSED_").lower(),
                "text": each.text,
                "articles": each.articles,
            }
            for each in said.refusals
        ],
    }


def _backlog(backlog: pb.Backlog) -> Json:
    held = {name: getattr(backlog, name) for name in ("entries", "bytes", "segments")}
    age = backlog.limit_age.ToMilliseconds() / 1000 if backlog.HasField("limit_age") else None
    return {**held, "limit_bytes": backlog.limit_bytes or None, "limit_seconds": age}


def _queue(status: pb.PeerStatus) -> Json:
    fullness = status.queue_fullness
    return {
        "length": status.queue_length,
        "size": fullness.size,
        "mean": round(fullness.mean, 1),
        "longest": fullness.longest,
        "looks": dict(zip(BUCKETS, fullness.looks, strict=True)),
    }
