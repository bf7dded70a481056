"""A program's attachment to a node: what it declares lives as long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from google.protobuf.duration_pb2 import Duration

from forebay.client.channels import service_errors
from forebay.client.conduitservice.publisher import Publisher
from forebay.client.conduitservice.subscription import Subscription
from forebay.client.errors import ClosedError
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime import ServiceError

TIMEOUT = 60.0
"""Seconds that a declaration may take: peers are asked, and those that are gone do not answer."""


class Attachment:
    """Use it within `async with`.

    All methods raise `ServiceError`. Once it is lost, its publishers and subscriptions are, too: make another one.
    """

    def __init__(self, stub: ConduitServiceStub, program: str) -> None:
        self._stub = stub
        self._program = program
        self._client = b""
        self._call: Any = None
        self._open: set[Publisher | Subscription] = set()
        self.peer_id = b""
        """Id of the node."""

    async def __aenter__(self) -> Self:
        self._call = self._stub.Attach(pb.AttachRequest(program=self._program))
        with service_errors():
            response = await self._call.read()
        self._client, self.peer_id = response.client, response.peer_id
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in list(self._open):
            await each.close()
        self._call.cancel()

    async def events(self) -> AsyncIterator[pb.DeclarationEvent]:
        """What was refused, or contradicts something else, from now on."""
        with service_errors():
            while isinstance(response := await self._call.read(), pb.AttachResponse):
                for event in response.events:
                    yield event

    async def resource(
        self,
        uri: str,
        *,
        rid: int | None = None,
        reliable: bool | None = None,
        durability: pb.Durability | None = None,
        unicast: bool = False,
    ) -> pb.DeclareResourceResponse:
        """Define a resource; returns once all peers have taken it, with its number."""
        request = pb.DeclareResourceRequest(
            client=self._token, uri=uri, rid=rid, reliable=reliable, durability=durability, unicast=unicast
        )
        with service_errors():
            return await self._stub.DeclareResource(request, timeout=TIMEOUT)

    async def selection(self, pattern: str, *, globally: bool = False) -> pb.DeclareSelectionResponse:
        """Bind a number to a pattern of URIs."""
        request = pb.DeclareSelectionRequest(client=self._token, pattern=pattern, globally=globally)
        with service_errors():
            return await self._stub.DeclareSelection(request, timeout=TIMEOUT)

    async def token(self, uri: str) -> int:
        """Tell that something is alive; returns the number of the declaration."""
        with service_errors():
            request = pb.DeclareTokenRequest(client=self._token, uri=uri)
            return (await self._stub.DeclareToken(request, timeout=TIMEOUT)).declaration

    async def publisher(
        self,
        resource: int | str,
        *,
        reliable: bool | None = None,
        congestion: pb.Congestion | None = None,
        deadline: float | None = None,
        conduit: int = 0,
        switching: bool = False,
        history: int = 0,
    ) -> Publisher:
        """Declare a publisher of a URI, or of a resource's number.

        `deadline`: seconds that a batch waits for room; 0: for ever; None: as the node's `congestion` says.
        """
        request = pb.DeclarePublisherRequest(
            client=self._token,
            conduit=conduit,
            reliable=reliable,
            congestion=congestion,
            deadline=None if deadline is None else _duration(deadline),
            switching=switching,
            history=history,
            **_resource(resource),
        )
        with service_errors():
            number = (await self._stub.DeclarePublisher(request, timeout=TIMEOUT)).declaration
        publisher = Publisher(self._stub, self._token, number, self._forget)
        self._open.add(publisher)
        return publisher

    async def subscribe(
        self,
        resource: int | str,
        *,
        mode: pb.SubscriptionMode | None = None,
        history: int = 0,
        slow: pb.Slow | None = None,
        queued_samples: int = 0,
        period: pb.Period | None = None,
    ) -> Subscription:
        """Declare a subscriber of a URI, a pattern or a number, and iterate over what it gets."""
        request = pb.DeclareSubscriberRequest(
            client=self._token,
            mode=mode,
            period=period,
            history=history,
            slow=slow,
            queued_samples=queued_samples,
            **_resource(resource),
        )
        with service_errors():
            number = (await self._stub.DeclareSubscriber(request, timeout=TIMEOUT)).declaration
        subscription = Subscription(self._stub, self._token, number, self._forget)
        self._open.add(subscription)
        return subscription

    async def undeclare(self, number: int) -> None:
        """Forget a declaration."""
        with service_errors():
            await self._stub.Undeclare(pb.UndeclareRequest(client=self._token, declaration=number), timeout=TIMEOUT)

    async def _forget(self, each: Publisher | Subscription) -> None:
        if each in self._open:
            self._open.discard(each)
            # It may be gone with the attachment, or with the service.
            with suppress(ServiceError, asyncio.CancelledError):
                await self.undeclare(each.number)

    @property
    def _token(self) -> bytes:
        if not self._client:
            raise ClosedError("the attachment has not begun: use it within `async with`")
        return self._client


def _duration(seconds: float) -> Duration:
    length = Duration()
    length.FromTimedelta(timedelta(seconds=seconds))
    return length


def _resource(resource: int | str) -> dict[str, Any]:
    return {"uri": resource} if isinstance(resource, str) else {"rid": resource}
