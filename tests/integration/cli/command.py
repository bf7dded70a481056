"""The `forebay` command as a process, and manifests on free ports."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from eventually import eventually
from ports import free_port

CHECKOUT = Path(__file__).parents[3]
QUICKSTART = CHECKOUT / "examples" / "quickstart"
ARTICLES = CHECKOUT / "examples" / "articles"
FOREBAY = Path(sys.executable).with_name("forebay")


class Result(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


async def forebay(*arguments, stdin=b"", within=60.0, **environment) -> Result:
    """Run a command to its end."""
    process = await asyncio.create_subprocess_exec(
        FOREBAY,
        *map(str, arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **environment},
    )
    try:
        async with asyncio.timeout(within):
            out, err = await process.communicate(stdin)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Result(process.returncode, out.decode(), err.decode())


class Running:
    """A command that goes on."""

    def __init__(self, process):
        self.process = process
        self.entries = []
        """Its log."""
        self.out = []
        """Lines of its standard output."""
        self.readers = [asyncio.ensure_future(self.read_log()), asyncio.ensure_future(self.read_out())]

    async def read_log(self):
        async for line in self.process.stderr:
            if line.startswith(b"{"):
                self.entries.append(json.loads(line))

    async def read_out(self):
        async for line in self.process.stdout:
            self.out.append(line.decode())

    def events(self, event):
        return [entry for entry in self.entries if entry["event"] == event]

    async def logged(self, event, times=1):
        await eventually(lambda: self.process.returncode is not None or len(self.events(event)) >= times)
        found = self.events(event)
        assert len(found) >= times, self.entries[-5:]
        return found[-1]

    async def ended(self, number=signal.SIGTERM):
        """Its exit status, after a signal."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        async with asyncio.timeout(40):
            status = await self.process.wait()
            await asyncio.gather(*self.readers)
        return status


@asynccontextmanager
async def started(*arguments) -> AsyncIterator[Running]:
    """A command until it is left."""
    process = await asyncio.create_subprocess_exec(
        FOREBAY,
        *map(str, arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin"},
    )
    running = Running(process)
    try:
        yield running
    finally:
        await running.ended()


def quickstart(folder: Path) -> int:
    """Copy the quick start into a folder, on ports that are free; the gRPC port of the hub."""
    files = {path.name: path.read_text() for path in QUICKSTART.glob("*.yaml")}
    ports = {port: free_port() for base in (7119, 7129, 7139) for port in range(base, base + 3)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        for port, free in ports.items():
            text = text.replace(f"port: {port}", f"port: {free}")
        (folder / name).write_text(text)
    return ports[7119]
