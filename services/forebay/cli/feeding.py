"""Offering the files of a folder to an outfeed of this process, and following them to the peers."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forebay.cli.accounting import Accounts, is_settled
from forebay.cli.articlefiles import paced, read_articles
from forebay.cli.display import Display
from forebay.cli.offers import Report
from forebay.client import OutfeedClient
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime import SystemClock

LOOK_SECONDS = 0.2
"""Between two looks at the peers."""


@dataclass
class Feeding:
    """One folder's way to the peers."""

    files: Sequence[Path]
    address: str
    tls: Path | None
    report: Report
    pace: float | None = None
    """Most articles a second; None: no limit."""
    peers: Sequence[pb.PeerStatus] = ()
    offered: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once every article has its verdict."""

    @property
    def accounts(self) -> Accounts:
        """What is known so far."""
        return Accounts(len(self.files), self.report, self.peers)

    async def run(self, started: asyncio.Event, display: Display, until_delivered: bool) -> None:
        """Offer all files once the service has started, and show how they fare: for ever, or until all arrived."""
        await started.wait()
        async with OutfeedClient.connect(self.address, self.tls) as client:
            offering = asyncio.ensure_future(self.report.follow(client.offer(self._articles())))
            try:
                await self._follow(client, offering, display, until_delivered)
            finally:
                offering.cancel()
                await asyncio.gather(offering, return_exceptions=True)

    def _articles(self) -> AsyncIterator[bytes]:
        articles = read_articles(self.files)
        return paced(articles, self.pace, SystemClock()) if self.pace else articles

    async def _follow(
        self, client: OutfeedClient, offering: "asyncio.Future[None]", display: Display, until_delivered: bool
    ) -> None:
        async for response in client.watch(interval=LOOK_SECONDS):
            self.peers = response.peers
            if offered := offering.done():
                await offering
                self.offered.set()
                # The figures of the stream may be older than the last verdict.
                self.peers = await client.peers()
            display.show(self.accounts)
            if until_delivered and offered and is_settled(self.peers):
                return
