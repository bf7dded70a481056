"""A node that runs as a service: what it shows, and the way to attach to it."""

import math
from collections.abc import AsyncIterator
from datetime import timedelta

from google.protobuf.duration_pb2 import Duration

from forebay.client.channels import service_errors
from forebay.client.conduitservice.attachment import Attachment
from forebay.client.serviceclient import ServiceClient
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT

TIMEOUT = 30.0
"""Seconds that a call may take; streams have no end."""
PAGE = 1000


class ConduitClient(ServiceClient):
    """Publishes, subscribes, asks, and shows what a node knows. All methods raise `ServiceError`.

    Made within a running event loop:

        async with ConduitClient.connect("127.0.0.1:7449") as client, client.attach("press") as attachment:
            publisher = await attachment.publisher("/plant/press/force")
            await publisher.publish([b"17", b"18"])

    A program at the edge needs no service: see `forebay.client.conduit.Node`.
    """

    message_limit = LARGE_MESSAGE_LIMIT

    def attach(self, program: str = "", *, patience: float = math.inf) -> Attachment:
        """An attachment, to be used within `async with`: what is declared by it is forgotten with it.

        `patience`: seconds for which it tries to attach again, once the service was lost; 0: it does not.
        """
        return Attachment(self._stub(), program, patience)

    async def node(self) -> pb.GetNodeResponse:
        """The node as it is now, with the peers that it has sessions with."""
        with service_errors():
            return await self._stub().GetNode(pb.GetNodeRequest(), timeout=TIMEOUT)

    async def watch_peers(self) -> AsyncIterator[list[pb.PeerEvent]]:
        """First the peers that there are sessions with, which may be none, then every change."""
        call = self._stub().WatchPeers(pb.WatchPeersRequest())
        try:
            with service_errors():
                async for response in call:
                    yield list(response.events)
        finally:
            call.cancel()

    async def declarations(
        self, prefix: str = "", *, peer_id: bytes = b"", kind: pb.DeclarationKind | None = None
    ) -> AsyncIterator[pb.Declaration]:
        """What is declared, by URI; fetched by pages. Only URIs with the prefix, of one peer, or of one kind."""
        request = pb.ListDeclarationsRequest(prefix=prefix, peer_id=peer_id, kind=kind, page_size=PAGE)
        while True:
            with service_errors():
                response = await self._stub().ListDeclarations(request, timeout=TIMEOUT)
            for declaration in response.declarations:
                yield declaration
            if not response.next_page_token:
                return
            request.page_token = response.next_page_token

    async def query(self, uri: str, payload: bytes = b"", *, deadline: float = 10.0) -> AsyncIterator[pb.QueryResponse]:
        """Ask all peers for a URI or pattern, and wait so many seconds; the last response has `end`."""
        length = Duration()
        length.FromTimedelta(timedelta(seconds=deadline))
        call = self._stub().Query(pb.QueryRequest(uri=uri, payload=payload, deadline=length))
        try:
            with service_errors():
                async for response in call:
                    yield response
        finally:
            call.cancel()

    async def close_session(self, *, peer_id: bytes = b"", address: str = "", reason: str = "") -> bytes:
        """End the session with the peer of that id, or at that address, `udp/host:port`; returns the peer's id."""
        request = pb.CloseSessionRequest(reason=reason)
        if address:
            request.address = address
        else:
            request.peer_id = peer_id
        with service_errors():
            return (await self._stub().CloseSession(request, timeout=TIMEOUT)).peer_id

    def _stub(self) -> ConduitServiceStub:
        return ConduitServiceStub(self._channel.get())
