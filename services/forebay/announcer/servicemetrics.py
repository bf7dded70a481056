"""The metrics of an announcer, its queue and its forwarders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.announcer.forwarding.forwarderstate import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from forebay.announcer.forwarding.status import ForwarderStatus, QueueStatus
    from forebay.announcer.tracker import Tracker

PREFIX = "forebay_announcer"
_REQUESTS = {
    "announces": "Announces that were carried out.",
    "scrapes": "Scrapes that were answered.",
    "failures": "Requests that were answered with a failure.",
    "ignored": "Packets that were not answered, and connections that were not taken.",
}
_COUNTERS = {
    "dropped_full": "Jobs dropped for want of room.",
    "refused_full": "First announces refused for want of room.",
    "rate_limited": "First announces refused by the rate limit.",
    "throttled_forwarders": "Forwarders that the throttle left out of announces.",
    "parked": "Times that a scheduled job found the queue full and was put off.",
    "duplicates": "Retries dropped since their torrent and forwarder had one scheduled already.",
    "cancelled": "Jobs taken back since their client stopped before they were carried out.",
}


def service_metrics(tracker: Tracker) -> Iterable[Metric]:
    """Everything, all of one moment."""
    yield from _requests(tracker)
    yield _gauge("peers", "Peers of all swarms.", tracker.table.peers)
    yield _gauge("swarms", "Swarms.", len(tracker.table))
    yield _gauge("http_connections", "Connections of HTTP that are open.", tracker.listeners.connections)
    yield from _queue(tracker.queue())
    yield _gauge("queue_spilled", "Jobs that wait in Redis for room.", tracker.spilled)
    yield from _forwarders(tracker.forwarders())


def _requests(tracker: Tracker) -> Iterator[Metric]:
    for name, documentation in _REQUESTS.items():
        counter = CounterMetricFamily(f"{PREFIX}_{name}", documentation, labels=["protocol"])
        for protocol, tally in tracker.tallies.items():
            counter.add_metric([protocol], getattr(tally, name))
        yield counter


def _queue(queue: QueueStatus) -> Iterator[Metric]:
    yield _gauge("queue_depth", "Jobs that wait for a worker.", queue.depth)
    yield _gauge("queue_capacity", "Most of them.", queue.capacity)
    yield _gauge("queue_fill_pct", "The part of the capacity in use, in per cent.", queue.fill)
    yield _gauge("queue_throttling", "1 while announces go to fewer forwarders.", float(queue.throttling))
    yield _gauge("workers", "Workers that run.", queue.workers)
    yield _gauge("max_workers", "Most of them.", queue.max_workers)
    yield _gauge("jobs_pending", "Jobs queued, scheduled and carried out.", queue.pending)
    yield _gauge("jobs_scheduled", "Jobs that wait for their time.", queue.scheduled)
    counters = queue.counters
    for name, documentation in _COUNTERS.items():
        value = getattr(counters, name.removesuffix("_forwarders"))
        yield CounterMetricFamily(f"{PREFIX}_queue_{name}", documentation, value=value)


def _forwarders(forwarders: Iterable[ForwarderStatus]) -> Iterator[Metric]:
    status = GaugeMetricFamily(
        f"{PREFIX}_forwarder_status", "1 for the condition of the forwarder.", labels=["forwarder", "status"]
    )
    answers = CounterMetricFamily(f"{PREFIX}_forwarder_answers", "Answers of the forwarder.", labels=["forwarder"])
    seconds = GaugeMetricFamily(
        f"{PREFIX}_forwarder_response_seconds", "Mean seconds to an answer.", labels=["forwarder"]
    )
    for forwarder in forwarders:
        for condition in Condition:
            status.add_metric([forwarder.name, condition.lower()], float(forwarder.condition is condition))
        answers.add_metric([forwarder.name], forwarder.samples)
        if forwarder.mean_response is not None:
            seconds.add_metric([forwarder.name], forwarder.mean_response)
    yield from (status, answers, seconds)


def _gauge(name: str, documentation: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{PREFIX}_{name}", documentation, value=value)
