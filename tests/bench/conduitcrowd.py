"""A node that knows many resources and peers, and those peers: each of the two is a process of its own.

    python -m bench.conduitcrowd {hold,join} PORT RESOURCES PEERS

`hold` is the node; `join` is all the peers, each a whole node with a socket and a session. Every peer defines its share
of the resources and writes one sample of each, for the node subscribes to all; the node writes one to all the peers.
"""

import asyncio
import sys
from contextlib import AsyncExitStack
from typing import Any

import uvloop

from bench.conduitload import heard
from bench.programs import tell, told_to_go_on

LEASE, SCOUT_INTERVAL = 60.0, 0.5
ORDERS = "/orders"


def uri(number: int) -> str:
    return f"/plant/hall-{number % 10}/machine-{number}/temperature"


async def hold(port: int, resources: int, peers: int) -> None:
    from forebay.client.conduit import ConduitNodeSettings, Node

    settings = ConduitNodeSettings(listen=f"udp/127.0.0.1:{port}", lease=LEASE, max_peers=peers)
    async with Node(settings) as node:
        publisher = node.publisher(ORDERS)
        tell(ready=True)
        came: set[str] = set()
        async for delivery in node.subscribe("/plant/**"):
            came.add(delivery.uri)
            if len(came) == resources:
                break
        await heard(node, publisher, peers)
        await publisher.write([b"stop"])
        await node.drained()
        names = node.participant.node.declarations.directory.names
        tell(peers=len(node.peers), resources=len(names.resources))
        await told_to_go_on()


async def join(port: int, resources: int, peers: int) -> None:
    from forebay.client.conduit import ConduitNodeSettings, Node

    settings = ConduitNodeSettings(
        listen="udp/127.0.0.1:0", peers=(f"udp/127.0.0.1:{port}",), lease=LEASE, scout_interval=SCOUT_INTERVAL
    )
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(Node(settings)) for _ in range(peers)]
        shares = [range(number, resources, peers) for number in range(peers)]
        await asyncio.gather(*(take_part(node, share) for node, share in zip(nodes, shares, strict=True)))
        tell(joined=len(nodes))
        await told_to_go_on()


async def take_part(node: Any, share: range) -> None:
    """One peer's."""
    subscription = node.subscribe(ORDERS)
    for number in share:
        publisher = node.publisher(uri(number))
        await heard(node, publisher)
        await publisher.write([b"17.5"])
    await anext(subscription)


def main() -> None:
    role, port, resources, peers = sys.argv[1:]
    uvloop.run({"hold": hold, "join": join}[role](int(port), int(resources), int(peers)))


if __name__ == "__main__":
    main()
