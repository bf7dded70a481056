"""The plain HTTP port of a service: metrics for Prometheus and pages for probes, which bring no certificate."""

import os
from collections.abc import Mapping

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client import CollectorRegistry

from forebay.runtime.address import Address
from forebay.runtime.dualstack import dualstack_socket
from forebay.runtime.errors import AddressError
from forebay.runtime.metrics import rendered
from forebay.runtime.state import State


class Pages:
    """Serves /metrics, /healthz, /readyz and the service's own pages."""

    def __init__(self, state: State, registry: CollectorRegistry, more: Mapping[str, Handler]) -> None:
        self._state = state
        self._registry = registry
        application = web.Application()
        pages: dict[str, Handler] = {"/metrics": self.metrics, "/healthz": self.healthz, "/readyz": self.readyz, **more}
        application.add_routes([web.get(path, handler) for path, handler in pages.items()])
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=2.0)

    async def start(self, address: Address) -> int:
        """Listen; the port.

        Raises `AddressError` when the address cannot be used.
        """
        await self._runner.setup()
        try:
            await self._site(address).start()
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror)
            raise AddressError(
                f"cannot listen on {address} for metrics and probes: {reason}; give another, or end what holds it"
            ) from error
        return int(self._runner.addresses[0][1])

    def _site(self, address: Address) -> web.BaseSite:
        if made := dualstack_socket(address.host, address.port):
            return web.SockSite(self._runner, made)
        return web.TCPSite(self._runner, address.host, address.port)

    async def stop(self) -> None:
        """Stop listening; requests in progress have two seconds."""
        await self._runner.cleanup()

    async def metrics(self, request: web.Request) -> web.Response:
        """One moment's figures."""
        body, content_type = rendered(self._registry, request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})

    async def healthz(self, request: web.Request) -> web.Response:
        """The event loop turns; nothing else is asked, for a restart would mend nothing else."""
        return web.Response(text="ok\n")

    async def readyz(self, request: web.Request) -> web.Response:
        """200 when requests are taken, else 503; what is degraded is told and changes nothing."""
        content = {
            "service": self._state.name,
            "ready": self._state.ready,
            "phase": self._state.phase.value,
            "degraded": [each._asdict() for each in self._state.degradations()],
        }
        return web.json_response(content, status=200 if self._state.ready else 503)
