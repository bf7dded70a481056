"""The plain HTTP port: /healthz for probes, /metrics for Prometheus."""

from collections.abc import Mapping

from aiohttp import web
from prometheus_client import CollectorRegistry

from forebay.runtime import Address, AddressError, Clock
from forebay.runtime.metrics import rendered

LONGEST_SILENCE = 180.0
"""Seconds without a word from a part after which a restart of the operator may help."""


class Pulse:
    """When something was last heard of, such as the API server."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock.monotonic()

    def beat(self) -> None:
        """It was heard of now."""
        self._last = self._clock.monotonic()

    @property
    def silence(self) -> float:
        """Seconds since then; since the start, when it never was."""
        return self._clock.monotonic() - self._last


class HealthPages:
    """Serves the pages."""

    def __init__(self, pulses: Mapping[str, Pulse], registry: CollectorRegistry) -> None:
        """`pulses`, which may change, are what has to be heard of, by their names."""
        self._pulses = pulses
        self._registry = registry
        application = web.Application()
        application.add_routes([web.get("/healthz", self.healthz), web.get("/metrics", self.metrics)])
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=2.0)

    async def start(self, address: Address) -> None:
        """Listen. Raises `AddressError` when the address can't be used."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, address.host, address.port).start()
        except OSError as error:
            raise AddressError(f"cannot listen on {address}: {error.strerror}; give another by --http") from error

    async def stop(self) -> None:
        """Stop listening."""
        await self._runner.cleanup()

    async def healthz(self, request: web.Request) -> web.Response:
        """200 as long as everything is heard of, else 503."""
        silences = {name: pulse.silence for name, pulse in self._pulses.items()}
        is_well = all(silence <= LONGEST_SILENCE for silence in silences.values())
        lines = (f"{name}: last heard of {silence:.0f} s ago\n" for name, silence in silences.items())
        return web.Response(text="".join(lines), status=200 if is_well else 503)

    async def metrics(self, request: web.Request) -> web.Response:
        """One moment's figures."""
        body, content_type = rendered(self._registry, request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})
