"""The trackers that are compared, each as a process of its own on loopback."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from announcerserver import AnnouncerServer
from bench.common import scratch_folder
from conftest import SHARED
from peers import npmtracker, opentracker

SCRIPT = SHARED / "peers" / "opentracker.sh"


class Place(NamedTuple):
    """A tracker that runs."""

    port: int
    """Where it takes announces, over HTTP and over UDP."""
    pid: int


Side = Callable[[Sequence[bytes]], AbstractAsyncContextManager[Place]]
"""Runs a fresh tracker for some torrents."""


def announcer(folder: Path) -> AnnouncerServer:
    """Ours, not started."""
    return AnnouncerServer(folder, swarms={"maxPeers": 2_000_000})


@asynccontextmanager
async def ours(torrents: Sequence[bytes]) -> AsyncIterator[Place]:
    """The whole service."""
    with scratch_folder() as folder:
        server = announcer(folder)
        await server.start()
        assert server.running is not None
        try:
            yield Place(server.port, server.running.process.pid)
        finally:
            server.running.kill()


@asynccontextmanager
async def open_tracker(torrents: Sequence[bytes]) -> AsyncIterator[Place]:
    """Debian's opentracker, which serves no torrents but those that it is given."""
    with opentracker.run_opentracker(SCRIPT, torrents) as place:
        yield Place(*place)


@asynccontextmanager
async def npm(torrents: Sequence[bytes]) -> AsyncIterator[Place]:
    """The tracker of npm's bittorrent-tracker."""
    with scratch_folder() as folder:
        async with npmtracker.run_npm_tracker(folder / "log") as running:
            yield Place(running.port, running.process.pid)  # type: ignore[attr-defined]


def lacking() -> str:
    """What is missing here to run them, with the remedy; empty when nothing is."""
    if reason := opentracker.lacking() or npmtracker.lacking():
        return reason
    return "" if SCRIPT.is_file() else f"needs {SCRIPT.name} in the folder that FOREBAY_SHARED names"
