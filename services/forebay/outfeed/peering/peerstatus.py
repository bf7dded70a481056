"""A peer as ListPeers, ListRefusals and the outcome log show it; as /metrics does: `peermetrics`."""

from google.protobuf.timestamp_pb2 import Timestamp

from forebay.outfeed.peering.ledger import Ledger
from forebay.outfeed.peering.lines import Line
from forebay.outfeed.peering.oldest import Place, oldest_arrivals
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.peering.peerfeed import Peerfeed
from forebay.outfeed.sending.feed import Outcome
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

_PLACES = {place: pb.WaitingPlace.Value(f"WAITING_PLACE_{place.name}") for place in Place}
_REFUSED = {
    Outcome.REFUSED: pb.REFUSED_UNWANTED,
    Outcome.REJECTED: pb.REFUSED_REJECTED,
    Outcome.DEFERRED: pb.REFUSED_PUT_OFF,
    Outcome.FAILED: pb.REFUSED_FAILED,
}


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
        articles_per_second=peer.feed.rate.per_second,
        error_reason=peer.lines.error_cause or "",
        max_connections=peer.lines.settings.most,
        queue_fullness=_fullness(peer.feed),
    )
    for why, count in peer.feed.ledger.dropped.items():
        status.dropped_by_reason.add(reason=why, articles=count)
    ages = waiting_ages(peer.feed, now)
    for place, age in ages.items():
        status.waiting_ages.add(place=_PLACES[place]).age.FromMilliseconds(age)
    if ages:
        status.oldest_queued_age.FromMilliseconds(max(ages.values()))
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
        tls=line.is_secured,
        compressed=line.connection.compresses,
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
        offered_bytes=ledger.bytes_offered,
        refused_bytes=ledger.bytes_refused,
        put_off_bytes=ledger.bytes_deferred,
        put_offs=ledger.put_offs,
        missing=ledger.dropped["missing"],
        spooled_overflow=ledger.spooled["overflow"],
        spooled_on_close=ledger.spooled["on-close"],
        spooled_sleeping=ledger.spooled["sleeping"],
        unspooled=ledger.unspooled,
    )


def waiting_ages(feed: Peerfeed, now: float) -> dict[Place, int]:
    """Milliseconds that the oldest article has waited in each place where some wait."""
    return {place: max(0, int(now * 1000) - arrival) for place, arrival in oldest_arrivals(feed).items()}


def _fullness(feed: Peerfeed) -> pb.QueueFullness:
    fullness = feed.fullness
    return pb.QueueFullness(size=feed.queue.size, mean=fullness.mean, longest=fullness.longest, looks=fullness.looks)


def peer_refusals(peer: Peer) -> pb.PeerRefusals:
    """What a peer said when it did not take articles, the most frequent first."""
    found = pb.PeerRefusals(peer=peer.options.name)
    for outcome, text, articles in peer.feed.replies:
        found.refusals.add(outcome=_REFUSED[outcome], text=text, articles=articles)
    return found


def _backlog(peer: Peer) -> pb.Backlog:
    state = peer.spool.state
    depth = state.backlog + state.deferred + state.resend
    limits = peer.spool.settings
    backlog = pb.Backlog(
        entries=depth.entries, bytes=depth.bytes, segments=state.segments, limit_bytes=limits.limit_bytes or 0
    )
    if limits.limit_age is not None:
        backlog.limit_age.FromMilliseconds(int(limits.limit_age * 1000))
    return backlog


def _timestamp(seconds: float) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromMilliseconds(int(seconds * 1000))
    return timestamp


def backlog_sample(peer: Peer) -> dict[str, int]:
    """How much waits for a peer, for the outcome log."""
    ledger = peer.feed.ledger
    return {"queued": ledger.queued, "deferred": ledger.deferred, "in_flight": ledger.in_flight}
