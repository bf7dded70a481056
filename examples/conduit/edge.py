"""A device at the edge, with no service and no gRPC: `edge.py PEER...`, as `edge.py udp/127.0.0.1:7448`.

It tells the temperature of its oven ten times a second, under /edge/oven/temp, and does what /edge/oven/set says.
"""

import asyncio
import sys

from forebay.client.conduit import ConduitNodeSettings, Delivery, Node


class Oven:
    """Gets as warm as it is told, by and by."""

    def __init__(self) -> None:
        self.temperature = self.wanted = 20.0

    async def told(self, delivery: Delivery) -> None:
        """Be as warm as the last sample says."""
        self.wanted = float(delivery.payloads[-1])
        print(f"now for {self.wanted:g} degrees", flush=True)

    def measure(self) -> bytes:
        """The temperature now."""
        self.temperature += (self.wanted - self.temperature) / 2
        return f"{self.temperature:.1f}".encode()


async def main(*peers: str) -> None:
    oven = Oven()
    async with Node(ConduitNodeSettings(peers=peers)) as node:
        node.subscribe("/edge/oven/set", oven.told)
        publisher = node.publisher("/edge/oven/temp")
        while True:
            await publisher.write([oven.measure()])
            await asyncio.sleep(0.1)


asyncio.run(main(*sys.argv[1:]))
