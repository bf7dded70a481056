"""Clients of pods of a ConduitNode."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager

from grpc.aio import Channel

from eventually import eventually
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub

WITHIN = 120.0


class Attached:
    """A client that is attached to one pod."""

    def __init__(self, stub: ConduitServiceStub, client: bytes, peer_id: bytes) -> None:
        self.stub = stub
        self.client = client
        self.peer_id = peer_id
        """Of the pod's node."""

    async def publish(self, uri: str, samples: list[bytes]) -> None:
        """Publish samples of a resource, and see them accepted."""
        request = pb.DeclarePublisherRequest(client=self.client, uri=uri, congestion=pb.CONGESTION_BLOCK)
        declared = await self.stub.DeclarePublisher(request)
        call = self.stub.Publish()
        await call.write(pb.PublishRequest(client=self.client, publisher=declared.declaration, samples=samples))
        await call.done_writing()
        accepted = sum([result.accepted async for response in call for result in response.results])
        assert accepted == len(samples), f"{accepted} of {len(samples)}"

    @asynccontextmanager
    async def subscribed(self, uri: str) -> AsyncIterator["Reading"]:
        """What comes of resources from now on."""
        request = pb.DeclareSubscriberRequest(client=self.client, uri=uri, slow=pb.SLOW_HOLD)
        declared = await self.stub.DeclareSubscriber(request)
        call = self.stub.Subscribe(pb.SubscribeRequest(client=self.client, subscriber=declared.declaration))
        try:
            yield Reading(call)
        finally:
            call.cancel()

    async def heard(self, peer: str, uri: str) -> None:
        """Wait until the node knows that a peer, by the digits of its id, subscribes to a URI or pattern."""
        request = pb.ListDeclarationsRequest(
            peer_id=bytes.fromhex(peer), kind=pb.DECLARATION_KIND_SUBSCRIBER, prefix=uri, page_size=1000
        )

        async def is_known() -> bool:
            found = await self.stub.ListDeclarations(request)
            return any(each.uri == uri for each in found.declarations)

        await eventually(is_known, within=WITHIN)

    async def resources(self) -> set[tuple[str, int]]:
        """URIs and numbers of resources that are known."""
        request = pb.ListDeclarationsRequest(kind=pb.DECLARATION_KIND_RESOURCE, page_size=1000)
        return {(each.uri, each.rid) for each in (await self.stub.ListDeclarations(request)).declarations}

    async def met(self, *peers: str) -> None:
        """Wait until the node has sessions with these peers, by the digits of their ids."""

        async def is_met() -> bool:
            found = await self.node()
            return {peer.peer_id.hex() for peer in found.peers} >= set(peers)

        await eventually(is_met, within=WITHIN)

    async def node(self) -> pb.GetNodeResponse:
        """How the pod's node is."""
        return await self.stub.GetNode(pb.GetNodeRequest())


class Reading:
    """A stream of a subscriber."""

    def __init__(self, call: AsyncIterable[pb.SubscribeResponse]) -> None:
        self._responses = aiter(call)

    async def take(self, count: int) -> list[bytes]:
        """So many samples, or a few more that came with them."""
        found: list[bytes] = []
        async with asyncio.timeout(WITHIN):
            while len(found) < count:
                response = await anext(self._responses)
                found += [sample for delivery in response.deliveries for sample in delivery.samples]
        return found


@asynccontextmanager
async def attached(channel: Channel) -> AsyncIterator[Attached]:
    """Attach to the pod of a channel."""
    stub = ConduitServiceStub(channel)
    call = stub.Attach(pb.AttachRequest(program="e2e"))
    try:
        first = await anext(aiter(call))
        yield Attached(stub, first.client, first.peer_id)
    finally:
        call.cancel()
