"""A client of OutfeedService."""

from collections.abc import AsyncIterator
from datetime import timedelta

from google.protobuf.duration_pb2 import Duration

from forebay.client.channels import service_errors
from forebay.client.offering import Offering
from forebay.client.serviceclient import ServiceClient
from forebay.client.settings import OfferSettings
from forebay.client.supply import Articles
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import OutfeedServiceStub

TIMEOUT = 30.0
"""Seconds that a call may take; streams have no end."""
PAGE = 1000


class OutfeedClient(ServiceClient):
    """Offers articles to an outfeed, and shows and steers its peers. All methods raise `ServiceError`.

    Made within a running event loop:

        async with OutfeedClient.connect("127.0.0.1:7119") as client:
            async for verdict in client.offer(articles):
                ...
    """

    def offer(self, articles: Articles, settings: OfferSettings | None = None) -> Offering:
        """Offer articles from an iterable or an asynchronous one; iterate over the result for the verdicts."""
        return Offering(self._stub, articles, settings)

    async def explain(self, article: bytes) -> pb.ExplainResponse:
        """Which peers would get an article, and why the others not; its headers and the empty line are enough."""
        with service_errors():
            request = pb.ExplainRequest(article=pb.Article(content=article))
            return await self._stub().Explain(request, timeout=TIMEOUT)

    async def explain_kept(self, message_id: str) -> pb.ExplainResponse:
        """The same for an article that the outfeed keeps. Raises `ServiceError` with NOT_FOUND when it does not."""
        with service_errors():
            return await self._stub().Explain(pb.ExplainRequest(message_id=message_id), timeout=TIMEOUT)

    async def refusals(self, *names: str) -> list[pb.PeerRefusals]:
        """What peers say when they do not take articles; without names all."""
        with service_errors():
            response = await self._stub().ListRefusals(pb.ListRefusalsRequest(peers=names), timeout=TIMEOUT)
        return list(response.peers)

    async def peers(self, *names: str) -> list[pb.PeerStatus]:
        """Peers as they are now; without names all."""
        with service_errors():
            response = await self._stub().ListPeers(pb.ListPeersRequest(peers=names), timeout=TIMEOUT)
        return list(response.peers)

    async def watch(self, *names: str, interval: float = 1.0) -> AsyncIterator[pb.WatchPeersResponse]:
        """Peers at once, and then every `interval` seconds; without names all."""
        request = pb.WatchPeersRequest(peers=names, interval=_duration(interval))
        call = self._stub().WatchPeers(request)
        try:
            with service_errors():
                async for response in call:
                    yield response
        finally:
            call.cancel()

    async def pause(self, peer: str) -> pb.PeerStatus:
        """Stop sending to a peer."""
        with service_errors():
            return (await self._stub().Pause(pb.PauseRequest(peer=peer), timeout=TIMEOUT)).peer

    async def resume(self, peer: str) -> pb.PeerStatus:
        """Go on sending to a paused peer."""
        with service_errors():
            return (await self._stub().Resume(pb.ResumeRequest(peer=peer), timeout=TIMEOUT)).peer

    async def flush(self, peer: str) -> int:
        """Move what is queued for a peer in memory to its backlog; how many articles that were."""
        with service_errors():
            return (await self._stub().Flush(pb.FlushRequest(peer=peer), timeout=TIMEOUT)).entries

    async def dead_letters(self, peer: str, *message_ids: str, reason: str = "") -> AsyncIterator[pb.DeadLetter]:
        """The articles that were given up for a peer, the oldest first; fetched by pages.

        All of them, or those of some message-ids, or with a text in their reason.
        """
        request = pb.ListDeadLettersRequest(peer=peer, page_size=PAGE, message_ids=message_ids, reason=reason)
        while True:
            with service_errors():
                response = await self._stub().ListDeadLetters(request, timeout=TIMEOUT)
            for letter in response.dead_letters:
                yield letter
            if not response.next_page_token:
                return
            request.page_token = response.next_page_token

    async def replay(self, peer: str, *message_ids: str, reason: str = "") -> int:
        """Queue given-up articles again; how many they were.

        All of them, or those of some message-ids, or with a text in their reason.
        """
        request = pb.ReplayDeadLettersRequest(peer=peer, message_ids=message_ids, reason=reason)
        with service_errors():
            return (await self._stub().ReplayDeadLetters(request, timeout=TIMEOUT)).entries

    def _stub(self) -> OutfeedServiceStub:
        return OutfeedServiceStub(self._channel.get())


def _duration(seconds: float) -> Duration:
    duration = Duration()
    duration.FromTimedelta(timedelta(seconds=seconds))
    return duration
