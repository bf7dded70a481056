"""A client of AnnouncerService."""

from collections.abc import AsyncIterator, Sequence

from forebay.client.channels import service_errors
from forebay.client.serviceclient import ServiceClient
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.pb.announcer.v1.announcer_pb2_grpc import AnnouncerServiceStub

TIMEOUT = 30.0
"""Seconds that a call may take."""
PAGE = 1000


class AnnouncerClient(ServiceClient):
    """Announces to a tracker, and shows and steers its forwarders. All methods raise `ServiceError`.

    Made within a running event loop:

        async with AnnouncerClient.connect("127.0.0.1:7969") as client:
            for forwarder in await client.forwarders():
                ...
    """

    async def announce(self, announces: Sequence[pb.ClientAnnounce]) -> list[pb.AnnounceAnswer]:
        """Announce up to 1000 clients; the answers in their order, of which each may be a refusal."""
        with service_errors():
            response = await self._stub().Announce(pb.AnnounceRequest(announces=announces), timeout=TIMEOUT)
        return list(response.answers)

    async def scrape(self, *info_hashes: bytes) -> list[pb.Swarm]:
        """The sizes of up to 1000 swarms, in the order of their info hashes of 20 octets."""
        with service_errors():
            response = await self._stub().Scrape(pb.ScrapeRequest(info_hashes=info_hashes), timeout=TIMEOUT)
        return list(response.swarms)

    async def forwarders(self) -> list[pb.Forwarder]:
        """All forwarders by name, the disabled and suspended ones with their reasons."""
        with service_errors():
            return list((await self._stub().ListForwarders(pb.ListForwardersRequest(), timeout=TIMEOUT)).forwarders)

    async def enable(self, forwarder: str) -> pb.Forwarder:
        """Give announces to a forwarder again that is disabled or suspended."""
        with service_errors():
            request = pb.EnableForwarderRequest(name=forwarder)
            return (await self._stub().EnableForwarder(request, timeout=TIMEOUT)).forwarder

    async def queue(self) -> pb.GetQueueResponse:
        """The job queue, the schedule and the workers."""
        with service_errors():
            return await self._stub().GetQueue(pb.GetQueueRequest(), timeout=TIMEOUT)

    async def swarms(self) -> AsyncIterator[pb.Swarm]:
        """All swarms by info hash; fetched by pages."""
        request = pb.ListSwarmsRequest(page_size=PAGE)
        while True:
            with service_errors():
                response = await self._stub().ListSwarms(request, timeout=TIMEOUT)
            for swarm in response.swarms:
                yield swarm
            if not response.next_page_token:
                return
            request.page_token = response.next_page_token

    def _stub(self) -> AnnouncerServiceStub:
        return AnnouncerServiceStub(self._channel.get())
