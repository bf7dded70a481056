"""Showing and steering the peers of a running outfeed."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from rich.live import Live
from rich.text import Text

from forebay.cli.articlefiles import read_article
from forebay.cli.options import Output
from forebay.cli.peertable import PeerTable, peer_line
from forebay.cli.plainmessage import plain, short_name
from forebay.cli.printing import print_json, print_json_line, print_table, stdout
from forebay.client import OutfeedClient
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime import UnavailableError

RETRY_SECONDS = 1.0
_OUTCOME = pb.ExplainResponse.DESCRIPTOR.fields_by_name["outcome"]


async def show_peers(names: Sequence[str], address: str, tls: Path | None, output: Output) -> None:
    """Print peers as they are now."""
    async with OutfeedClient.connect(address, tls) as client:
        _print_peers(await client.peers(*names), output)


async def watch_peers(names: Sequence[str], interval: float, address: str, tls: Path | None, output: Output) -> None:
    """Show peers until interrupted; a service that goes away is waited for."""
    live = sys.stdout.isatty() and output is Output.TABLE
    screen = Live(console=stdout(), auto_refresh=False, screen=True) if live else None
    async with OutfeedClient.connect(address, tls) as client:
        await client.peers(*names)
        with screen or nullcontext():
            while True:
                try:
                    async for response in client.watch(*names, interval=interval):
                        _show_moment(response, screen, output)
                except UnavailableError as error:
                    _show_trouble(error, screen)
                    await asyncio.sleep(error.retry_after or RETRY_SECONDS)


def _show_moment(response: pb.WatchPeersResponse, screen: Live | None, output: Output) -> None:
    time = response.time.ToJsonString()
    if screen:
        screen.update(PeerTable(response.peers, f"{time}   Ctrl-C ends"), refresh=True)
    elif output is Output.JSON:
        print_json_line(plain(response))
    else:
        for peer in response.peers:
            print(time, peer_line(peer), flush=True)


def _show_trouble(error: UnavailableError, screen: Live | None) -> None:
    if screen:
        screen.update(Text(f"waiting for the service: {error.message}"), refresh=True)
    else:
        print(f"waiting for the service: {error.message}", file=sys.stderr)


async def explain_article(file: Path, address: str, tls: Path | None, output: Output) -> None:
    """Print who would get an article."""
    article = await asyncio.to_thread(read_article, file)
    async with OutfeedClient.connect(address, tls) as client:
        response = await client.explain(article)
    if output is Output.JSON:
        print_json(plain(response))
        return
    outcome = short_name(_OUTCOME, response.outcome).replace("_", " ")
    title = " ".join(filter(None, (response.message_id, "would be", outcome, response.reason)))
    rows = [(each.peer, "yes" if each.wanted else "no", each.rule, each.detail) for each in response.peers]
    print_table(title, ("peer", "gets it", "decided by", "because"), rows)


async def pause_peer(peer: str, address: str, tls: Path | None, output: Output) -> None:
    """Pause a peer, and print it."""
    async with OutfeedClient.connect(address, tls) as client:
        _print_peers([await client.pause(peer)], output)


async def resume_peer(peer: str, address: str, tls: Path | None, output: Output) -> None:
    """Resume a peer, and print it."""
    async with OutfeedClient.connect(address, tls) as client:
        _print_peers([await client.resume(peer)], output)


async def flush_peer(peer: str, address: str, tls: Path | None, output: Output) -> None:
    """Flush a peer, and print how much that was."""
    async with OutfeedClient.connect(address, tls) as client:
        entries = await client.flush(peer)
    _print_entries(entries, f"moved to the backlog of {peer}", output)


async def show_dead_letters(peer: str, limit: int, address: str, tls: Path | None, output: Output) -> None:
    """Print the first articles that were given up for a peer."""
    letters: list[pb.DeadLetter] = []
    async with OutfeedClient.connect(address, tls) as client:
        async for letter in client.dead_letters(peer):
            letters.append(letter)
            if len(letters) == limit:
                break
    if output is Output.JSON:
        print_json([plain(letter) for letter in letters])
        return
    rows = (
        (letter.message_id, letter.dead_letter_time.ToJsonString(), letter.tries, letter.size, letter.reason)
        for letter in letters
    )
    print_table(f"{len(letters)} given up for {peer}", ("message-id", "given up", ">tries", ">octets", "why"), rows)


async def replay_dead_letters(
    peer: str, message_ids: Sequence[str], address: str, tls: Path | None, output: Output
) -> None:
    """Queue given-up articles again, and print how many."""
    async with OutfeedClient.connect(address, tls) as client:
        entries = await client.replay(peer, *message_ids)
    _print_entries(entries, f"queued for {peer} again", output)


def _print_peers(peers: Sequence[pb.PeerStatus], output: Output) -> None:
    if output is Output.JSON:
        print_json([plain(peer) for peer in peers])
    else:
        stdout().print(PeerTable(peers))


def _print_entries(entries: int, what: str, output: Output) -> None:
    if output is Output.JSON:
        print_json({"entries": entries})
    else:
        print(f"{entries} {'article' if entries == 1 else 'articles'} {what}")
