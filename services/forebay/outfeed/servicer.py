"""OutfeedService over gRPC: requests in, the masterfeed's and the peers' answers out."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

import grpc

from forebay.outfeed.errors import IntakeFullError
from forebay.outfeed.incoming.intake import Judged, Verdict
from forebay.outfeed.masterfeed import Masterfeed
from forebay.outfeed.peering import deadletters
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.peering.peerstatus import peer_refusals, peer_status
from forebay.outfeed.peers import Peers
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import OutfeedServiceServicer
from forebay.runtime.clock import Clock
from forebay.runtime.errors import (
    FailedPreconditionError,
    FieldViolation,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
)

T = TypeVar("T")
Context = grpc.aio.ServicerContext[Any, Any]

BATCHES_IN_WORK = 8
"""Batches of one Offer stream that are being written while the next is read."""
RETRY_SECONDS = 5.0
SHORTEST_INTERVAL, LONGEST_INTERVAL = 0.1, 3600.0
PAGE, LARGEST_PAGE = 100, 1000

_OUTCOMES = {
    Verdict.ACCEPTED: pb.OUTCOME_ACCEPTED,
    Verdict.DUPLICATE: pb.OUTCOME_DUPLICATE,
    Verdict.NO_PEER: pb.OUTCOME_NO_PEER,
    Verdict.REJECTED: pb.OUTCOME_REJECTED,
}


class OutfeedServicer(OutfeedServiceServicer):
    """Thin: checks requests, and turns what it is told into messages."""

    def __init__(self, clock: Clock) -> None:
        self.masterfeed: Masterfeed | None = None
        """None until the service is configured."""
        self.peers: Peers | None = None
        self._clock = clock
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Let long streams end."""
        self._ending.set()

    async def Offer(
        self, requests: AsyncIterator[pb.OfferRequest], context: Context
    ) -> AsyncIterator[pb.OfferResponse]:
        """Take articles in; see the proto."""
        offers = _Offers(_configured(self.masterfeed))
        reading = asyncio.ensure_future(offers.read(requests))
        reading.add_done_callback(offers.end)
        try:
            async for first, judged in offers.judged():
                yield pb.OfferResponse(verdicts=_runs(first, judged))
            await reading
        finally:
            reading.cancel()
            offers.cancel()

    async def Explain(self, request: pb.ExplainRequest, context: Context) -> pb.ExplainResponse:
        """Tell who would get an article."""
        masterfeed, peers = _configured(self.masterfeed), _configured(self.peers)
        if not request.message_id:
            return explanation(masterfeed, peers, request.article.content)
        body = await masterfeed.kept(request.message_id.encode())
        if body is None:
            problem = f"{request.message_id} is not kept: it never came in, or every peer is done with it"
            raise NotFoundError(f"{problem}; explain its headers instead")
        return explanation(masterfeed, peers, bytes(body), wire=True)

    async def ListPeers(self, request: pb.ListPeersRequest, context: Context) -> pb.ListPeersResponse:
        """Show peers."""
        return pb.ListPeersResponse(peers=self._statuses(request.peers))

    async def WatchPeers(self, request: pb.WatchPeersRequest, context: Context) -> AsyncIterator[pb.WatchPeersResponse]:
        """Show peers again and again."""
        interval = request.interval.ToTimedelta().total_seconds() if request.HasField("interval") else 1.0
        if not SHORTEST_INTERVAL <= interval <= LONGEST_INTERVAL:
            problem = f"{interval:g} s is not within {SHORTEST_INTERVAL:g} s and {LONGEST_INTERVAL:g} s"
            raise InvalidArgumentError(f"interval: {problem}", violations=[FieldViolation("interval", problem)])
        names = list(request.peers)
        while True:
            response = pb.WatchPeersResponse(peers=self._statuses(names))
            response.time.FromMilliseconds(int(self._clock.wall() * 1000))
            yield response
            if await self._ends_within(interval):
                raise UnavailableError("the service stops: watch again", retry_after=RETRY_SECONDS)

    async def Pause(self, request: pb.PauseRequest, context: Context) -> pb.PauseResponse:
        """Stop sending to a peer."""
        peer = _configured(self.peers)[request.peer]
        peer.pause()
        return pb.PauseResponse(peer=self._status(peer))

    async def Resume(self, request: pb.ResumeRequest, context: Context) -> pb.ResumeResponse:
        """End a pause."""
        peer = _configured(self.peers)[request.peer]
        if peer.options.spec.pause:
            raise FailedPreconditionError(
                f"peer {request.peer} is paused by its Peerfeed: set spec.pause to false there", reason="PAUSED_BY_SPEC"
            )
        peer.resume()
        return pb.ResumeResponse(peer=self._status(peer))

    async def Flush(self, request: pb.FlushRequest, context: Context) -> pb.FlushResponse:
        """Move what is in memory to the backlog."""
        peer = _configured(self.peers)[request.peer]
        if peer.backlog.trouble:
            raise UnavailableError(f"peer {request.peer}: {peer.backlog.trouble}", retry_after=RETRY_SECONDS)
        return pb.FlushResponse(entries=await peer.flush())

    async def ListDeadLetters(self, request: pb.ListDeadLettersRequest, context: Context) -> pb.ListDeadLettersResponse:
        """Show what was given up."""
        peer = _configured(self.peers)[request.peer]
        size = min(request.page_size or PAGE, LARGEST_PAGE)
        if size < 0:
            violation = FieldViolation("page_size", f"{size} is below 0; give 1 to {LARGEST_PAGE}, or 0 for {PAGE}")
            raise InvalidArgumentError(f"page_size: {violation.description}", violations=[violation])
        letters = await deadletters.page(peer, size, request.page_token)
        token = letters[-1].id.decode() if len(letters) == size else ""
        chosen = filter(_choice(request).takes, letters)
        return pb.ListDeadLettersResponse(dead_letters=map(deadletters.message, chosen), next_page_token=token)

    async def ReplayDeadLetters(
        self, request: pb.ReplayDeadLettersRequest, context: Context
    ) -> pb.ReplayDeadLettersResponse:
        """Queue again what was given up."""
        peer = _configured(self.peers)[request.peer]
        return pb.ReplayDeadLettersResponse(entries=await deadletters.replay(peer, _choice(request)))

    async def ListRefusals(self, request: pb.ListRefusalsRequest, context: Context) -> pb.ListRefusalsResponse:
        """Show what peers say when they do not take articles."""
        return pb.ListRefusalsResponse(peers=map(peer_refusals, self._chosen(request.peers)))

    def _statuses(self, names: Sequence[str]) -> list[pb.PeerStatus]:
        return [self._status(peer) for peer in self._chosen(names)]

    def _chosen(self, names: Sequence[str]) -> Iterable[Peer]:
        peers = _configured(self.peers)
        return [peers[name] for name in names] if names else peers

    def _status(self, peer: Peer) -> pb.PeerStatus:
        return peer_status(peer, self._clock.wall())

    async def _ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        except TimeoutError:
            return False
        return True


class _Offers:
    """The batches of one Offer stream: several are in work at once, and answered in their order."""

    def __init__(self, masterfeed: Masterfeed) -> None:
        self._masterfeed = masterfeed
        self._room = asyncio.Semaphore(BATCHES_IN_WORK)
        self._work: asyncio.Queue[tuple[int, asyncio.Task[list[Judged]]] | None] = asyncio.Queue()

    async def read(self, requests: AsyncIterator[pb.OfferRequest]) -> None:
        """Begin to judge each batch as it comes in."""
        loop = asyncio.get_running_loop()
        async for request in requests:
            await self._room.acquire()
            contents = [article.content for article in request.articles]
            task = loop.create_task(self._masterfeed.offer(contents, wire=False))
            self._work.put_nowait((request.first, task))

    def end(self, _: "asyncio.Future[None]") -> None:
        """No more batches come."""
        self._work.put_nowait(None)

    async def judged(self) -> AsyncIterator[tuple[int, list[Judged]]]:
        """The number of the first article and the verdicts of each batch. Raises `ResourceExhaustedError`."""
        while (item := await self._work.get()) is not None:
            first, task = item
            try:
                yield first, await task
            except IntakeFullError as error:
                raise ResourceExhaustedError(str(error), reason="INTAKE_FULL", retry_after=RETRY_SECONDS) from error
            finally:
                self._room.release()

    def cancel(self) -> None:
        """Nobody waits for what is left."""
        while not self._work.empty():
            if item := self._work.get_nowait():
                item[1].cancel()


def _runs(first: int, judged: Sequence[Judged]) -> Iterator[pb.Verdict]:
    """Verdicts as runs of equal outcomes; each rejected article for itself."""
    for verdict, run in groupby(judged, key=lambda item: item.verdict):
        alike = list(run)
        if verdict is not Verdict.REJECTED:
            yield pb.Verdict(first=first, count=len(alike), outcome=_OUTCOMES[verdict])
            first += len(alike)
            continue
        for item in alike:
            yield pb.Verdict(
                first=first,
                count=1,
                outcome=pb.OUTCOME_REJECTED,
                reason=item.reason,
                message_id=item.message_id.decode("ascii", "replace"),
            )
            first += 1


def explanation(masterfeed: Masterfeed, peers: Peers, content: bytes, *, wire: bool = False) -> pb.ExplainResponse:
    """What would become of an article, and for each peer why."""
    article, judged = masterfeed.judge(content, wire=wire)
    response = pb.ExplainResponse(
        outcome=_OUTCOMES[judged.verdict], reason=judged.reason, message_id=judged.message_id.decode("ascii", "replace")
    )
    if article is None:
        return response
    numbered = {peer.number: peer for peer in peers}
    for number, refusal in masterfeed.routing.explain(article):
        peer = numbered[number]
        rule, detail = refusal or peer.held_up
        response.peers.add(peer=peer.options.name, wanted=refusal is None, rule=rule, detail=detail)
    response.peers.sort(key=lambda peer: peer.peer)
    return response


def _choice(request: pb.ListDeadLettersRequest | pb.ReplayDeadLettersRequest) -> deadletters.Choice:
    return deadletters.Choice(frozenset(each.encode() for each in request.message_ids), request.reason)


def _configured(part: T | None) -> T:
    if part is None:
        raise UnavailableError("the service has no valid configuration yet", retry_after=RETRY_SECONDS)
    return part
