"""RouterService over gRPC: requests in, the switch's answers out."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import grpc

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.pb.router.v1.router_pb2_grpc import RouterServiceServicer as GeneratedServicer
from forebay.pb.router.v1.router_pb2_grpc import add_RouterServiceServicer_to_server
from forebay.router.attachstream import AttachStream
from forebay.router.links.linkstream import LinkStream
from forebay.router.node import RouterNode
from forebay.router.processes import RETRY_SECONDS
from forebay.router.statuses import links_of, process_status, thread_status
from forebay.router.switch import Switch
from forebay.router.traces import Trace
from forebay.runtime.errors import FieldViolation, InvalidArgumentError, UnavailableError
from forebay.runtime.interceptor import caller_of
from forebay.runtime.opening import opening_of

if TYPE_CHECKING:
    from forebay.runtime.handlers import Handler

Context = grpc.aio.ServicerContext[Any, Any]

SERVICE = pb.DESCRIPTOR.services_by_name["RouterService"].full_name
PAGE = 100
LONGEST_PAGE = 1000
MOST_CHANGES = 10_000
"""Changes of alarms that wait for a watcher, beyond which its stream is ended."""


class RouterServicer(GeneratedServicer):
    """Thin: checks requests, and leads streams to the switch."""

    def __init__(self) -> None:
        self.node: RouterNode | None = None
        """None until the service is configured."""
        self._ending = asyncio.Event()
        self._streams: set[AttachStream] = set()
        self._links: set[LinkStream] = set()

    def end(self) -> None:
        """Let long streams end."""
        self._ending.set()
        for stream in self._streams:
            stream.end()
        for link in self._links:
            link.end()

    async def Attach(self, request_iterator: AsyncIterator[pb.AttachRequest], context: Context) -> None:
        """Attach a process; see the proto."""
        node = self._node()
        settings, processes = node.switch.settings, node.processes
        if (opening := await opening_of(request_iterator, self._ending, stopping)) is None:
            return
        if not opening.HasField("hello"):
            raise invalid("hello", "is missing: the first request says who attaches")
        attachment = processes.attach(opening.hello, caller_of(context).names)
        welcome = pb.Welcome(
            domain=settings.domain, router=settings.router, heartbeat_ms=round(settings.heartbeat * 1000)
        )
        stream = AttachStream(attachment, processes, welcome)
        self._streams.add(stream)
        try:
            await stream.run(opening, request_iterator, context.write)
        finally:
            self._streams.discard(stream)

    async def Link(  # type: ignore[override]  # see `add_to_server`
        self, request_iterator: AsyncIterator[pb.LinkRequest], context: Context
    ) -> AsyncIterator[pb.LinkRequest]:
        """Link another router; see the proto. Responses are written as requests, which are alike on the wire."""
        node = self._node()
        neighbours, names = node.neighbours, caller_of(context).names
        if (hello := await self._hello(request_iterator)) is None:
            return
        if not hello.link:
            neighbours.check(hello, names)
            yield pb.LinkRequest(hello=neighbours.hello(0, 0))
            if (hello := await self._hello(request_iterator)) is None:
                return
        neighbour = neighbours.open(hello, names)
        stream = LinkStream(neighbours, neighbour, node.switch.clock)
        self._links.add(stream)
        try:
            yield pb.LinkRequest(hello=neighbours.hello(hello.link, 0))
            async for told in stream.run(request_iterator):
                yield told
        finally:
            self._links.discard(stream)

    async def ListThreads(self, request: pb.ListThreadsRequest, context: Context) -> pb.ListThreadsResponse:
        """Show the threads of the domain."""
        switch = self._open()
        if request.page_size > LONGEST_PAGE:
            raise invalid("page_size", f"{request.page_size} is above {LONGEST_PAGE}: ask several times")
        count = request.page_size or PAGE
        found = list(switch.registry.page(request.page_token, request.prefix, count + 1))
        response = pb.ListThreadsResponse(threads=[thread_status(switch, entry) for entry in found[:count]])
        if len(found) > count:
            response.next_page_token = found[count - 1].name
        return response

    async def ListAlarms(self, request: pb.ListAlarmsRequest, context: Context) -> pb.ListAlarmsResponse:
        """Show the alarms that are on."""
        return pb.ListAlarmsResponse(alarms=self._open().alarms.raised())

    async def WatchAlarms(
        self, request: pb.WatchAlarmsRequest, context: Context
    ) -> AsyncIterator[pb.WatchAlarmsResponse]:
        """Tell of alarms as they change."""
        board = self._open().alarms
        changes, news = board.raised(), asyncio.Event()

        def changed(alarm: pb.Alarm) -> None:
            shown = pb.Alarm()
            shown.CopyFrom(alarm)
            changes.append(shown)
            news.set()

        with board.watched(changed), self._woken(news):
            yield pb.WatchAlarmsResponse(alarms=changes)
            changes.clear()
            while await self._waited(news):
                if len(changes) > MOST_CHANGES:
                    raise UnavailableError("alarms change faster than they are read: watch again")
                yield pb.WatchAlarmsResponse(alarms=changes)
                changes.clear()

    async def ClearAlarm(self, request: pb.ClearAlarmRequest, context: Context) -> pb.ClearAlarmResponse:
        """Turn an alarm off."""
        return pb.ClearAlarmResponse(alarm=self._open().alarms.clear(request.name, request.origin))

    async def Trace(self, request: pb.TraceRequest, context: Context) -> AsyncIterator[pb.TraceResponse]:
        """Show messages as they pass."""
        traces, news = self._open().traces, asyncio.Event()
        trace = Trace(request.address, news.set)
        with traces.watched(trace), self._woken(news):
            yield pb.TraceResponse()
            while await self._waited(news):
                while response := trace.take():
                    yield response

    async def GetRouter(self, request: pb.GetRouterRequest, context: Context) -> pb.GetRouterResponse:
        """Tell how the router is."""
        node = self._node()
        switch = node.switch
        return pb.GetRouterResponse(
            router=switch.settings.router,
            domain=switch.settings.domain,
            processes=[process_status(attachment) for attachment in node.processes],
            links=links_of(node),
            routes=node.neighbours.routes(),
            threads=len(switch.registry),
            messages=switch.messages,
            dropped=switch.dropped,
            spilled_octets=node.reservoir.octets if node.reservoir else 0,
            alarms=len(switch.alarms.raised()),
        )

    @contextmanager
    def _woken(self, news: asyncio.Event) -> Iterator[None]:
        """Sets the event, too, when the service ends."""

        async def wake() -> None:
            await self._ending.wait()
            news.set()

        waking = asyncio.ensure_future(wake())
        try:
            yield
        finally:
            waking.cancel()

    async def _waited(self, news: asyncio.Event) -> bool:
        """Wait for news; whether it is not the end of the service. Raises `UnavailableError` when it is."""
        await news.wait()
        news.clear()
        if self._ending.is_set():
            raise stopping()
        return True

    async def _hello(self, requests: AsyncIterator[pb.LinkRequest]) -> pb.LinkHello | None:
        """How a router introduces itself; None when it does not want to any more."""
        if (opening := await opening_of(requests, self._ending, stopping)) is None:
            return None
        if not opening.HasField("hello"):
            raise invalid("hello", "is missing: the first request says who links")
        return opening.hello

    def _node(self) -> RouterNode:
        if self.node is None:
            raise UnavailableError("the service has no valid configuration yet", retry_after=RETRY_SECONDS)
        return self.node

    def _open(self) -> Switch:
        return self._node().switch


def add_to_server(servicer: RouterServicer, server: grpc.aio.Server) -> None:
    """Have a server take the calls."""
    add_RouterServiceServicer_to_server(servicer, server)
    link: Handler = grpc.stream_stream_rpc_method_handler(
        servicer.Link, pb.LinkRequest.FromString, pb.LinkRequest.SerializeToString
    )
    # What is registered last counts.
    server.add_registered_method_handlers(SERVICE, {"Link": link})


def invalid(field: str, problem: str) -> InvalidArgumentError:
    """What is wrong with one field."""
    return InvalidArgumentError(f"{field} {problem}", violations=[FieldViolation(field, problem)])


def stopping() -> UnavailableError:
    """The service ends."""
    return UnavailableError("the service stops", retry_after=RETRY_SECONDS)
