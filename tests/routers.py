"""Routers of tests, in the test's own process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from forebay.router.links.settings import LinksSettings
from forebay.router.node import RouterNode
from forebay.router.servicemetrics import service_metrics
from forebay.router.servicer import SERVICE, RouterServicer, add_to_server
from forebay.router.settings import RouterSettings
from forebay.runtime import DrainSettings, GrpcSettings, Host, HostSettings, SystemClock
from forebay.runtime.service import Service

# Tests know who is there: nobody is about to attach.
AT_ONCE = RouterSettings(grace=0.0)


class FixedService(Service):
    """A router whose settings are given as such, with what no Router can say: what a configuration leaves out."""

    name = "router"
    node: RouterNode

    def __init__(self, settings, links):
        self.settings = settings
        self.links = links
        self.servicer = RouterServicer()

    def register(self, server):
        add_to_server(self.servicer, server)
        return [SERVICE]

    async def start(self, tasks):
        self.node = RouterNode(self.settings, self.links, SystemClock(), tasks)
        await self.node.start()
        self.servicer.node = self.node

    async def apply(self, document):
        return ()

    def quiesce(self):
        self.node.quiesce()
        self.servicer.end()

    async def drain(self):
        await self.node.close()

    def collect(self):
        return service_metrics(self.node)


class Router:
    """One router; it may be stopped and started again at the same port."""

    def __init__(
        self,
        settings: RouterSettings = AT_ONCE,
        links: LinksSettings | None = None,
        port: int = 0,
        tls: Path | None = None,
    ):
        self.tls = tls
        self.settings = settings
        self.links = links or LinksSettings()
        self.port = port
        self.service: FixedService
        self.host: Host

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def node(self) -> RouterNode:
        return self.service.node

    @property
    def switch(self):
        return self.node.switch

    async def start(self, attach=None) -> None:
        """attach: what is done instead when a process attaches."""
        self.service = FixedService(self.settings, self.links)
        settings = HostSettings(
            grpc=GrpcSettings(listen=self.address, concurrent_calls=10_000, tls=self.tls),
            drain=DrainSettings(calls=1.0),
        )
        self.host = Host(self.service, settings)
        await self.host.start()
        if attach:
            self.node.processes.attach = attach
        self.port = self.host.grpc_port

    async def stop(self) -> None:
        await self.host.stop()


@asynccontextmanager
async def running_router(settings: RouterSettings = AT_ONCE) -> AsyncIterator[Router]:
    router = Router(settings)
    await router.start()
    try:
        yield router
    finally:
        await router.stop()
