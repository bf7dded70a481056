"""Probes of containers."""

from forebay_operator.body import Body


def http_probes() -> Body:
    """Probes on the plain HTTP port of a service, named `health`: they need no certificate.

    To read a large log at the start may take minutes. While the process lives, half a minute without an answer is more
    than a full disk or a busy node takes.
    """
    return {
        "startupProbe": probe(page("/healthz"), period=2, failures=300),
        "livenessProbe": probe(page("/healthz"), period=10, failures=3),
        "readinessProbe": probe(page("/readyz"), period=5, failures=2),
    }


def tcp_probes(port: str) -> Body:
    """Probes of a server that can be connected to; a Valkey image need not have a client to ask it more.

    It listens before it has loaded its data, and clients are told to wait until then.
    """
    connect = {"tcpSocket": {"port": port}}
    return {
        "startupProbe": probe(connect, period=2, failures=300),
        "livenessProbe": probe(connect, period=10, failures=3),
        "readinessProbe": probe(connect, period=5, failures=2),
    }


def page(path: str) -> Body:
    """A page that has to answer with success."""
    return {"httpGet": {"path": path, "port": "health", "scheme": "HTTP"}}


def probe(how: Body, period: int, failures: int) -> Body:
    """A probe each `period` seconds; so many failures in a row count."""
    return {**how, "periodSeconds": period, "failureThreshold": failures, "timeoutSeconds": 5}
