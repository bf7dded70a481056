"""What the runtime itself has to say of a service to Prometheus."""

from collections.abc import Iterable
from importlib.metadata import version

from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily, Metric

from forebay.runtime.revisions import Revisions
from forebay.runtime.state import State


def host_metrics(state: State, revisions: Revisions) -> Iterable[Metric]:
    """Version, readiness, degradations, revision in force, and when the certificate ends."""
    yield InfoMetricFamily("forebay", "The service.", {"service": state.name, "version": version("forebay")})
    yield GaugeMetricFamily("forebay_ready", "1 when the service takes requests.", value=float(state.ready))
    degraded = GaugeMetricFamily(
        "forebay_degraded", "1 for each thing that the service does without.", labels=["reason"]
    )
    for reason in sorted({each.reason for each in state.degradations()}):
        degraded.add_metric([reason], 1.0)
    yield degraded
    yield GaugeMetricFamily("forebay_config_revision", "The configuration in force.", value=revisions.current)
    refused = sum(not result.applied for result in revisions.results)
    yield GaugeMetricFamily("forebay_config_refused_resources", "Resources not in effect as written.", value=refused)
    if state.folder is not None:
        expires = state.folder.current.expires.timestamp()
        yield GaugeMetricFamily(
            "forebay_certificate_expiry_timestamp_seconds", "End of our certificate.", value=expires
        )
