"""Traces of calls, sent to a collector."""

import asyncio
import sys
from contextlib import asynccontextmanager

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from forebay.runtime import ClientChannel, HostSettings, TracingUnavailableError
from forebay.runtime.tracing import make_tracing

from .echo import NAME, connected, hosted

trace_service = pytest.importorskip(
    "opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason="needs the extra `tracing`"
)


@asynccontextmanager
async def collector():
    """An OTLP collector: its address, and the spans that it was sent."""
    spans = []

    async def export(request, context):
        sent = trace_service.ExportTraceServiceRequest.FromString(request)
        spans.extend(span for resource in sent.resource_spans for scope in resource.scope_spans for span in scope.spans)
        return trace_service.ExportTraceServiceResponse().SerializeToString()

    handlers = {"Export": grpc.unary_unary_rpc_method_handler(export)}
    server = grpc.aio.server()
    name = "opentelemetry.proto.collector.trace.v1.TraceService"
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(name, handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"http://127.0.0.1:{port}", spans
    finally:
        await server.stop(0)


async def test_calls_make_spans_and_health_checks_do_not(service):
    async with collector() as (endpoint, spans):
        async with hosted(service, HostSettings(traces=endpoint)) as host, connected(host) as client:
            await HealthStub(client.channel.get()).Check(HealthCheckRequest())
            await client.call(b"hello")
            await asyncio.gather(client.call(b"crash"), return_exceptions=True)
        assert [span.name for span in spans] == [f"{NAME}/Unary"] * 2
        assert [span.status.code for span in spans] == [0, 2]
        assert "hunter2" not in str(spans)


async def test_a_callers_trace_is_carried_on(service):
    trace = "0af7651916cd43dd8448eb211c80319c"
    async with collector() as (endpoint, spans):
        async with hosted(service, HostSettings(traces=endpoint)) as host, connected(host) as client:
            await client.call(b"hello", metadata=(("traceparent", f"00-{trace}-b7ad6b7169203331-01"),))
        assert spans[0].trace_id.hex() == trace


async def test_a_traced_client_passes_its_trace_on(service):
    async with collector() as (endpoint, spans):
        tracing = make_tracing(endpoint, "client")
        async with hosted(service, HostSettings(traces=endpoint)) as host:
            channel = ClientChannel(f"localhost:{host.grpc_port}", interceptors=tracing.client_interceptors())
            await channel.get().unary_unary(f"/{NAME}/Unary")(b"hello")
            await channel.close()
        await asyncio.to_thread(tracing.close)
        ours, theirs = spans
        assert ours.trace_id == theirs.trace_id


def test_without_the_extra_the_remedy_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.grpc.trace_exporter", None)
    with pytest.raises(TracingUnavailableError, match=r"pip install 'forebay\[tracing\]'"):
        make_tracing("http://collector:4317", "echo")
