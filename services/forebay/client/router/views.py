"""What a router shows: threads, alarms, messages that pass, and itself."""

from collections.abc import AsyncIterator

from forebay.client.channels import service_errors
from forebay.client.serviceclient import ServiceClient
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.pb.router.v1.router_pb2_grpc import RouterServiceStub

TIMEOUT = 30.0
"""Seconds that a call may take; streams have no end."""
PAGE = 1000


class RouterClient(ServiceClient):
    """Shows a router, and clears its alarms. All methods raise `ServiceError`. To send messages, begin a `Process`.

    Made within a running event loop:

        async with RouterClient.connect("127.0.0.1:7720") as client:
            async for thread in client.threads():
                ...
    """

    async def router(self) -> pb.GetRouterResponse:
        """The router as it is now: its processes, links and ways to other domains."""
        with service_errors():
            return await self._stub().GetRouter(pb.GetRouterRequest(), timeout=TIMEOUT)

    async def threads(self, prefix: str = "") -> AsyncIterator[pb.ThreadStatus]:
        """Threads of the domain whose names have the prefix, by name; fetched by pages."""
        request = pb.ListThreadsRequest(prefix=prefix, page_size=PAGE)
        while True:
            with service_errors():
                response = await self._stub().ListThreads(request, timeout=TIMEOUT)
            for thread in response.threads:
                yield thread
            if not response.next_page_token:
                return
            request.page_token = response.next_page_token

    async def alarms(self) -> list[pb.Alarm]:
        """Alarms that are on, the oldest first."""
        with service_errors():
            return list((await self._stub().ListAlarms(pb.ListAlarmsRequest(), timeout=TIMEOUT)).alarms)

    async def watch_alarms(self) -> AsyncIterator[pb.Alarm]:
        """Alarms that are on, and then every one that changes."""
        call = self._stub().WatchAlarms(pb.WatchAlarmsRequest())
        try:
            with service_errors():
                async for response in call:
                    for alarm in response.alarms:
                        yield alarm
        finally:
            call.cancel()

    async def clear_alarm(self, name: str, origin: str) -> pb.Alarm:
        """Turn an alarm off."""
        request = pb.ClearAlarmRequest(name=name, origin=origin)
        with service_errors():
            return (await self._stub().ClearAlarm(request, timeout=TIMEOUT)).alarm

    async def trace(self, address: str = "") -> AsyncIterator[pb.TraceResponse]:
        """Messages as they pass the router, from or for a thread or a group, `name@domain`; without it all.

        The first response, which may be empty, tells that it has begun.
        """
        call = self._stub().Trace(pb.TraceRequest(address=address))
        try:
            with service_errors():
                async for response in call:
                    yield response
        finally:
            call.cancel()

    def _stub(self) -> RouterServiceStub:
        return RouterServiceStub(self._channel.get())
