"""A conduit service in a process of its own, to be killed: `conduitprocess.py FOLDER GRPC HEALTH UDP SPEC`.

It writes a line when it is ready.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

import uvloop

from conduitserver import ConduitServer
from forebay.runtime import configure_logs
from ports import free_port


class ConduitProcess:
    """One such process; it may be killed and started again."""

    def __init__(self, folder: Path, **spec: Any) -> None:
        self.ports = free_port(), free_port(), free_port()
        self._arguments = [str(folder), *map(str, self.ports), json.dumps(spec)]
        self._process: asyncio.subprocess.Process

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.ports[0]}"

    @property
    def place(self) -> str:
        """Where peers reach it."""
        return f"udp/127.0.0.1:{self.ports[2]}"

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(Path(__file__)),
            *self._arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert self._process.stdout
        while await self._process.stdout.readline() != b"serving\n":
            assert self._process.returncode is None

    async def kill(self) -> None:
        """End it as a power loss does."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()


async def main() -> None:
    folder, grpc, health, udp, spec = sys.argv[1:]
    configure_logs()
    server = ConduitServer(Path(folder), "press", **json.loads(spec))
    server.uids["ConduitNode/press"] = "0f"
    server.grpc_port, server.health_port, server.udp_port = int(grpc), int(health), int(udp)
    await server.start()
    sys.stdout.write("serving\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
