"""Watching the peers of one or several running outfeeds."""

from __future__ import annotations

import asyncio
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.live import Live

from forebay.cli.options import Output
from forebay.cli.peertable import peer_line
from forebay.cli.plainmessage import plain
from forebay.cli.printing import print_json_line, stdout
from forebay.cli.toptable import Looks, TopTable
from forebay.client import OutfeedClient
from forebay.runtime import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

RETRY_SECONDS = 1.0


@dataclass(frozen=True)
class Watch:
    """What is watched, and how it is shown."""

    names: Sequence[str]
    """Of Peerfeeds; empty for all."""
    interval: float
    """Seconds between two looks."""
    output: Output
    once: bool = False
    """Print what two looks tell, and end."""


async def watch_peers(watch: Watch, addresses: Sequence[str], tls: Path | None) -> None:
    """Show peers until interrupted; a service that goes away is waited for. With `once` it is not."""
    view = _View(watch, several=len(addresses) > 1)
    following = [asyncio.create_task(_follow(watch, address, tls, view)) for address in addresses]
    try:
        with view.screen or nullcontext():
            await asyncio.gather(*following)
    finally:
        for task in following:
            task.cancel()
    if watch.once and watch.output is Output.TABLE:
        stdout().print(TopTable(view.looks.rows()))


async def _follow(watch: Watch, address: str, tls: Path | None, view: _View) -> None:
    async with OutfeedClient.connect(address, tls) as client:
        await client.peers(*watch.names)
        while True:
            try:
                await _look(watch, client, address, view)
                if watch.once:
                    return
            except UnavailableError as error:
                if watch.once:
                    raise
                view.trouble(address, error)
                await asyncio.sleep(error.retry_after or RETRY_SECONDS)


async def _look(watch: Watch, client: OutfeedClient, address: str, view: _View) -> None:
    """Look again and again, or as often as `once` needs it."""
    looks = 0
    async for response in client.watch(*watch.names, interval=watch.interval):
        looks += 1
        view.show(address, response, last=looks == 2)
        if watch.once and looks == 2:
            return


class _View:
    """Where looks are shown: the whole screen of a terminal, or line by line."""

    def __init__(self, watch: Watch, *, several: bool) -> None:
        self.looks = Looks()
        self._watch = watch
        self._several = several
        live = sys.stdout.isatty() and watch.output is Output.TABLE and not watch.once
        self.screen = Live(console=stdout(), auto_refresh=False, screen=True) if live else None

    def show(self, address: str, response: pb.WatchPeersResponse, *, last: bool) -> None:
        """Another look at one outfeed; `last` is the one that `once` prints."""
        self.looks.add(address, response)
        time = response.time.ToJsonString()
        if self.screen:
            self._refresh(time)
        elif self._watch.output is Output.JSON:
            if last or not self._watch.once:
                print_json_line({**({"outfeed": address} if self._several else {}), **plain(response)})
        elif not self._watch.once:
            for peer in response.peers:
                print(time, *([address] if self._several else []), peer_line(peer), flush=True)

    def trouble(self, address: str, error: UnavailableError) -> None:
        """An outfeed does not answer."""
        self.looks.troubles[address] = f"waiting for the service at {address}: {error.message}"
        if self.screen:
            self._refresh("")
        else:
            print(self.looks.troubles[address], file=sys.stderr)

    def _refresh(self, time: str) -> None:
        if self.screen:
            rows = self.looks.rows()
            reasons = [f"{row.peer.name}: {row.peer.reason}" for row in rows if row.peer.reason]
            table = TopTable(rows, f"{time}   Ctrl-C ends".strip(), [*self.looks.troubles.values(), *reasons])
            self.screen.update(table, refresh=True)
