"""Figures of gRPC calls for Prometheus."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from grpc import StatusCode
from grpc.aio import AbortError
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from forebay.runtime.handlers import Context

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
CODES = {code.value[0]: code.name for code in StatusCode}


class RpcMetrics:
    """Calls by method and status code, their seconds, and those in progress.

    Only methods that exist are counted, so callers cannot invent label values.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Counter("forebay_grpc_calls", "Calls that have ended.", ["method", "code"], registry=registry)
        self._seconds = Histogram(
            "forebay_grpc_call_seconds", "Duration of calls.", ["method"], registry=registry, buckets=BUCKETS
        )
        self._open = Gauge("forebay_grpc_open_calls", "Calls in progress.", ["method"], registry=registry)

    @contextmanager
    def call(self, method: str, context: Context) -> Iterator[None]:
        """Count and time one call."""
        started = time.perf_counter()
        self._open.labels(method).inc()
        code = StatusCode.CANCELLED.name
        try:
            yield
            code = answered(context)
        except AbortError:
            code = answered(context)
            raise
        finally:
            self._open.labels(method).dec()
            self._seconds.labels(method).observe(time.perf_counter() - started)
            self._calls.labels(method, code).inc()


def answered(context: Context) -> str:
    """The name of the status that a call ends with. grpc.aio keeps it as a code, as its number, or not at all."""
    code = context.code()
    if isinstance(code, StatusCode):
        return code.name
    return CODES.get(code or 0, StatusCode.UNKNOWN.name)
