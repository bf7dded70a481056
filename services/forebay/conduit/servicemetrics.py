"""The metrics of a node, its peers and its clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.conduit.clients.attachments import Quota
from forebay.conduit.statuses import resources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from forebay.conduit.node import ServiceNode

PREFIX = "forebay_conduit"
OUTCOMES = ("accepted", "dropped", "expired", "refused")


def service_metrics(node: ServiceNode) -> Iterable[Metric]:
    """Everything, all of one moment."""
    clients, tally = node.attachments, node.tally
    yield _gauge("peers", "Peers that there are sessions with.", len(node.station.peers))
    yield _gauge("resources", "Resources that are known, own ones and those of peers.", resources(node))
    yield _gauge("clients", "Clients attached.", len(clients))
    yield _gauge("publishers", "Publishers of clients.", clients.counted(Quota.PUBLISHERS))
    yield _gauge("subscribers", "Subscribers of clients.", clients.counted(Quota.SUBSCRIBERS))
    waiting = node.reservoir.waiting if node.reservoir else 0
    yield _gauge("spilled", "Samples that wait in the Spill.", waiting)
    published = CounterMetricFamily(
        f"{PREFIX}_published", "Samples that clients have published, by what became of them.", labels=["outcome"]
    )
    for outcome in OUTCOMES:
        published.add_metric([outcome], getattr(tally, outcome))
    yield published
    yield _counter("delivered", "Samples that subscribers of clients have got.", tally.delivered)
    yield _counter("missed", "Samples that subscribers of clients did not get, for they read too slowly.", tally.missed)
    yield from _network(node)


def _network(node: ServiceNode) -> Iterator[Metric]:
    station = node.station
    unacknowledged = GaugeMetricFamily(
        f"{PREFIX}_unacknowledged", "Samples that peers have not acknowledged, by conduit to all.", labels=["conduit"]
    )
    for number in range(len(station.core.settings.multicast)):
        if outlet := station.core.transmission.find(number):
            unacknowledged.add_metric([str(number)], outlet.conduit.window.unacknowledged)
    yield unacknowledged
    broken = station.core.reception.pieces.broken
    yield _counter("broken", "Samples of which not all pieces have come: none of it was delivered.", broken)
    yield _counter("unsent_datagrams", "Datagrams that could not be sent.", station.engine.lost)
    untold = station.core.untold
    yield _counter("untold", "Messages that were too large for the peer that they were for.", untold)
    refused = CounterMetricFamily(
        f"{PREFIX}_refused_datagrams", "Datagrams that were not let in, by reason.", labels=["reason"]
    )
    for reason, count in (station.core.sealing.refused if station.core.sealing else {}).items():
        refused.add_metric([reason], count)
    yield refused


def _gauge(name: str, documentation: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{PREFIX}_{name}", documentation, value=value)


def _counter(name: str, documentation: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(f"{PREFIX}_{name}", documentation, value=value)
