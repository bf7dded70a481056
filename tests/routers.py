"""Routers of tests, in the test's own process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from forebay.router.links.settings import LinksSettings
from forebay.router.service import RouterService
from forebay.router.settings import RouterSettings
from forebay.runtime import DrainSettings, GrpcSettings, Host, HostSettings

# Tests know who is there: nobody is about to attach.
AT_ONCE = RouterSettings(grace=0.0)


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
        self.links = links
        self.port = port
        self.service: RouterService
        self.host: Host

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def switch(self):
        return self.service.switch

    async def start(self, attach=None) -> None:
        """attach: what is done instead when a process attaches."""
        self.service = RouterService(self.settings, self.links)
        if attach:
            self.service._processes.attach = attach
        settings = HostSettings(
            grpc=GrpcSettings(listen=self.address, concurrent_calls=10_000, tls=self.tls),
            drain=DrainSettings(calls=1.0),
        )
        self.host = Host(self.service, settings)
        await self.host.start()
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
