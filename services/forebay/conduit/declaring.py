"""What clients declare, from their requests."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from forebay.conduit.clients.attachments import Quota
from forebay.conduit.clients.declared import Resource, Simple, Subscriber
from forebay.conduit.clients.subscriberqueue import SubscriberQueue
from forebay.conduit.errors import invalid, told
from forebay.conduit.wishes import mode_of, publisher_of, queue_of, resource_of, told_of
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime.errors import AlreadyExistsError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.clients.answerstream import AnswerStream
    from forebay.conduit.clients.attachments import Attachment, Declared
    from forebay.conduit.node import ServiceNode


class Declaring:
    """Declares for one client. All of it raises `ServiceError`."""

    def __init__(self, node: ServiceNode, client: Attachment) -> None:
        self._node = node
        self._client = client
        self._participant = node.station.participant

    async def resource(self, request: pb.DeclareResourceRequest) -> pb.DeclareResourceResponse:
        """Define a resource, and wait until all peers have answered."""
        meaning = told_of(request)

        def make() -> Resource:
            definition = self._participant.declare_resource(
                request.uri,
                time.monotonic(),
                rid=request.rid if request.HasField("rid") else None,
                told=meaning,
                unicast=request.unicast,
            )
            return Resource(self._node.station, definition)

        number = self._declare(Quota.RESOURCES, self._node.limits.resources, make, "uri")
        resource = self._node.attachments.get(self._client, number, Resource)
        try:
            await resource.settled()
            _check(resource, request.uri)
        except BaseException:
            with suppress(NotFoundError):
                self._node.attachments.undeclare(self._client, number)
            raise
        return pb.DeclareResourceResponse(declaration=number, rid=resource.definition.rid)

    def selection(self, request: pb.DeclareSelectionRequest) -> pb.DeclareSelectionResponse:
        """Bind a number to a pattern."""
        participant = self._participant

        def make() -> Simple:
            sid = participant.declare_selection(request.pattern, time.monotonic(), globally=request.globally)
            return Simple(self._node.station, sid, participant.forget_selection)

        number = self._declare(Quota.RESOURCES, self._node.limits.resources, make, "pattern")
        rid = self._node.attachments.get(self._client, number, Simple).number
        return pb.DeclareSelectionResponse(declaration=number, rid=rid)

    def publisher(self, request: pb.DeclarePublisherRequest) -> pb.DeclarePublisherResponse:
        """Declare a publisher."""
        node = self._node
        wish, conduits = publisher_of(request, node.limits), len(node.station.core.settings.multicast)
        if wish.conduit >= conduits:
            raise invalid("conduit", f"is {wish.conduit}: the node has {conduits}, from 0 on")
        number = self._declare(
            Quota.PUBLISHERS, node.limits.publishers, lambda: node.publisher(wish), request.WhichOneof("resource") or ""
        )
        return pb.DeclarePublisherResponse(declaration=number)

    def subscriber(self, request: pb.DeclareSubscriberRequest) -> pb.DeclareSubscriberResponse:
        """Declare a subscriber."""
        node = self._node
        resource, (mode, period) = resource_of(request), mode_of(request)
        limit, slow = queue_of(request, node.limits.queued_samples)

        def make() -> Subscriber:
            subscriber = Subscriber(node.station, SubscriberQueue(limit, slow))
            subscriber.number = self._participant.declare_subscriber(
                resource,
                subscriber.queue.put,
                time.monotonic(),
                mode=mode,
                period=period,
                history=request.history,
            )
            return subscriber

        number = self._declare(Quota.SUBSCRIBERS, node.limits.subscribers, make, request.WhichOneof("resource") or "")
        return pb.DeclareSubscriberResponse(declaration=number)

    def token(self, request: pb.DeclareTokenRequest) -> pb.DeclareTokenResponse:
        """Declare that something is alive."""

        def make() -> Simple:
            token = self._participant.declare_token(request.uri, time.monotonic())
            return Simple(self._node.station, token, self._participant.forget_token)

        number = self._declare(Quota.RESOURCES, self._node.limits.resources, make, "uri")
        return pb.DeclareTokenResponse(declaration=number)

    def answering(self, uri: str, stream: AnswerStream) -> int:
        """Have a stream answer queries; returns the number of the declaration."""
        return self._declare(stream.quota, self._node.limits.resources, lambda: stream.open(uri), "uri")

    def _declare(self, quota: Quota, limit: int, make: Callable[[], Declared], field: str) -> int:
        with told(field):
            number = self._node.attachments.declare(self._client, quota, limit, make)
        self._node.station.advance()
        return number


def _check(resource: Resource, uri: str) -> None:
    """Raises `AlreadyExistsError` when it was refused."""
    definition = resource.definition
    if definition.status:
        problem = f"the resource {uri} was refused: {definition.reason}"
        raise AlreadyExistsError(problem, reason=definition.status.name)
