"""A router for the bench, in a process of its own: `python -m bench.routerprocess PORT`."""

import asyncio
import sys

import uvloop

from forebay.runtime import configure_logs
from routers import AT_ONCE, Router


async def main() -> None:
    configure_logs()
    await Router(AT_ONCE, port=int(sys.argv[1])).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
