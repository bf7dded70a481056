"""Running a channel on standard input, or for one article."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from forebay.cli.channel.journal import Journal
from forebay.cli.channel.newsspool import NewsSpool, content_of
from forebay.cli.channel.program import Channel
from forebay.cli.channel.standardinput import StandardInput
from forebay.cli.errors import UndoneError
from forebay.client import OfferSettings, Outcome, OutfeedClient
from forebay.runtime.signals import Signals


class Connect(NamedTuple):
    """Where the outfeed is, and how long it may be away at the end."""

    address: str
    tls: Path | None
    grace: float


async def run_channel(connect: Connect, spool: NewsSpool, journal: Path | None) -> None:
    """Offer what lines on standard input name, until it ends or SIGTERM comes. Raises `UndoneError`."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(OutfeedClient.connect(connect.address, connect.tls))
        signals = await stack.enter_async_context(Signals())
        kept = await stack.enter_async_context(Journal(journal)) if journal else None
        lines = StandardInput()
        lines.start()
        stopping = asyncio.ensure_future(_stop_upon(signals, lines))
        stack.callback(stopping.cancel)
        await Channel(client, spool, lines, kept).run(connect.grace)


async def _stop_upon(signals: Signals, lines: StandardInput) -> None:
    await signals.stop.wait()
    lines.stop()


async def offer_article(connect: Connect) -> None:
    """Offer the one article that standard input is. Raises `UndoneError` when it was rejected."""
    article = content_of(await asyncio.to_thread(sys.stdin.buffer.read))
    async with OutfeedClient.connect(connect.address, connect.tls) as client:
        async for verdict in client.offer([article], OfferSettings(patience=connect.grace)):
            if verdict.outcome == Outcome.OUTCOME_REJECTED:
                raise UndoneError(f"the article was rejected: {verdict.reason}")
