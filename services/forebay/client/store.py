"""A client of StoreService."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Self, TypeVar

from grpc.aio import AioRpcError

from forebay.client.channels import open_channel, service_errors
from forebay.client.consumption import Consumption
from forebay.client.primaryroute import PrimaryRoute, cut_off
from forebay.client.publisher import Publisher
from forebay.client.settings import ConsumeSettings, PublishSettings
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from forebay.runtime import ClientChannel
from forebay.runtime.closing import Closing
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT

R = TypeVar("R")

TIMEOUT = 30.0
"""Seconds that a call may take; streams have no end."""
HOPS = 3
"""Times that a call is led to another pod."""
PREFETCH = 256
PAGE = 100


def make_message(
    address: str,
    body: bytes,
    *,
    headers: Mapping[str, str] | None = None,
    ttl: float | None = None,
    priority: int = 0,
    transient: bool = False,
) -> pb.Message:
    """A message to publish; `ttl` is in seconds, None: as its queues say."""
    message = pb.Message(address=address, body=body)
    if headers:
        message.headers.update(headers)
    if ttl is not None:
        message.ttl_ms = round(ttl * 1000)
    if priority:
        message.priority = priority
    if transient:
        message.transient = transient
    return message


class Store(Closing):
    """Publishes to a store, consumes from its queues, and shows them. All methods raise `ServiceError`.

    Made within a running event loop:

        async with Store.connect("127.0.0.1:7672") as store:
            await store.publish("orders.eu.new", b"one boat hook")
            async with store.consume("orders") as orders:
                async for order in orders:
                    ...
                    order.ack()
    """

    def __init__(self, route: PrimaryRoute) -> None:
        """The route is the client's from now on, and closed with it."""
        self._route = route
        self._publisher: Publisher | None = None

    @classmethod
    def connect(cls, address: str, tls: Path | None = None) -> Self:
        """A client for `host:port` or `unix:/path`; `tls` is a folder with tls.crt, tls.key and ca.crt.

        A connection is made when it is needed. Raises `AddressError` or `CertificateError`.
        """

        def connect(where: str) -> ClientChannel:
            return open_channel(where, tls, LARGE_MESSAGE_LIMIT)

        return cls(PrimaryRoute(connect(address), connect))

    async def close(self) -> None:
        """End all calls and connections; what `publish` still waits for may or may not be kept."""
        if self._publisher:
            await self._publisher.close()
        await self._route.close()

    async def publish(
        self,
        address: str,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        ttl: float | None = None,
        priority: int = 0,
        transient: bool = False,
    ) -> None:
        """Publish one message, and wait until it is kept in every queue that is bound to its address.

        `ttl` is in seconds. Calls that go on at the same time share requests and syncs; a `publisher` is for many
        messages from one place. Raises `NotKeptError` when no queue is bound to the address, or one refuses.
        """
        message = make_message(address, body, headers=headers, ttl=ttl, priority=priority, transient=transient)
        if self._publisher is None or self._publisher.over:
            self._publisher = self.publisher()
            self._publisher.start()
        await self._publisher.publish(message)

    def publisher(self, name: str = "", first: int = 1, settings: PublishSettings | None = None) -> Publisher:
        """A stream of messages, to be used within `async with`.

        With a name of your own, and `first` as the number of the first message, the store passes over what it has had
        from this name before: messages whose number is not above the highest. Left out: a name that nobody has.
        """
        return Publisher(self._route, name, first, settings)

    def consume(
        self,
        queue: str,
        *,
        prefetch: int = PREFETCH,
        consumer: str = "",
        exclusive: bool = False,
        no_ack: bool = False,
        priority: int = 0,
        settings: ConsumeSettings | None = None,
    ) -> Consumption:
        """The messages of a queue, to iterate over by `async for` within `async with`.

        `prefetch`, 1 to 65535, is how many may be unsettled at once. `consumer` is a name for people; of consumers the
        one with the highest `priority` gets messages first. `exclusive`: nobody else may consume. `no_ack`: deliveries
        count as acknowledged when the store sends them.
        """
        start = pb.ConsumeStart(
            queue=queue, consumer=consumer, prefetch=prefetch, exclusive=exclusive, no_ack=no_ack, priority=priority
        )
        return Consumption(self._route, start, settings)

    async def get(self, queue: str, count: int = 1) -> list[pb.Delivery]:
        """Take up to `count` messages, 1 to 1000, from the head of a queue; they count as acknowledged."""
        response = await self._ask(lambda stub: stub.Get(pb.GetRequest(queue=queue, count=count), timeout=TIMEOUT))
        return list(response.deliveries)

    async def browse(self, queue: str, position: int = 0) -> AsyncIterator[pb.Delivery]:
        """Messages of a queue from a position on, those that consumers hold too; nothing is taken. Read by pages."""
        request = pb.BrowseRequest(queue=queue, position=position, count=PAGE)
        while True:
            response = await self._ask(lambda stub: stub.Browse(request, timeout=TIMEOUT))
            for delivery in response.deliveries:
                yield delivery
            if not response.next:
                return
            request.position = response.next

    async def purge(self, queue: str) -> int:
        """Remove all messages of a queue that no consumer holds; how many that were."""
        return (await self._ask(lambda stub: stub.Purge(pb.PurgeRequest(queue=queue), timeout=TIMEOUT))).removed

    async def queues(self) -> list[pb.QueueStatus]:
        """All queues as they are now, by name."""
        return list((await self._ask(lambda stub: stub.ListQueues(pb.ListQueuesRequest(), timeout=TIMEOUT))).queues)

    async def queue(self, name: str) -> pb.GetQueueResponse:
        """One queue, its consumers, and what goes on inside."""
        return await self._ask(lambda stub: stub.GetQueue(pb.GetQueueRequest(queue=name), timeout=TIMEOUT))

    async def status(self) -> pb.GetStoreResponse:
        """How the store is: alarms, disk and memory."""
        return await self._ask(lambda stub: stub.GetStore(pb.GetStoreRequest(), timeout=TIMEOUT))

    async def _ask(self, call: Callable[[StoreServiceStub], Awaitable[R]]) -> R:
        """Make a call, at another pod when the first one asked only keeps a copy."""
        with service_errors():
            for _ in range(HOPS):
                way = self._route.way()
                try:
                    with cut_off():
                        return await call(way.stub)
                except AioRpcError as error:
                    if not await self._route.failed(error, way):
                        raise
            with cut_off():
                return await call(self._route.way().stub)
