"""A peer as ListPeers, /metrics and the outcome log show it."""

from collections.abc import Iterable

from google.protobuf.timestamp_pb2 import Timestamp
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.outfeed.peering.ledger import Ledger
from forebay.outfeed.peering.lines import Line
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.sending.feed import Outcome
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

_COLUMNS = ("offered", "accepted", "refused", "rejected", "expired", "dead_lettered")
_GAUGES = ("queued", "deferred", "in_flight")
_STATES = {number: name.removeprefix("PEER_STATE_").lower() for name, number in pb.PeerState.items() if number}


def peer_state(peer: Peer) -> tuple["pb.PeerState", str]:
    """What the sending side of a peer is doing, and why."""
    lines = peer.lines
    if lines.held:
        return pb.PEER_STATE_PAUSED, lines.held
    if lines.is_up:
        return pb.PEER_STATE_CONNECTED, ""
    if lines.dialling:
        return pb.PEER_STATE_CONNECTING, lines.last_error
    if lines.next_try_in > 0:
        return pb.PEER_STATE_BACKING_OFF, lines.last_error
    return pb.PEER_STATE_IDLE, ""


def peer_status(peer: Peer, now: float) -> pb.PeerStatus:
    """The message for a peer; `now` is the time of the wall clock in seconds."""
    state, reason = peer_state(peer)
    status = pb.PeerStatus(
        name=peer.options.name,
        uid=peer.options.uid,
        state=state,
        reason=reason,
        connections=[_connection(line) for line in peer.lines.open],
        counters=_counters(peer.feed.ledger),
        backlog=_backlog(peer),
        window=peer.options.spec.window,
        queue_length=len(peer.feed.queue),
        last_error=peer.lines.last_error,
        articles_per_second=peer.feed.rate,
        error_reason=peer.lines.error_cause or "",
    )
    if (oldest := peer.feed.oldest_arrival) is not None:
        status.oldest_queued_age.FromMilliseconds(max(0, int(now * 1000) - oldest))
    if peer.lines.last_error_at is not None:
        status.last_error_time.CopyFrom(_timestamp(peer.lines.last_error_at))
    if state == pb.PEER_STATE_BACKING_OFF:
        status.next_attempt_time.CopyFrom(_timestamp(now + peer.lines.next_try_in))
    return status


def _connection(line: Line) -> pb.ConnectionStatus:
    outcomes = line.outcomes
    return pb.ConnectionStatus(
        id=line.number,
        address=line.address,
        connected_since=_timestamp(line.opened),
        in_flight=line.connection.unanswered,
        streaming=line.connection.streams,
        no_check=line.connection.skips_check,
        accepted=outcomes[Outcome.ACCEPTED],
        refused=outcomes[Outcome.REFUSED],
        rejected=outcomes[Outcome.REJECTED],
        deferred=outcomes[Outcome.DEFERRED],
    )


def _counters(ledger: Ledger) -> pb.PeerCounters:
    return pb.PeerCounters(
        offered=ledger.offered,
        accepted=ledger.accepted,
        refused=ledger.refused,
        rejected=ledger.rejected,
        deferred=ledger.deferred,
        expired=ledger.expired,
        dropped=ledger.dropped.total(),
        dead_lettered=ledger.dead_lettered,
        queued=ledger.queued,
        in_flight=ledger.in_flight,
        accepted_bytes=ledger.bytes_accepted,
        rejected_bytes=ledger.bytes_rejected,
        requeued=ledger.requeued,
    )


def _backlog(peer: Peer) -> pb.Backlog:
    state = peer.spool.state
    depth = state.backlog + state.deferred + state.resend
    return pb.Backlog(entries=depth.entries, bytes=depth.bytes, segments=state.segments)


def _timestamp(seconds: float) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromMilliseconds(int(seconds * 1000))
    return timestamp


def backlog_sample(peer: Peer) -> dict[str, int]:
    """How much waits for a peer, for the outcome log."""
    ledger = peer.feed.ledger
    return {"queued": ledger.queued, "deferred": ledger.deferred, "in_flight": ledger.in_flight}


def peer_metrics(peers: Iterable[Peer]) -> Iterable[Metric]:
    """The peers' figures, all of one moment."""
    peers = list(peers)
    yield from (_family(column, peers) for column in _COLUMNS)
    dropped = CounterMetricFamily(
        "forebay_outfeed_dropped", "Articles that will never be sent to a peer, by reason.", labels=["peer", "reason"]
    )
    for peer in peers:
        for reason, count in peer.feed.ledger.dropped.items():
            dropped.add_metric([peer.options.name, reason], count)
    yield dropped
    for gauge in _GAUGES:
        family = GaugeMetricFamily(f"forebay_outfeed_{gauge}", f"Articles {gauge.replace('_', ' ')}.", labels=["peer"])
        for peer in peers:
            family.add_metric([peer.options.name], getattr(peer.feed.ledger, gauge))
        yield family
    yield from _lines(peers)
    yield from _on_redis(peers)


def _family(column: str, peers: list[Peer]) -> Metric:
    family = CounterMetricFamily(
        f"forebay_outfeed_{column}", f"Articles {column.replace('_', '-')}, by peer.", labels=["peer"]
    )
    for peer in peers:
        family.add_metric([peer.options.name], getattr(peer.feed.ledger, column))
    return family


def _lines(peers: list[Peer]) -> Iterable[Metric]:
    up = GaugeMetricFamily("forebay_outfeed_connections", "Connections that are up.", labels=["peer"])
    octets = CounterMetricFamily("forebay_outfeed_accepted_bytes", "Octets of accepted articles.", labels=["peer"])
    requeued = CounterMetricFamily(
        "forebay_outfeed_requeued", "Articles given back unanswered by a lost connection.", labels=["peer"]
    )
    states = GaugeMetricFamily(
        "forebay_outfeed_peer_state", "1 for what a peer's sending side does, by state.", labels=["peer", "state"]
    )
    errors = GaugeMetricFamily(
        "forebay_outfeed_peer_error", "1 for why no connection to a peer is up, by reason.", labels=["peer", "reason"]
    )
    for peer in peers:
        name, (state, _) = [peer.options.name], peer_state(peer)
        up.add_metric(name, len(peer.lines.open))
        octets.add_metric(name, peer.feed.ledger.bytes_accepted)
        requeued.add_metric(name, peer.feed.ledger.requeued)
        for number, word in _STATES.items():
            states.add_metric([*name, word], number == state)
        if peer.lines.error_cause:
            errors.add_metric([*name, peer.lines.error_cause], 1)
    yield from (up, octets, requeued, states, errors)


def _on_redis(peers: list[Peer]) -> Iterable[Metric]:
    entries = GaugeMetricFamily("forebay_outfeed_backlog_entries", "Entries on Redis.", labels=["peer", "stream"])
    octets = GaugeMetricFamily("forebay_outfeed_backlog_bytes", "Octets of them.", labels=["peer", "stream"])
    for peer in peers:
        for stream in ("backlog", "deferred", "resend", "dead"):
            depth = getattr(peer.spool.state, stream)
            entries.add_metric([peer.options.name, stream], depth.entries)
            octets.add_metric([peer.options.name, stream], depth.bytes)
    yield from (entries, octets)
