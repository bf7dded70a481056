"""The peers as /metrics shows them."""

from collections.abc import Iterable

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.outfeed.peering.ledger import SPOOLED
from forebay.outfeed.peering.oldest import Place
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.peering.peerstatus import peer_state, waiting_ages
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

_COLUMNS = ("offered", "accepted", "refused", "rejected", "expired", "dead_lettered")
_GAUGES = ("queued", "deferred", "in_flight")
_BYTES = {
    "offered": "Octets of articles that came in for a peer.",
    "accepted": "Octets of accepted articles.",
    "refused": "Octets of refused articles, which were not sent for that.",
    "rejected": "Octets of rejected articles.",
    "deferred": "Octets of articles that were put off, each time.",
}
_STATES = {number: name.removeprefix("PEER_STATE_").lower() for name, number in pb.PeerState.items() if number}


def peer_metrics(peers: Iterable[Peer], now: float) -> Iterable[Metric]:
    """The peers' figures, all of one moment; `now` is the time of the wall clock in seconds."""
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
    yield from _octets(peers)
    yield _answers(peers)
    yield from _spooling(peers)
    yield _ages(peers, now)


def _family(column: str, peers: list[Peer]) -> Metric:
    family = CounterMetricFamily(
        f"forebay_outfeed_{column}", f"Articles {column.replace('_', '-')}, by peer.", labels=["peer"]
    )
    for peer in peers:
        family.add_metric([peer.options.name], getattr(peer.feed.ledger, column))
    return family


def _lines(peers: list[Peer]) -> Iterable[Metric]:
    up = GaugeMetricFamily("forebay_outfeed_connections", "Connections that are up.", labels=["peer"])
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
        requeued.add_metric(name, peer.feed.ledger.requeued)
        for number, word in _STATES.items():
            states.add_metric([*name, word], number == state)
        if peer.lines.error_cause:
            errors.add_metric([*name, peer.lines.error_cause], 1)
    yield from (up, requeued, states, errors)


def _on_redis(peers: list[Peer]) -> Iterable[Metric]:
    entries = GaugeMetricFamily("forebay_outfeed_backlog_entries", "Entries on Redis.", labels=["peer", "stream"])
    octets = GaugeMetricFamily("forebay_outfeed_backlog_bytes", "Octets of them.", labels=["peer", "stream"])
    for peer in peers:
        for stream in ("backlog", "deferred", "resend", "dead"):
            depth = getattr(peer.spool.state, stream)
            entries.add_metric([peer.options.name, stream], depth.entries)
            octets.add_metric([peer.options.name, stream], depth.bytes)
    yield from (entries, octets)


def _octets(peers: list[Peer]) -> Iterable[Metric]:
    for column, documentation in _BYTES.items():
        family = CounterMetricFamily(f"forebay_outfeed_{column}_bytes", documentation, labels=["peer"])
        for peer in peers:
            family.add_metric([peer.options.name], getattr(peer.feed.ledger, f"bytes_{column}"))
        yield family


def _answers(peers: list[Peer]) -> Metric:
    family = CounterMetricFamily(
        "forebay_outfeed_answers",
        "Articles by the code of the peer's answer that settled them or put them off.",
        labels=["peer", "code"],
    )
    for peer in peers:
        for code, count in peer.feed.ledger.answers.items():
            family.add_metric([peer.options.name, code], count)
    return family


def _spooling(peers: list[Peer]) -> Iterable[Metric]:
    put_offs = CounterMetricFamily("forebay_outfeed_put_offs", "How often an article was put off.", labels=["peer"])
    spooled = CounterMetricFamily(
        "forebay_outfeed_spooled", "Articles that went to the backlog, by why.", labels=["peer", "reason"]
    )
    unspooled = CounterMetricFamily(
        "forebay_outfeed_unspooled", "Articles that were read back from the backlog.", labels=["peer"]
    )
    for peer in peers:
        name, ledger = [peer.options.name], peer.feed.ledger
        put_offs.add_metric(name, ledger.put_offs)
        unspooled.add_metric(name, ledger.unspooled)
        for reason in SPOOLED:
            spooled.add_metric([*name, reason], ledger.spooled[reason])
    yield from (put_offs, spooled, unspooled)


def _ages(peers: list[Peer], now: float) -> Metric:
    family = GaugeMetricFamily(
        "forebay_outfeed_oldest_age_seconds",
        "Seconds that the oldest article of a peer has waited, by place; 0 where none waits.",
        labels=["peer", "place"],
    )
    for peer in peers:
        ages = waiting_ages(peer.feed, now)
        for place in Place:
            family.add_metric([peer.options.name, place], ages.get(place, 0) / 1000)
    return family
