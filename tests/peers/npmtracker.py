"""The tracker and the client of npm's bittorrent-tracker; `npm ci --ignore-scripts` in tests/peers/npm brings them."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from eventually import eventually
from peers.process import run
from ports import free_port
from processes import Running

FOLDER = Path(__file__).with_name("npm")


def lacking() -> str:
    """Why it cannot be run; empty: it can."""
    if shutil.which("node") is None:
        return "needs node: apt-get install --no-install-recommends nodejs npm"
    if not (FOLDER / "node_modules").is_dir():
        return "needs bittorrent-tracker: npm ci --ignore-scripts in tests/peers/npm"
    return ""


@asynccontextmanager
async def run_npm_tracker(log: Path) -> AsyncIterator[Running]:
    """Run the tracker; `port` of what is given is where it takes announces over HTTP and UDP."""
    port = free_port()
    running = Running(["node", FOLDER / "server.js", port], log)
    running.port = port  # type: ignore[attr-defined]
    try:
        await eventually(lambda: "listening" in log.read_text())
        yield running
    finally:
        running.kill()


async def npm_announce(url: str, info_hash: bytes, port: int) -> dict[str, Any]:
    """Announce with the client; what it heard: complete, incomplete and peers, or error."""
    answer: dict[str, Any] = json.loads(await run("node", FOLDER / "client.js", url, info_hash.hex(), port))
    return answer
