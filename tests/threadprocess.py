"""A process with threads, for tests that kill it: `threadprocess.py ROUTER PROCESS THREAD...`.

Its threads handle nothing until a line comes on standard input; it writes a line when it is ready, and one a message.
"""

import asyncio
import os
import sys

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

from forebay.client.router import Process, ProcessSettings, QueueLimits


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(router: str, name: str, *threads: str) -> None:
    going = asyncio.Event()

    async def handler(thread, message):
        await going.wait()
        say(f"{message.sender} {message.body.decode()}")

    settings = ProcessSettings(queue=QueueLimits(high=4, low=2), farewell=1.0)
    async with Process.connect(router, name, settings=settings) as process:
        for thread in threads:
            await process.thread(thread, handler)
        say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        going.set()
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
