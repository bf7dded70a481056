"""A router in a process of its own, to be killed: `routerprocess.py PORT [ROUTER DOMAIN PEER...]`.

It writes a line when it is ready.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

import uvloop

from forebay.router.links.settings import LinksSettings
from forebay.router.settings import RouterSettings
from forebay.runtime import BackoffSettings, configure_logs
from routers import Router

PATIENT = 2.0
"""Seconds for which messages wait for threads that may be about to attach."""


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


async def main(port: str, name: str = "router-0", domain: str = "local", *peers: str) -> None:
    configure_logs()
    links = LinksSettings(peers=peers, backoff=BackoffSettings(0.05, 0.3))
    await Router(RouterSettings(router=name, domain=domain, grace=PATIENT), links, int(port)).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
