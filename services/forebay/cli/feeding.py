"""Offering the files of a folder to an outfeed of this process, and following them to the peers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forebay.cli.accounting import Accounts, is_settled
from forebay.cli.articlefiles import read_articles
from forebay.cli.display import Display
from forebay.cli.offers import Report
from forebay.client import OutfeedClient
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

LOOK_SECONDS = 0.2
"""Between two looks at the peers."""


@dataclass
class Feeding:
    """One folder's way to the peers."""

    files: Sequence[Path]
    address: str
    tls: Path | None
    report: Report
    peers: Sequence[pb.PeerStatus] = ()

    @property
    def accounts(self) -> Accounts:
        """What is known so far."""
        return Accounts(len(self.files), self.report, self.peers)

    async def run(self, started: asyncio.Event, display: Display, until_delivered: bool) -> None:
        """Offer all files once the service has started, and show how they fare: for ever, or until all arrived."""
        await started.wait()
        async with OutfeedClient.connect(self.address, self.tls) as client:
            offering = asyncio.ensure_future(self.report.follow(client.offer(read_articles(self.files))))
            try:
                await self._follow(client, offering, display, until_delivered)
            finally:
                offering.cancel()
                await asyncio.gather(offering, return_exceptions=True)

    async def _follow(
        self, client: OutfeedClient, offering: "asyncio.Future[None]", display: Display, until_delivered: bool
    ) -> None:
        async for response in client.watch(interval=LOOK_SECONDS):
            self.peers = response.peers
            if offered := offering.done():
                await offering
                # The figures of the stream may be older than the last verdict.
                self.peers = await client.peers()
            display.show(self.accounts)
            if until_delivered and offered and is_settled(self.peers):
                return
