"""OpenTelemetry traces of calls: off unless an endpoint is given, and installed by the extra `tracing`."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import grpc

from forebay.runtime.access import HEALTH
from forebay.runtime.errors import TracingUnavailableError
from forebay.runtime.handlers import Context

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


class Tracing:
    """No traces."""

    def call(self, method: str, context: Context) -> AbstractContextManager[None]:
        """The span of one call that is served."""
        return nullcontext()

    def client_interceptors(self) -> Sequence[grpc.aio.ClientInterceptor]:
        """What makes calls of a channel carry the current trace on."""
        return ()

    def close(self) -> None:
        """Send what was not sent yet. Blocks for some seconds at worst."""


class OtelTracing(Tracing):
    """Spans given to an OpenTelemetry provider. Health checks have none."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("forebay")

    def call(self, method: str, context: Context) -> AbstractContextManager[None]:  # noqa: D102
        return nullcontext() if method.startswith(HEALTH) else self._span(method, context)

    @contextmanager
    def _span(self, method: str, context: Context) -> Iterator[None]:
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        service, _, name = method.rpartition("/")
        metadata = {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}
        attributes = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": name}
        with self._tracer.start_as_current_span(
            method, context=extract(metadata), kind=SpanKind.SERVER, attributes=attributes, record_exception=False
        ):
            yield

    def client_interceptors(self) -> Sequence[grpc.aio.ClientInterceptor]:  # noqa: D102
        from opentelemetry.instrumentation.grpc import aio_client_interceptors, filters

        made: Sequence[grpc.aio.ClientInterceptor] = aio_client_interceptors(  # type: ignore[no-untyped-call]
            tracer_provider=self._provider, filter_=filters.negate(filters.health_check())
        )
        return made

    def close(self) -> None:  # noqa: D102
        self._provider.shutdown()


def make_tracing(endpoint: str, service: str) -> Tracing:
    """Traces of a service for the OTLP collector at an endpoint, such as `http://collector:4317`; empty: none.

    Raises `TracingUnavailableError` when the extra is not installed.
    """
    if not endpoint:
        return Tracing()
    try:
        return OtelTracing(otlp_provider(endpoint, service))
    except ImportError as error:
        raise TracingUnavailableError(
            f"traces for {endpoint} need more packages: pip install 'forebay[tracing]'"
        ) from error


def otlp_provider(endpoint: str, service: str) -> "TracerProvider":
    """A provider that sends spans in batches from a thread of its own."""
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    attributes: dict[str, Any] = {"service.name": f"forebay-{service}", "service.namespace": "forebay"}
    provider = TracerProvider(resource=Resource.create(attributes))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return provider
