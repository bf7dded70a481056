"""A router in a process of its own, to be killed: `routerprocess.py PORT [--spill URL] [ROUTER DOMAIN PEER...]`.

It writes a line when it is ready. One with a Spill has little room, and is patient with processes that give no sign.
"""

import asyncio
import os
import sys
from argparse import ArgumentParser
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

import uvloop

from forebay.router.links.settings import LinksSettings
from forebay.router.settings import OutletLimits, RouterSettings
from forebay.runtime import BackoffSettings, configure_logs
from forebay.spill import Spill, SpillSettings
from routers import Router

PATIENT = 2.0
"""Seconds for which messages wait for threads that may be about to attach."""
SMALL = OutletLimits(high=100_000, low=50_000, most=200_000, response=50_000)


class RouterProcess:
    """One such process; it may be killed and started again."""

    def __init__(self, port: int, *arguments: str):
        self.address = f"127.0.0.1:{port}"
        self._arguments = [str(port), *arguments]
        self._process: asyncio.subprocess.Process

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(Path(__file__)),
            *self._arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert self._process.stdout
        assert await self._process.stdout.readline() == b"ready\n"

    async def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()


@asynccontextmanager
async def router_process(port: int, *arguments: str):
    router = RouterProcess(port, *arguments)
    await router.start()
    try:
        yield router
    finally:
        await router.kill()


async def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--spill", default="")
    parser.add_argument("name", nargs="?", default="router-0")
    parser.add_argument("domain", nargs="?", default="local")
    parser.add_argument("peers", nargs="*")
    given = parser.parse_args()
    configure_logs()
    links = LinksSettings(peers=given.peers, backoff=BackoffSettings(0.05, 0.3))
    settings = RouterSettings(router=given.name, domain=given.domain, grace=PATIENT)
    if given.spill:
        settings = replace(settings, heartbeat=60.0, outlets=SMALL)
    router = Router(settings, links, given.port)
    await router.start()
    if given.spill:
        router.node.spill(Spill(SpillSettings(url=given.spill, holder="ab"), "router", "uid"), given.name)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
