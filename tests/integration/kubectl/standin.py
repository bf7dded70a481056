"""Stands in for kubectl where there are no nodes: `port-forward` leads to a port of this machine instead of a pod's.

As kubectl's does, it says where it forwards from, fails when the pod does not run (here: nobody listens), and ends once
the pod does not take a connection any more. Everything else is left to the real kubectl, which REAL_KUBECTL names.
"""

import asyncio
import os
import re
import sys

HOST = "127.0.0.1"


def say(words, stream=sys.stdout):
    stream.write(f"{words}\n")
    stream.flush()


def refuse(words):
    say(f"error: {words}", sys.stderr)
    os._exit(1)


async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def forward(local, remote):
    async def lead(reader, writer):
        say(f"Handling connection for {local}")
        try:
            ahead, back = await asyncio.open_connection(HOST, remote)
        except OSError:
            refuse("lost connection to pod")
        await asyncio.gather(copy(reader, back), copy(ahead, writer), return_exceptions=True)

    try:
        _, probe = await asyncio.open_connection(HOST, remote)
    except OSError:
        refuse("unable to forward port because pod is not running. Current status=Pending")
    probe.close()
    server = await asyncio.start_server(lead, HOST, local)
    say(f"Forwarding from {HOST}:{server.sockets[0].getsockname()[1]} -> {remote}")
    await server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "port-forward":
        ports = next(filter(None, (re.fullmatch(r"(\d*):(\d+)", each) for each in sys.argv)))
        asyncio.run(forward(int(ports[1] or 0), int(ports[2])))
    else:
        real = os.environ["REAL_KUBECTL"]
        os.execv(real, [real, *sys.argv[1:]])  # noqa: S606
