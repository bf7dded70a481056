"""A service to host in tests. Its methods take and give plain octets; a request says what is to happen."""

import asyncio
from contextlib import asynccontextmanager

import grpc
import structlog
from aiohttp import web
from prometheus_client.metrics_core import GaugeMetricFamily

from forebay.runtime import (
    ChannelSettings,
    ClientChannel,
    FieldViolation,
    Host,
    InvalidArgumentError,
    ResourceResult,
    Service,
    UnavailableError,
)

NAME = "test.v1.EchoService"
log = structlog.stdlib.get_logger("echo")


class EchoService(Service):
    name = "echo"

    def __init__(self):
        self.events = []
        self.started = asyncio.Event()
        self.started.set()
        self.quiet = asyncio.Event()
        self.rules = ()
        self.degraded = []
        self.tasks = None

    def register(self, server):
        handlers = {
            "Unary": grpc.unary_unary_rpc_method_handler(self.unary),
            "Stream": grpc.unary_stream_rpc_method_handler(self.stream),
            "Collect": grpc.stream_unary_rpc_method_handler(self.collect_all),
            "Chat": grpc.stream_stream_rpc_method_handler(self.chat),
            "Write": grpc.stream_stream_rpc_method_handler(self.write),
            "Missing": grpc.unary_unary_rpc_method_handler(self.missing),
        }
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(NAME, handlers)])
        return [NAME]

    async def start(self, tasks):
        self.tasks = tasks
        self.events.append("start")
        await self.started.wait()

    async def apply(self, document):
        self.events.append(f"apply {document.revision}")
        return [result(manifest, document.revision) for manifest in document.manifests]

    def quiesce(self):
        self.events.append("quiesce")
        self.quiet.set()

    async def drain(self):
        self.events.append("drain")

    def collect(self):
        yield GaugeMetricFamily("echo_events", "Events so far.", value=len(self.events))

    def degradations(self):
        return self.degraded

    def access(self):
        return self.rules

    def pages(self):
        async def page(request):
            return web.Response(text="a page of its own")

        return {"/echo": page}

    async def unary(self, request, context):
        return await self.act(request)

    async def stream(self, request, context):
        for word in request.split(b" "):
            yield await self.act(word)

    async def collect_all(self, requests, context):
        return b" ".join([await self.act(request) async for request in requests])

    async def chat(self, requests, context):
        async for request in requests:
            yield await self.act(request)

    async def write(self, requests, context):
        async for request in requests:
            await context.write(await self.act(request))

    def missing(self, request, context):
        raise NotImplementedError

    async def act(self, request):
        match request:
            case b"crash":
                raise ValueError("secret password=hunter2")
            case b"refuse":
                violations = [FieldViolation("spec.size", "is 0, give at least 1")]
                raise InvalidArgumentError("cannot do that", reason="SIZE_ZERO", violations=violations)
            case b"timeout":
                raise TimeoutError("of its own")
            case b"sleep":
                self.events.append("sleeping")
                try:
                    await asyncio.sleep(60)
                finally:
                    self.events.append("woken")
            case b"wait":
                self.events.append("waiting")
                await self.quiet.wait()
                raise UnavailableError("draining", reason="DRAINING")
            case b"log":
                log.info("worked")
        return request


def result(manifest, revision):
    """What came of a manifest: refused when it is called bad."""
    name = manifest["name"]
    violations = (FieldViolation("name", "is bad, give another"),) if name == "bad" else ()
    return ResourceResult("Echo", "default", name, "uid-1", revision, violations, ("spec.new is unknown",))


class Client:
    """Calls an echo service."""

    def __init__(self, port, folder=None, host="localhost"):
        self.channel = ClientChannel(f"dns:///{host}:{port}", folder, ChannelSettings(retire=1.0))

    def unary(self, method="Unary"):
        return self.channel.get().unary_unary(f"/{NAME}/{method}")

    def stream(self):
        return self.channel.get().unary_stream(f"/{NAME}/Stream")

    def collect(self):
        return self.channel.get().stream_unary(f"/{NAME}/Collect")

    def chat(self, method="Chat"):
        return self.channel.get().stream_stream(f"/{NAME}/{method}")

    async def call(self, request, **options):
        return await self.unary()(request, timeout=10, **options)


@asynccontextmanager
async def hosted(service, settings=None, document=None):
    """A host that is started, and stopped in the end."""
    host = Host(service, settings, document)
    try:
        await host.start()
        yield host
    finally:
        await host.stop()


@asynccontextmanager
async def connected(host, folder=None):
    client = Client(host.grpc_port, folder)
    try:
        yield client
    finally:
        await client.channel.close()
