"""A node of conduit in a pod, that is none of a ConduitNode's; every line that it prints is JSON.

conduitprogram.py PLACE,PLACE... COUNT

It seeks peers at these places. Once two of them subscribe to what it publishes, it writes so many numbers, and as many
again for each line on standard input. It tells of its peers, of what it writes, and of each number that it gets.
"""

import asyncio
import json
import sys
from typing import Any

from forebay.client.conduit import ConduitNodeSettings, Delivery, Node

OWN, OTHERS = "/outside/number", "/pod/*"
PEERS = 2


def tell(what: str, **more: Any) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps({"what": what, **more}) + "\n")
    sys.stdout.flush()


async def got(delivery: Delivery) -> None:
    """Tell of numbers."""
    tell("got", uri=delivery.uri, peer=delivery.peer_id.hex(), numbers=[int(each) for each in delivery.payloads])


async def main(places: str, count: int) -> None:
    """Exchange numbers until standard input ends."""
    settings = ConduitNodeSettings(peers=tuple(places.split(",")), resolve_interval=1.0, scout_interval=1.0)
    async with Node(
        settings, on_peer=lambda event: tell("peer", change=event.change.name, peer=event.peer_id.hex())
    ) as node:
        node.subscribe(OTHERS, got)
        publisher = node.publisher(OWN)
        directory = node.participant.node.declarations.directory
        tell("ready", peer=node.peer_id.hex())
        first = 0
        while True:
            await node.until(lambda: len(directory.reach_uri(OWN).peers) == PEERS)
            await publisher.write([str(number).encode() for number in range(first, first + count)])
            await node.drained()
            first += count
            tell("written", until=first)
            if not await asyncio.to_thread(sys.stdin.readline):
                return


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
