"""A program's attachment to a node: what it declares lives as long."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from itertools import count
from types import TracebackType
from typing import Any, Self

from google.protobuf.duration_pb2 import Duration
from grpc.aio import AioRpcError

from forebay.client.channels import service_errors
from forebay.client.conduitservice.answering import Answer, Answering
from forebay.client.conduitservice.attaching import Attaching, Kept, is_lost
from forebay.client.conduitservice.declared import TIMEOUT, Declared
from forebay.client.conduitservice.publisher import Publisher
from forebay.client.conduitservice.subscription import Subscription
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime import NotFoundError, ServiceError


class Attachment:
    """Use it within `async with`. All methods raise `ServiceError`.

    When the service is lost, it is attached again by itself, and all that was declared is declared again; until then
    publishers and subscriptions wait.
    """

    def __init__(self, stub: ConduitServiceStub, program: str, patience: float = math.inf) -> None:
        """`patience`: seconds for which it tries to attach again, once the service was lost."""
        self._stub = stub
        self._attaching = Attaching(stub, program, patience)
        self._handles = count(1)
        self._rids: dict[int, int] = {}
        """Ids of selections as the program was told, and as they are now."""

    async def __aenter__(self) -> Self:
        await self._attaching.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in list(self._attaching.kept.values()):
            if isinstance(each, Publisher | Subscription | Answering):
                await each.close()
        await self._attaching.close()

    @property
    def peer_id(self) -> bytes:
        """Id of the node."""
        return self._attaching.peer_id

    @property
    def attachments(self) -> int:
        """How often it was attached: more than once after the service was lost."""
        return self._attaching.attachments

    def events(self) -> AsyncIterator[pb.DeclarationEvent]:
        """What was refused, or contradicts something else: what nobody has read yet, and then each as it comes."""
        return self._attaching.events()

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
        request = pb.DeclareResourceRequest(uri=uri, rid=rid, reliable=reliable, durability=durability, unicast=unicast)

        async def declare(stub: ConduitServiceStub, client: bytes) -> pb.DeclareResourceResponse:
            request.client = client
            answer = await stub.DeclareResource(request, timeout=TIMEOUT)
            request.rid = answer.rid
            return answer

        declared = Declared(f"resource {uri}", declare)
        handle = await self._declare(declared)
        return pb.DeclareResourceResponse(declaration=handle, rid=declared.answer.rid)

    async def selection(self, pattern: str, *, globally: bool = False) -> pb.DeclareSelectionResponse:
        """Bind a number to a pattern of URIs."""
        first: list[int] = []

        async def declare(stub: ConduitServiceStub, client: bytes) -> pb.DeclareSelectionResponse:
            request = pb.DeclareSelectionRequest(client=client, pattern=pattern, globally=globally)
            answer = await stub.DeclareSelection(request, timeout=TIMEOUT)
            first.append(answer.rid)
            self._rids[first[0]] = answer.rid
            return answer

        handle = await self._declare(Declared(f"selection {pattern}", declare))
        return pb.DeclareSelectionResponse(declaration=handle, rid=first[0])

    async def token(self, uri: str) -> int:
        """Tell that something is alive; returns the number of the declaration."""

        async def declare(stub: ConduitServiceStub, client: bytes) -> pb.DeclareTokenResponse:
            return await stub.DeclareToken(pb.DeclareTokenRequest(client=client, uri=uri), timeout=TIMEOUT)

        return await self._declare(Declared(f"token {uri}", declare))

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

        def request() -> pb.DeclarePublisherRequest:
            return pb.DeclarePublisherRequest(
                conduit=conduit,
                reliable=reliable,
                congestion=congestion,
                deadline=None if deadline is None else _duration(deadline),
                switching=switching,
                history=history,
                **self._resource(resource),
            )

        publisher = Publisher(request, self._forget, self._attaching.cut)
        await self._declare(publisher)
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

        def request() -> pb.DeclareSubscriberRequest:
            return pb.DeclareSubscriberRequest(
                mode=mode,
                period=period,
                history=history,
                slow=slow,
                queued_samples=queued_samples,
                **self._resource(resource),
            )

        subscription = Subscription(request, self._forget, self._attaching.cut)
        await self._declare(subscription)
        return subscription

    async def answer(self, uri: str, answer: Answer) -> Answering:
        """Answer queries of peers for a URI or pattern, one after the other; errors of `answer` are logged."""

        def forget(answering: Answering) -> None:
            for handle in [handle for handle, other in self._attaching.kept.items() if other is answering]:
                del self._attaching.kept[handle]

        answering = Answering(uri, answer, forget, self._attaching.cut)
        await self._declare(answering)
        return answering

    async def undeclare(self, number: int) -> None:
        """Forget a resource, a selection or a token; publishers and subscriptions are closed."""
        kept = self._attaching.kept
        if number not in kept:
            raise NotFoundError(f"the client has no declaration {number}: declare one", reason="NOT_DECLARED")
        await self._undeclare(kept.pop(number))

    async def _declare(self, what: Kept) -> int:
        """Declare something for as long as the attachment lasts; returns the number that the program knows it by."""
        attaching, client = self._attaching, b""
        with service_errors():
            while not client or client != attaching.client:
                client = await attaching.attached()
                await what.declare(self._stub, client)
        handle = next(self._handles)
        attaching.kept[handle] = what
        return handle

    async def _undeclare(self, what: Kept) -> None:
        if what.client != self._attaching.client:
            return
        request = pb.UndeclareRequest(client=what.client, declaration=what.number)
        with service_errors():
            try:
                await self._stub.Undeclare(request, timeout=TIMEOUT)
            except AioRpcError as error:
                # It is gone with the service, or the attachment.
                if not is_lost(error):
                    raise

    async def _forget(self, each: Publisher | Subscription) -> None:
        kept = self._attaching.kept
        for handle in [handle for handle, other in kept.items() if other is each]:
            del kept[handle]
            with suppress(ServiceError, asyncio.CancelledError):
                await self._undeclare(each)

    def _resource(self, resource: int | str) -> dict[str, Any]:
        return {"uri": resource} if isinstance(resource, str) else {"rid": self._rids.get(resource, resource)}


def _duration(seconds: float) -> Duration:
    length = Duration()
    length.FromTimedelta(timedelta(seconds=seconds))
    return length
