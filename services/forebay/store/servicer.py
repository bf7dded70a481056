"""StoreService over gRPC: requests in, the queues' answers out."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceServicer as GeneratedServicer
from forebay.pb.store.v1.store_pb2_grpc import add_StoreServiceServicer_to_server
from forebay.runtime.errors import FieldViolation, InvalidArgumentError, UnavailableError
from forebay.runtime.opening import opening_of
from forebay.store.consumestream import ConsumeStream
from forebay.store.publishstream import PublishStream
from forebay.store.queueing.figures import Figures
from forebay.store.queueing.messages import PublishBatch, read_batch
from forebay.store.sessions import QueueHub

if TYPE_CHECKING:
    from forebay.runtime.handlers import Handler

S = TypeVar("S")
Context = grpc.aio.ServicerContext[Any, Any]

SERVICE = pb.DESCRIPTOR.services_by_name["StoreService"].full_name
RETRY_SECONDS = 5.0
MOST = 1000
"""Messages of a response to Get or Browse."""
BROWSED = 100
LONGEST_NAME = 255
"""Characters of the name of a publisher or a consumer."""
MOST_PREFETCH = 65_535


class StoreServicer(GeneratedServicer):
    """Thin: checks requests, and leads streams to the queues."""

    def __init__(self) -> None:
        self.hub: QueueHub | None = None
        """None until the service is configured."""
        self.standby: Callable[[], UnavailableError] | None = None
        """Where the store has several pods: what this one answers while it is not primary."""
        self.members: Callable[[], Sequence[str]] = tuple
        """Where it has: pods that have all that was confirmed, the primary first."""
        self._publishing: set[PublishStream] = set()
        self._consuming: set[ConsumeStream] = set()
        self._blocked = ""
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Let long streams end, once what is due has gone out."""
        self._ending.set()
        for publishing in self._publishing:
            publishing.end()
        for consuming in self._consuming:
            consuming.end()

    def block(self, reason: str) -> None:
        """Why publishers have to wait from now on; empty: they may go on."""
        if reason != self._blocked:
            self._blocked = reason
            for stream in self._publishing:
                stream.block(reason)

    async def Publish(  # type: ignore[override]  # see `add_to_server`
        self, requests: AsyncIterator[PublishBatch], context: Context
    ) -> AsyncIterator[pb.PublishResponse]:
        """Take messages in; see the proto. Requests are read as batches."""
        hub = self._open()
        if (opening := await opening_of(requests, self._ending, stopping)) is None:
            return
        check_name("publisher", opening.publisher)
        stream = PublishStream(hub.publisher(opening.publisher), self._blocked)
        with _counted(self._publishing, stream):
            async with aclosing(stream.run(_chained(opening, requests))) as responses:
                async for response in responses:
                    yield response

    async def Consume(  # type: ignore[override]  # see `add_to_server`
        self, requests: AsyncIterator[pb.ConsumeRequest], context: Context
    ) -> AsyncIterator[bytes]:
        """Hand messages out; see the proto. Responses are serialised."""
        hub = self._open()
        if (opening := await opening_of(requests, self._ending, stopping)) is None:
            return
        check_start(opening)
        stream = ConsumeStream(hub.attach(opening.start, peer_of(context)))
        with _counted(self._consuming, stream):
            async with aclosing(stream.run(requests)) as responses:
                async for response in responses:
                    yield response

    async def Get(self, request: pb.GetRequest, context: Context) -> pb.GetResponse:
        """Take messages at once."""
        return await self._open().get(request.queue, bounded("count", request.count, 1))

    async def Browse(self, request: pb.BrowseRequest, context: Context) -> pb.BrowseResponse:
        """Show messages."""
        count = bounded("count", request.count, BROWSED)
        return await self._open().browse(request.queue, request.position, count)

    async def Purge(self, request: pb.PurgeRequest, context: Context) -> pb.PurgeResponse:
        """Empty a queue."""
        return pb.PurgeResponse(removed=await self._open().purge(request.queue))

    async def ListQueues(self, request: pb.ListQueuesRequest, context: Context) -> pb.ListQueuesResponse:
        """Show all queues."""
        return pb.ListQueuesResponse(queues=self._open().list())

    async def GetQueue(self, request: pb.GetQueueRequest, context: Context) -> pb.GetQueueResponse:
        """Show one queue."""
        return self._open().describe(request.queue)

    async def GetStore(self, request: pb.GetStoreRequest, context: Context) -> pb.GetStoreResponse:
        """Tell how the store is."""
        return store_status(self._open().figures(), self.members())

    def _open(self) -> QueueHub:
        if self.hub is None and self.standby:
            raise self.standby()
        if self.hub is None:
            raise UnavailableError("the service has no valid configuration yet", retry_after=RETRY_SECONDS)
        return self.hub


def add_to_server(servicer: StoreServicer, server: grpc.aio.Server) -> None:
    """Have a server take the calls; what Publish brings and what Consume hands out stays octets."""
    add_StoreServiceServicer_to_server(servicer, server)
    handlers: dict[str, Handler] = {
        "Publish": grpc.stream_stream_rpc_method_handler(
            servicer.Publish, read_batch, pb.PublishResponse.SerializeToString
        ),
        "Consume": grpc.stream_stream_rpc_method_handler(servicer.Consume, pb.ConsumeRequest.FromString, None),
    }
    # What is registered last counts.
    server.add_registered_method_handlers(SERVICE, handlers)


def store_status(figures: Figures, members: Sequence[str] = ()) -> pb.GetStoreResponse:
    """How the store is."""
    stats = figures.persistent, figures.transient
    return pb.GetStoreResponse(
        alarms=figures.alarms,
        messages=sum(each.messages for each in stats),
        live_bytes=sum(each.live_bytes for each in stats),
        garbage_bytes=sum(each.garbage_bytes for each in stats),
        disk_free=figures.disk_free,
        memory_bytes=figures.memory,
        members=members,
    )


def bounded(field: str, value: int, default: int) -> int:
    """A number of messages within its bounds; 0 is the default. Raises `InvalidArgumentError`."""
    if value > MOST:
        raise invalid(field, f"{value} is above {MOST}: ask several times")
    return value or default


def check_name(field: str, name: str) -> None:
    """See that a name is not too long. Raises `InvalidArgumentError`."""
    if len(name) > LONGEST_NAME:
        raise invalid(field, f"has {len(name)} characters: at most {LONGEST_NAME}")


def check_start(opening: pb.ConsumeRequest) -> None:
    """See that a consumption begins as it has to. Raises `InvalidArgumentError`."""
    if not opening.HasField("start"):
        raise invalid("start", "is missing: the first request says what to consume")
    if opening.settlements or opening.credit:
        raise invalid("start", "goes alone: credit to begin with is a field of it, and there is nothing to settle yet")
    check_name("start.consumer", opening.start.consumer)
    if opening.start.prefetch > MOST_PREFETCH:
        raise invalid("start.prefetch", f"{opening.start.prefetch} is above {MOST_PREFETCH}")


def invalid(field: str, problem: str) -> InvalidArgumentError:
    """What is wrong with one field."""
    return InvalidArgumentError(f"{field} {problem}", violations=[FieldViolation(field, problem)])


def peer_of(context: Context) -> str:
    """Who calls, for people: the name in the certificate, else the address."""
    facts = context.auth_context()
    names = facts.get("peer_dns", ()) or facts.get("x509_common_name", ())
    return next((name.decode(errors="replace") for name in names if name), "") or context.peer()


@contextmanager
def _counted(streams: set[S], stream: S) -> Iterator[None]:
    streams.add(stream)
    try:
        yield
    finally:
        streams.discard(stream)


async def _chained(first: PublishBatch, others: AsyncIterator[PublishBatch]) -> AsyncIterator[PublishBatch]:
    yield first
    async for request in others:
        yield request


def stopping() -> UnavailableError:
    """The service ends."""
    return UnavailableError("the service stops", retry_after=RETRY_SECONDS)
