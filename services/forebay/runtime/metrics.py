"""The metrics of one service, collected on its event loop so that one scrape shows one moment."""

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector


class LoopCollector(Collector):
    """Asks a function at every scrape, and not before."""

    def __init__(self, collect: Callable[[], Iterable[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterable[Metric]:
        """The metrics of this moment."""
        return self._collect()

    def describe(self) -> Iterable[Metric]:
        """Nothing: a service is not asked before it has started."""
        return ()


def make_registry() -> CollectorRegistry:
    """A registry with what there is to say about the process."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    return registry


def rendered(registry: CollectorRegistry, accept: str) -> tuple[bytes, str]:
    """A scrape and its content type, in the format that the header Accept asks for. Has to be called on the loop."""
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type
