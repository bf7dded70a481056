"""A scripted NNTP peer for the answers that a real server seldom gives, and its events as they happen."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One command that the peer got, or what befell a connection."""

    at: float
    """Seconds since the peer's start."""
    connection: int
    name: str
    """CHECK, TAKETHIS, IHAVE, MODE ... or open, eof, lost."""
    message_id: bytes
    reply: str
    """The code that it answered with, "dropped" or nothing."""


class FakePeer:
    """The script as a process of its own; its modes are those of the script's `--mode`."""

    def __init__(self, script: Path, mode: str = "ok", *options: object, port: int = 0) -> None:
        self.command = [str(part) for part in (script, "--mode", mode, *options)]
        self.port = port
        self.events: list[Event] = []
        self.have: set[bytes] = set()

    async def start(self) -> None:
        """Start it and wait until it listens; `port` is then the port it took. It has no articles."""
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, *self.command, "--port", str(self.port), stdout=asyncio.subprocess.PIPE, limit=1 << 26
        )
        self.port = (await self.next_line())["port"]
        self.reading = asyncio.create_task(self.read())

    async def stop(self) -> None:
        """End it; `have` then holds the message-ids of the articles that it kept."""
        if self.process.returncode is None:
            self.process.terminate()
        await self.reading
        await self.process.wait()

    async def kill(self) -> None:
        """End it at once, as a machine that goes away; connections break and `have` stays as it was."""
        self.process.kill()
        await self.reading
        await self.process.wait()

    def replies(self, name: str) -> list[tuple[bytes, str]]:
        """The message-id and answer of every command of that name, in order."""
        return [(event.message_id, event.reply) for event in self.events if event.name == name]

    async def read(self) -> None:
        while line := await self.next_line():
            if line["event"] == "summary":
                self.have = {message_id.encode("latin-1") for message_id in line["have"]}
            else:
                message_id = line.get("id", "").encode("latin-1")
                self.events.append(Event(line["t"], line["conn"], line["event"], message_id, line.get("reply", "")))

    async def next_line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        return json.loads(line) if line else {}
