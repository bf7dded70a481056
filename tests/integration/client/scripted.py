"""An OutfeedService and a ConfigService that answer as a test tells them, on a loopback port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc

from forebay.pb.config.v1 import config_pb2
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceServicer, add_ConfigServiceServicer_to_server
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import OutfeedServiceServicer, add_OutfeedServiceServicer_to_server
from forebay.runtime import NotFoundError, Resource
from forebay.runtime.interceptor import as_status


class ScriptedOutfeed(OutfeedServiceServicer):
    """Accepts articles it has not seen; fails where `faults` say so."""

    def __init__(self):
        self.taken = []
        """Contents, each once, in the order in which they came."""
        self.batches = []
        """First number and size of every batch that came, of all streams."""
        self.faults = []
        """For each stream in turn: after how many batches it fails, whether that batch was taken, and the error."""
        self.open = asyncio.Event()
        """Clear to let no verdict go out."""
        self.open.set()
        self.streams = 0

    async def Offer(self, requests, context):  # noqa: N802
        self.streams += 1
        fault = self.faults.pop(0) if self.faults else None
        seen = 0
        async for request in requests:
            seen += 1
            self.batches.append((request.first, len(request.articles)))
            if fault and seen > fault[0]:
                if fault[1]:
                    self.take(request)
                await context.abort_with_status(as_status(fault[2], "1"))
            await self.open.wait()
            yield pb.OfferResponse(verdicts=self.take(request))

    def take(self, request):
        verdicts = []
        for number, article in enumerate(request.articles, request.first):
            if article.content.startswith(b"bad"):
                outcome, reason = pb.OUTCOME_REJECTED, "header Bad is bad"
            elif article.content in self.taken:
                outcome, reason = pb.OUTCOME_DUPLICATE, ""
            else:
                self.taken.append(article.content)
                outcome, reason = pb.OUTCOME_ACCEPTED, ""
            verdicts.append(pb.Verdict(first=number, count=1, outcome=outcome, reason=reason))
        return verdicts

    async def Explain(self, request, context):  # noqa: N802
        peers = [pb.PeerExplanation(peer="west", rule="groups", detail=request.article.content.decode())]
        return pb.ExplainResponse(outcome=pb.OUTCOME_NO_PEER, message_id="<a@b>", peers=peers)

    async def ListPeers(self, request, context):  # noqa: N802
        if "nobody" in request.peers:
            error = NotFoundError("there is no peer nobody", resource=Resource("Peerfeed", "nobody"))
            await context.abort_with_status(as_status(error, "1"))
        return pb.ListPeersResponse(peers=[status(name) for name in request.peers or ("east", "west")])

    async def WatchPeers(self, request, context):  # noqa: N802
        for _ in range(3):
            response = pb.WatchPeersResponse(peers=[status("east")])
            response.time.FromMilliseconds(request.interval.ToMilliseconds())
            yield response

    async def Pause(self, request, context):  # noqa: N802
        return pb.PauseResponse(peer=status(request.peer, pb.PEER_STATE_PAUSED))

    async def Resume(self, request, context):  # noqa: N802
        return pb.ResumeResponse(peer=status(request.peer))

    async def Flush(self, request, context):  # noqa: N802
        return pb.FlushResponse(entries=7)

    async def ListDeadLetters(self, request, context):  # noqa: N802
        first = int(request.page_token or 0)
        letters = [pb.DeadLetter(message_id=f"<{number}@{request.peer}>") for number in (first, first + 1)]
        return pb.ListDeadLettersResponse(dead_letters=letters, next_page_token=str(first + 2) if first < 4 else "")

    async def ReplayDeadLetters(self, request, context):  # noqa: N802
        return pb.ReplayDeadLettersResponse(entries=len(request.message_ids) or 6)


def status(name, state=pb.PEER_STATE_CONNECTED):
    counters = pb.PeerCounters(offered=5, accepted=3, refused=1, queued=1)
    return pb.PeerStatus(name=name, state=state, counters=counters, articles_per_second=2.5)


class ScriptedConfig(ConfigServiceServicer):
    """Takes documents that are newer than what it has."""

    def __init__(self):
        self.revision = 3
        self.requests = []

    async def Apply(self, request, context):  # noqa: N802
        ignored = request.revision <= self.revision
        self.revision = max(self.revision, request.revision)
        self.requests.append(request)
        return config_pb2.ApplyResponse(revision=self.revision, ignored=ignored)

    async def GetStatus(self, request, context):  # noqa: N802
        return config_pb2.GetStatusResponse(revision=self.revision, service="outfeed")


@asynccontextmanager
async def listening(outfeed, config=None, address="127.0.0.1:0", credentials=None) -> AsyncIterator[int]:
    """Serve until left; the port."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    add_OutfeedServiceServicer_to_server(outfeed, server)
    add_ConfigServiceServicer_to_server(config or ScriptedConfig(), server)
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    await server.start()
    try:
        yield port
    finally:
        await server.stop(0)
