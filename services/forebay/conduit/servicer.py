"""ConduitService over gRPC: requests in, the node's answers out."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TypeVar

import grpc

from forebay.conduit.addresses import find_address
from forebay.conduit.clients.answerstream import AnswerStream
from forebay.conduit.clients.attachments import Attachment
from forebay.conduit.clients.declared import Subscriber
from forebay.conduit.clients.publisher import Publisher
from forebay.conduit.clients.publishstream import PublishStream
from forebay.conduit.clients.querying import QueryStream
from forebay.conduit.clients.subscribestream import SubscribeStream
from forebay.conduit.core.declarations.inventory import Known, inventory
from forebay.conduit.declaring import Declaring
from forebay.conduit.errors import RETRY_SECONDS, invalid, stopping, told
from forebay.conduit.node import ServiceNode
from forebay.conduit.statuses import (
    KINDS,
    connected,
    declaration,
    declaration_event,
    node_status,
    page_of,
    peer_event,
)
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceServicer as GeneratedServicer
from forebay.runtime.errors import FailedPreconditionError, NotFoundError, UnavailableError
from forebay.runtime.interceptor import caller_of
from forebay.runtime.opening import opening_of

Context = grpc.aio.ServicerContext[Any, Any]

SERVICE = pb.DESCRIPTOR.services_by_name["ConduitService"].full_name
PAGE = 100
LONGEST_PAGE = 1000
ASKED = "a client asked for it"


class Stream(Protocol):
    """What goes on until the service ends."""

    def end(self) -> None:
        """The service ends."""


S = TypeVar("S", bound=Stream)


class ConduitServicer(GeneratedServicer):
    """Thin: checks requests, and leads streams to the node."""

    def __init__(self) -> None:
        self.node: ServiceNode | None = None
        """None until the service is configured."""
        self._ending = asyncio.Event()
        self._streams: set[Stream] = set()

    def end(self) -> None:
        """Let long streams end."""
        self._ending.set()
        for stream in self._streams:
            stream.end()

    async def Attach(self, request: pb.AttachRequest, context: Context) -> AsyncIterator[pb.AttachResponse]:
        """Attach a client; see the proto."""
        node, news = self._node(), asyncio.Event()
        client = node.attachments.attach(request.program, caller_of(context).names)
        client.wake = news.set
        try:
            with self._woken(news):
                yield pb.AttachResponse(client=client.token, peer_id=node.peer_id)
                while await self._waited(news):
                    events, missed = client.take()
                    shown = [declaration_event(event, node.peer_id) for event in events]
                    yield pb.AttachResponse(events=shown, missed=missed)
        finally:
            node.attachments.detach(client)

    async def DeclareResource(self, request: pb.DeclareResourceRequest, context: Context) -> pb.DeclareResourceResponse:
        """Define a resource; see the proto."""
        return await self._declaring(request.client, context).resource(request)

    async def DeclareSelection(
        self, request: pb.DeclareSelectionRequest, context: Context
    ) -> pb.DeclareSelectionResponse:
        """Bind a number to a pattern."""
        return self._declaring(request.client, context).selection(request)

    async def DeclarePublisher(
        self, request: pb.DeclarePublisherRequest, context: Context
    ) -> pb.DeclarePublisherResponse:
        """Declare a publisher."""
        return self._declaring(request.client, context).publisher(request)

    async def DeclareSubscriber(
        self, request: pb.DeclareSubscriberRequest, context: Context
    ) -> pb.DeclareSubscriberResponse:
        """Declare a subscriber."""
        return self._declaring(request.client, context).subscriber(request)

    async def DeclareToken(self, request: pb.DeclareTokenRequest, context: Context) -> pb.DeclareTokenResponse:
        """Declare that something is alive."""
        return self._declaring(request.client, context).token(request)

    async def Undeclare(self, request: pb.UndeclareRequest, context: Context) -> pb.UndeclareResponse:
        """Forget something."""
        node, client = self._client(request.client, context)
        node.attachments.undeclare(client, request.declaration)
        return pb.UndeclareResponse()

    async def Publish(
        self, request_iterator: AsyncIterator[pb.PublishRequest], context: Context
    ) -> AsyncIterator[pb.PublishResponse]:
        """Publish batches; see the proto."""
        opening = await opening_of(request_iterator, self._ending, stopping)
        if opening is None:
            return
        node, client = self._client(opening.client, context)
        publisher = node.attachments.get(client, opening.publisher, Publisher)
        if publisher.written:
            raise FailedPreconditionError(f"another stream writes publisher {opening.publisher}: end it first")
        publisher.written = True
        try:
            with self._running(PublishStream(publisher)) as stream:
                async for response in stream.run(opening, request_iterator):
                    yield response
        finally:
            publisher.written = False

    async def Subscribe(self, request: pb.SubscribeRequest, context: Context) -> AsyncIterator[pb.SubscribeResponse]:
        """Read a subscriber; see the proto."""
        node, client = self._client(request.client, context)
        subscriber = node.attachments.get(client, request.subscriber, Subscriber)
        if subscriber.read:
            raise FailedPreconditionError(f"another stream reads subscriber {request.subscriber}: end it first")
        subscriber.read = True
        try:
            with self._running(SubscribeStream(subscriber, node.tally)) as stream:
                async for response in stream.run():
                    yield response
        finally:
            subscriber.read = False
            if subscriber.queue.overrun:
                with suppress(NotFoundError):
                    node.attachments.undeclare(client, request.subscriber)

    async def Pull(self, request: pb.PullRequest, context: Context) -> pb.PullResponse:
        """Ask for what peers keep."""
        node, client = self._client(request.client, context)
        subscriber = node.attachments.get(client, request.subscriber, Subscriber)
        with told("subscriber"):
            node.station.participant.pull(subscriber.number, time.monotonic(), request.limit or None)
        node.station.advance()
        return pb.PullResponse()

    async def Query(self, request: pb.QueryRequest, context: Context) -> AsyncIterator[pb.QueryResponse]:
        """Ask all peers."""
        node = self._node()
        with self._running(QueryStream(node.station)) as stream, told("uri"):
            async for response in stream.run(request):
                yield response

    async def Answer(
        self, request_iterator: AsyncIterator[pb.AnswerRequest], context: Context
    ) -> AsyncIterator[pb.AnswerResponse]:
        """Answer queries of peers; see the proto."""
        opening = await opening_of(request_iterator, self._ending, stopping)
        if opening is None:
            return
        with self._running(AnswerStream(self._node().station)) as stream:
            number = self._declaring(opening.client, context).answering(opening.uri, stream)
            node, client = self._client(opening.client, context)
            try:
                async for response in stream.run(request_iterator):
                    yield response
            finally:
                with suppress(NotFoundError):
                    node.attachments.undeclare(client, number)

    async def WatchPeers(self, request: pb.WatchPeersRequest, context: Context) -> AsyncIterator[pb.WatchPeersResponse]:
        """Tell of peers as they come and go."""
        node = self._node()
        with node.peers.watched() as watch, self._woken(watch.news):
            yield pb.WatchPeersResponse(events=map(connected, node.station.peers))
            while await self._waited(watch.news):
                if watch.overrun:
                    raise UnavailableError("peers change faster than they are read: watch again")
                yield pb.WatchPeersResponse(events=map(peer_event, watch.take()))

    async def ListDeclarations(
        self, request: pb.ListDeclarationsRequest, context: Context
    ) -> pb.ListDeclarationsResponse:
        """List declarations by pages."""
        node = self._node()
        if request.page_size > LONGEST_PAGE:
            raise invalid("page_size", f"{request.page_size} is above {LONGEST_PAGE}: ask several times")
        try:
            page, place = page_of(self._declarations(node, request), request.page_token, request.page_size or PAGE)
        except ValueError:
            raise invalid("page_token", "is none of ours: give the next_page_token of the page before") from None
        return pb.ListDeclarationsResponse(
            declarations=[declaration(known, node.peer_id) for known in page], next_page_token=place
        )

    def _declarations(self, node: ServiceNode, request: pb.ListDeclarationsRequest) -> Iterator[Known]:
        whose = b"" if request.peer_id == node.peer_id else request.peer_id
        for known in inventory(node.station.core.declarations):
            if request.peer_id and known.peer_id != whose:
                continue
            wanted = request.kind in {pb.DECLARATION_KIND_UNSPECIFIED, KINDS[known.kind]}
            if wanted and known.uri.startswith(request.prefix):
                yield known

    async def CloseSession(self, request: pb.CloseSessionRequest, context: Context) -> pb.CloseSessionResponse:
        """End a session."""
        node = self._node()
        peers, reason = node.station.peers, request.reason or ASKED
        match request.WhichOneof("peer"):
            case "peer_id":
                found = next((peer for peer in peers if peer.peer_id == request.peer_id), None)
            case "address":
                address = find_address(request.address, peers)
                found = next((peer for peer in peers if peer.address == address), None)
            case _:
                raise invalid("peer", "is missing: give peer_id or address")
        if found is None:
            who = request.address or f"the id {request.peer_id.hex()}"
            raise NotFoundError(f"there is no session with a peer of {who}: see WatchPeers for those that there are")
        peer_id = found.peer_id
        with told("peer"):
            node.station.close_session(reason, address=found.address)
        return pb.CloseSessionResponse(peer_id=peer_id)

    async def GetNode(self, request: pb.GetNodeRequest, context: Context) -> pb.GetNodeResponse:
        """Tell how the node is."""
        return node_status(self._node())

    @contextmanager
    def _running(self, stream: S) -> Iterator[S]:
        """Ends the stream with the service."""
        self._streams.add(stream)
        try:
            yield stream
        finally:
            self._streams.discard(stream)

    @contextmanager
    def _woken(self, news: asyncio.Event) -> Iterator[None]:
        """Sets the event, too, when the service ends."""
        with self._running(_Bell(news)):
            yield

    async def _waited(self, news: asyncio.Event) -> bool:
        """Wait for news. Raises `UnavailableError` when it is the end of the service."""
        await news.wait()
        news.clear()
        if self._ending.is_set():
            raise stopping()
        return True

    def _declaring(self, token: bytes, context: Context) -> Declaring:
        return Declaring(*self._client(token, context))

    def _client(self, token: bytes, context: Context) -> tuple[ServiceNode, Attachment]:
        """The node, and who calls. Raises `NotFoundError`."""
        node = self._node()
        return node, node.attachments.find(token, caller_of(context).names)

    def _node(self) -> ServiceNode:
        if self.node is None:
            raise UnavailableError("the service has no valid configuration yet", retry_after=RETRY_SECONDS)
        return self.node


class _Bell:
    def __init__(self, news: asyncio.Event) -> None:
        self._news = news

    def end(self) -> None:
        self._news.set()
