"""grpc.health.v1 for a service, with watches that do not hold up its end."""

import asyncio
from collections.abc import Iterable
from typing import TypeAlias

from grpc.aio import ServicerContext
from grpc_health.v1 import health, health_pb2

from forebay.runtime.errors import UnavailableError

SERVICE_NAME = health.SERVICE_NAME
WatchContext: TypeAlias = ServicerContext[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]


class Health(health.aio.HealthServicer):
    """All names are NOT_SERVING until `serve`, and for good after `enter_graceful_shutdown`."""

    def __init__(self) -> None:
        super().__init__()
        self._watches: set[asyncio.Task[None]] = set()
        self._over = False

    async def know(self, names: Iterable[str]) -> None:
        """Answer for these services, and for the server as a whole, with NOT_SERVING."""
        for name in ("", *names):
            await self.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)

    async def serve(self, names: Iterable[str]) -> None:
        """Answer for these services, and for the server as a whole, with SERVING."""
        for name in ("", *names):
            await self.set(name, health_pb2.HealthCheckResponse.SERVING)

    def end_watches(self) -> None:
        """End all Watch calls: a server that stops would wait for them."""
        self._over = True
        for watch in self._watches:
            watch.cancel()

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: WatchContext) -> None:  # noqa: N802
        """Send each change of a name's state until the server ends."""
        watch = asyncio.get_running_loop().create_task(super().Watch(request, context))
        self._watches.add(watch)
        try:
            await watch
        except asyncio.CancelledError:
            if self._over:
                raise UnavailableError("the service is ending", reason="DRAINING") from None
            raise
        finally:
            self._watches.discard(watch)
