"""Running services: the order in which one starts, takes configuration, and ends."""

import asyncio
import gc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import structlog
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server
from grpc_reflection.v1alpha import reflection
from prometheus_client.metrics_core import Metric
from structlog.contextvars import bound_contextvars

from forebay.pb.config.v1 import config_pb2
from forebay.pb.config.v1.config_pb2_grpc import add_ConfigServiceServicer_to_server
from forebay.runtime.access import HEALTH, Authorizer
from forebay.runtime.address import parse_address
from forebay.runtime.certificates import CertificateFolder
from forebay.runtime.configservice import ConfigServicer
from forebay.runtime.configuration import Configuration
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import DrainTimeoutError
from forebay.runtime.grpcserver import GrpcSettings, bind, make_server
from forebay.runtime.health import Health
from forebay.runtime.hostmetrics import host_metrics
from forebay.runtime.interceptor import Guard, Interceptor, OpenCalls
from forebay.runtime.metrics import LoopCollector, make_registry
from forebay.runtime.pages import Pages
from forebay.runtime.rpcmetrics import RpcMetrics
from forebay.runtime.service import Service
from forebay.runtime.signals import Reload, Signals
from forebay.runtime.state import Phase, State
from forebay.runtime.tasks import Supervisor
from forebay.runtime.tracing import make_tracing

CONFIG_SERVICE = config_pb2.DESCRIPTOR.services_by_name["ConfigService"].full_name

COLLECT_AFTER = 50_000
"""Objects that may be made, net of those freed, before the youngest of them are searched for cycles."""

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class DrainSettings:
    """How a service ends, in seconds."""

    endpoints: float = 0.0
    """To wait between saying NOT_SERVING and refusing calls, so that load balancers follow: 3 to 5 in a cluster."""
    calls: float = 10.0
    """For calls in progress before they are cut off."""
    total: float = 25.0
    """For all of it; a pod's terminationGracePeriodSeconds has to be more."""


@dataclass(frozen=True)
class HostSettings:
    """How a service is run."""

    grpc: GrpcSettings = field(default_factory=GrpcSettings)
    http: str = "127.0.0.1:0"
    """Address of the plain HTTP port for metrics and probes."""
    drain: DrainSettings = field(default_factory=DrainSettings)
    operator: str = ""
    """Glob of the certificate names that may apply configuration; empty: nobody over TLS."""
    traces: str = ""
    """OTLP endpoint, as `http://collector:4317`; empty: no traces."""


class Host:
    """Runs one service on the running event loop, beside others if need be: `start`, and later `stop` once."""

    def __init__(
        self, service: Service, settings: HostSettings | None = None, document: ConfigDocument | None = None
    ) -> None:
        """`document` is the configuration to begin with.

        Raises `SettingsError` or `CertificateError` when the service cannot be run like this.
        """
        self.service = service
        self.settings = settings or HostSettings()
        self.tasks = Supervisor()
        self.configuration = Configuration(service.apply)
        self.grpc_port = 0
        """Known once started."""
        self.http_port = 0
        """Known once started."""
        tls = self.settings.grpc.tls
        self.state = State(service, CertificateFolder(tls) if tls else None)
        self._document = document
        self._begun = False
        self._registry = make_registry()
        self._tracing = make_tracing(self.settings.traces, service.name)
        self._pages = Pages(self.state, self._registry, service.pages())
        self._health = Health()
        self._calls = OpenCalls()
        self._server = make_server(self.settings.grpc, [Interceptor(self._guard())])

    def _guard(self) -> Guard:
        """What every call of the server passes through."""
        return Guard(
            calls=self._calls,
            admit=self.state.admit,
            authorizer=Authorizer(self.service.access, self.settings.operator, self.service.watched),
            deadlines=self.settings.grpc.deadlines,
            metrics=RpcMetrics(self._registry),
            tracing=self._tracing,
        )

    async def start(self) -> None:
        """Listen, start the service, apply its configuration, and say that it is ready.

        After a failure, `stop` still has to be called.
        """
        with bound_contextvars(service=self.service.name):
            self._registry.register(LoopCollector(self._collect))
            self.http_port = await self._pages.start(parse_address(self.settings.http))
            names = await self._listen()
            self._begun = True
            await self.service.start(self.tasks)
            if self._document is not None:
                await self.configuration.apply(self._document)
            self.state.phase = Phase.READY
            await self._health.serve(names)
            log.info("ready", grpc_port=self.grpc_port, http_port=self.http_port)

    def _collect(self) -> Iterable[Metric]:
        return chain(host_metrics(self.state, self.configuration.revisions), self.service.collect())

    async def _listen(self) -> list[str]:
        """Serve gRPC, for now answering health checks only; the full names of all services."""
        names = [*self.service.register(self._server), CONFIG_SERVICE]
        add_ConfigServiceServicer_to_server(ConfigServicer(self.configuration, self.state), self._server)
        add_HealthServicer_to_server(self._health, self._server)
        if self.settings.grpc.reflection:
            shown = [*names, HEALTH, reflection.SERVICE_NAME]
            reflection.enable_server_reflection(shown, self._server)
        await self._health.know(names)
        self.grpc_port = bind(self._server, self.settings.grpc, self.state.folder)
        await self._server.start()
        return names

    async def stop(self) -> None:
        """Say NOT_SERVING, let load balancers follow, end calls, drain the service, and close everything.

        Raises `DrainTimeoutError` when that took too long and was cut off; everything is closed also then.
        """
        drain = self.settings.drain
        with bound_contextvars(service=self.service.name):
            try:
                await self._drain_in_time(drain)
            except Exception:
                # Of several failures `serve` raises one, and none when it is cancelled itself.
                log.exception("drain failed")
                raise
            finally:
                await self._close()

    async def _drain_in_time(self, drain: DrainSettings) -> None:
        try:
            async with asyncio.timeout(drain.total) as scope:
                await self._drain(drain)
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise DrainTimeoutError(f"{self.service.name} was not drained within {drain.total:g} s") from error

    async def _drain(self, drain: DrainSettings) -> None:
        self.state.phase = Phase.DRAINING
        await self._health.enter_graceful_shutdown()
        log.info("draining")
        if self._begun:
            await asyncio.sleep(drain.endpoints)
            self.service.quiesce()
        self._health.end_watches()
        await self._server.stop(drain.calls)
        await self._calls.ended()
        log.info("calls ended")
        if self._begun:
            await self.service.drain()
            log.info("drained")

    async def _close(self) -> None:
        await self._server.stop(0)
        await self.tasks.close()
        await self._pages.stop()
        await asyncio.to_thread(self._tracing.close)
        log.info("stopped")


async def run(
    service: Service,
    settings: HostSettings | None = None,
    document: ConfigDocument | None = None,
    reload: Reload | None = None,
) -> None:
    """Run one service as this process until SIGTERM or SIGINT; see `serve`."""
    await serve([Host(service, settings, document)], reload)


async def serve(hosts: Sequence[Host], reload: Reload | None = None) -> None:
    """Run services together until SIGTERM or SIGINT, then drain them all; SIGHUP calls `reload`.

    Raises what kept a service from starting, `TaskCrashedError` when one failed later, and `DrainTimeoutError`.
    """
    async with Signals(reload) as signals:
        living = asyncio.ensure_future(live(hosts))
        ending = asyncio.ensure_future(signals.stop.wait())
        try:
            await asyncio.wait({living, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            failures = await ended(living, ending)
            failures += await asyncio.gather(*(host.stop() for host in hosts), return_exceptions=True)
        for failure in failures:
            if isinstance(failure, Exception):
                raise failure


async def live(hosts: Sequence[Host]) -> None:
    """Start services one after the other, and go on until one of them crashes."""
    starting = asyncio.ensure_future(start_all(hosts))
    crashes = {asyncio.ensure_future(host.tasks.crashed()) for host in hosts}
    try:
        done, _ = await asyncio.wait({starting, *crashes}, return_when=asyncio.FIRST_COMPLETED)
        if starting in done:
            await starting
            await asyncio.wait(crashes, return_when=asyncio.FIRST_COMPLETED)
        raise next(crash.result() for crash in crashes if crash.done())
    finally:
        await ended(starting, *crashes)


async def start_all(hosts: Sequence[Host]) -> None:
    """Start services in their order."""
    for host in hosts:
        await host.start()
    # What lives since the start lives to the end: the garbage collector need not look at it again and again. And a
    # batch of a thousand records is no reason to look for cycles, which services hardly make.
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])


async def ended(*tasks: asyncio.Future[Any]) -> list[Any]:
    """Cancel tasks and wait for their end; results and exceptions."""
    for task in tasks:
        task.cancel()
    return await asyncio.gather(*tasks, return_exceptions=True)
