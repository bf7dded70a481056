"""A node at the edge, where nothing but the node's own packages is installed."""

import asyncio
import sys

PROGRAM = """
import asyncio, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"aiohttp", "google", "grpc", "prometheus_client", "pydantic", "redis", "uvloop"}:
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Absent())

from forebay.client.conduit import ConduitNodeSettings, Node

async def main():
    settings = ConduitNodeSettings(listen="udp/127.0.0.1:0", scout_interval=0.1)
    async with Node(settings) as reader:
        peers = ("udp/{}:{}".format(*reader.address),)
        async with Node(ConduitNodeSettings(listen="udp/127.0.0.1:0", scout_interval=0.1, peers=peers)) as writer:
            subscription = reader.subscribe("/edge/pump")
            await writer.until(lambda: any(known.peer_id for known in writer.participant.known()))
            await writer.publisher("/edge/pump").write([b"hello"])
            async for delivery in subscription:
                print(delivery.payloads[0].decode())
                return

asyncio.run(main())
"""


async def test_a_sample_goes_from_node_to_node_without_grpc():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert (process.returncode, output) == (0, b"hello\n")
