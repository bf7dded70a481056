"""Showing and steering the peers of a running outfeed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from forebay.cli.articlefiles import read_article
from forebay.cli.options import Output
from forebay.cli.peertable import PeerTable
from forebay.cli.plainmessage import plain, short_name
from forebay.cli.printing import print_json, print_table, stdout
from forebay.client import OutfeedClient
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

_REFUSED = pb.Refusal.DESCRIPTOR.fields_by_name["outcome"]
_OUTCOME = pb.ExplainResponse.DESCRIPTOR.fields_by_name["outcome"]


class Chosen(NamedTuple):
    """Which dead letters are meant; the default is all."""

    message_ids: Sequence[str] = ()
    reason: str = ""
    """Text in the reason, whatever the case of its letters."""


async def show_peers(names: Sequence[str], address: str, tls: Path | None, output: Output) -> None:
    """Print peers as they are now."""
    async with OutfeedClient.connect(address, tls) as client:
        _print_peers(await client.peers(*names), output)


async def explain_article(file: str, address: str, tls: Path | None, output: Output) -> None:
    """Print who would get an article: that of a file, or the one of a message-id that the outfeed keeps."""
    kept = file.startswith("<") and file.endswith(">")
    article = b"" if kept else await asyncio.to_thread(read_article, Path(file))
    async with OutfeedClient.connect(address, tls) as client:
        response = await (client.explain_kept(file) if kept else client.explain(article))
    if output is Output.JSON:
        print_json(plain(response))
        return
    outcome = short_name(_OUTCOME, response.outcome).replace("_", " ")
    title = " ".join(filter(None, (response.message_id, "would be", outcome, response.reason)))
    rows = [(each.peer, "yes" if each.wanted else "no", each.rule, each.detail) for each in response.peers]
    print_table(title, ("peer", "gets it", "decided by", "because"), rows)


async def show_refusals(names: Sequence[str], address: str, tls: Path | None, output: Output) -> None:
    """Print what peers say when they do not take articles."""
    async with OutfeedClient.connect(address, tls) as client:
        peers = await client.refusals(*names)
    if output is Output.JSON:
        print_json([plain(peer) for peer in peers])
        return
    rows = [
        (peer.peer, f"{each.articles:,}", short_name(_REFUSED, each.outcome).replace("_", " "), each.text)
        for peer in peers
        for each in peer.refusals
    ]
    print_table("" if rows else "no peer has refused anything", ("peer", ">articles", "outcome", "text"), rows)


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


async def show_dead_letters(
    peer: str, chosen: Chosen, limit: int, address: str, tls: Path | None, output: Output
) -> None:
    """Print the first articles that were given up for a peer, of those that are chosen."""
    letters: list[pb.DeadLetter] = []
    async with OutfeedClient.connect(address, tls) as client:
        async for letter in client.dead_letters(peer, *chosen.message_ids, reason=chosen.reason):
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


async def replay_dead_letters(peer: str, chosen: Chosen, address: str, tls: Path | None, output: Output) -> None:
    """Queue given-up articles again, and print how many."""
    async with OutfeedClient.connect(address, tls) as client:
        entries = await client.replay(peer, *chosen.message_ids, reason=chosen.reason)
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
