"""The metrics of a router, its processes and its links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.router.core.skal import DROP_FULL, DROP_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from forebay.router.node import RouterNode

PREFIX = "forebay_router"
_NOTICES = (*DROP_NAMES.values(), DROP_FULL)


def service_metrics(node: RouterNode) -> Iterable[Metric]:
    """Everything, all of one moment."""
    switch = node.switch
    yield _gauge("processes", "Processes attached.", len(node.processes))
    yield _gauge("threads", "Threads of the domain.", len(switch.registry))
    yield _gauge("alarms", "Alarms that are on.", len(switch.alarms.raised()))
    yield _gauge("routes", "Other domains that there is a way to.", len(switch.routes))
    yield _gauge("stalled", "Processes and routers that read too slowly, so that their senders wait.", switch.stalled)
    waiting = sum(outlet.octets for outlet in switch.outlets | switch.links)
    yield _gauge("waiting_bytes", "Octets of messages that wait in memory to be written.", waiting)
    spilled = node.reservoir.octets if node.reservoir else 0
    yield _gauge("spilled_bytes", "Octets of messages that wait in the Spill.", spilled)
    yield CounterMetricFamily(f"{PREFIX}_messages", "Messages passed on.", value=switch.messages)
    dropped = CounterMetricFamily(f"{PREFIX}_dropped", "Messages dropped, by notice.", labels=["notice"])
    for notice in _NOTICES:
        dropped.add_metric([notice], switch.dropped[notice])
    yield dropped
    yield from _links(node)


def _links(node: RouterNode) -> Iterator[Metric]:
    up = GaugeMetricFamily(f"{PREFIX}_link_up", "1 while a link that this router makes is up.", labels=["link"])
    for linking in node.linkings:
        up.add_metric([linking.settings.name], float(linking.up))
    yield up


def _gauge(name: str, documentation: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{PREFIX}_{name}", documentation, value=value)
