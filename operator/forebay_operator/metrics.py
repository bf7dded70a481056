"""The operator's figures for Prometheus."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from forebay_operator.compactions import RunCounts, State
from forebay_operator.kube import KubeClient
from forebay_operator.queue import Key, WorkQueue

SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counts of passes over resources."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self.reconciles = Counter(
            "forebay_operator_reconciles",
            "Passes over a resource, by its kind and by what came of it: ok, fault (told in its condition) or error.",
            ("kind", "outcome"),
            registry=registry,
        )
        self.seconds = Histogram(
            "forebay_operator_reconcile_seconds",
            "Duration of a pass over a resource.",
            ("kind",),
            buckets=SECONDS,
            registry=registry,
        )


class QueueCollector(Collector):
    """What waits in the queue, and the requests to the API server, as they are when Prometheus asks."""

    def __init__(self, queue: WorkQueue, kube: KubeClient) -> None:
        self._queue = queue
        self._kube = kube

    def collect(self) -> Iterator[Metric]:
        """One moment's figures."""
        length = GaugeMetricFamily("forebay_operator_queue_length", "Resources that wait for a pass.")
        length.add_metric((), len(self._queue))
        yield length
        age = GaugeMetricFamily(
            "forebay_operator_queue_age_seconds",
            "How long the resource that is most overdue has been so.",
            labels=("kind",),
        )
        for kind, seconds in self._queue.ages():
            age.add_metric((kind,), seconds)
        yield age
        requests = CounterMetricFamily(
            "forebay_operator_api_requests", "Requests to the API server.", labels=("verb", "resource")
        )
        for (verb, resource), count in self._kube.requests.items():
            requests.add_metric((verb, resource), count)
        yield requests


class RunCollector(Collector):
    """What became of the runs of Compactions, as it is when Prometheus asks."""

    def __init__(self, counts: Mapping[Key, RunCounts]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """One moment's figures."""
        runs = CounterMetricFamily(
            "forebay_operator_compaction_runs",
            "Runs of a Compaction that have ended, by the state they ended in.",
            labels=("compaction", "state"),
        )
        success = GaugeMetricFamily(
            "forebay_operator_compaction_last_success_timestamp_seconds",
            "When the last run of a Compaction had ended that went well.",
            labels=("compaction",),
        )
        for key, counts in self._counts.items():
            # The label namespace is that of the operator's own pod.
            name = f"{key.namespace}/{key.name}"
            for state in filter(lambda state: state.is_final, State):
                runs.add_metric((name, state.value), counts.ended[state])
            if counts.last_success:
                success.add_metric((name,), counts.last_success.timestamp())
        yield runs
        yield success
