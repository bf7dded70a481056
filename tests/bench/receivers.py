"""The peers that articles are sent to in benches, each telling the rate at which it took them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench.common import scratch_folder
from conftest import SHARED
from peers.inn import InnPeer
from ports import free_port

DISCARD = Path(__file__).parent.parent / "peers" / "discard.py"


class Receiver:
    """A running peer. `articles` and `seconds` hold its own account once it has stopped."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.articles = 0
        self.seconds = 0.0
        self.cpu = 0.0
        """Seconds of CPU that it used while the articles came."""
        self.kept = 0.0
        """Seconds in which it wanted to run meanwhile, and all cores were busy with others."""

    @property
    def load(self) -> float:
        """How much of one core it used; at 1 it is the limit, since it has one thread."""
        return self.cpu / self.seconds

    @property
    def waiting(self) -> float:
        """How much of the time it was kept from running."""
        return self.kept / self.seconds

    @property
    def rate(self) -> float:
        """Articles a second, from the first offer or acceptance to the last acceptance."""
        return self.articles / self.seconds


class Schedule(NamedTuple):
    """Seconds that a process of one thread has run, and that it was kept from running."""

    ran: float
    kept: float

    def __sub__(self, before: "Schedule") -> "Schedule":
        return Schedule(self.ran - before.ran, self.kept - before.kept)


def schedule(pid: int) -> Schedule:
    """As Linux has it (proc(5), schedstat)."""
    ran, kept, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    return Schedule(int(ran) / 1e9, int(kept) / 1e9)


@asynccontextmanager
async def discarding() -> AsyncIterator[Receiver]:
    """A peer that answers in bulk and keeps nothing."""
    process = await asyncio.create_subprocess_exec(sys.executable, DISCARD, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    receiver = Receiver(json.loads(await process.stdout.readline())["port"])
    started = schedule(process.pid)
    try:
        yield receiver
    finally:
        receiver.cpu, receiver.kept = schedule(process.pid) - started
        process.terminate()
        summary = json.loads(await process.stdout.readline())
        receiver.articles, receiver.seconds = summary["articles"], summary["seconds"]
        await process.wait()


@asynccontextmanager
async def innd() -> AsyncIterator[Receiver]:
    """A real INN with an empty spool."""
    with scratch_folder() as folder:
        peer = InnPeer(SHARED / "peers" / "inn-peer.sh", folder / "peer", free_port())
        await peer.start()
        receiver = Receiver(peer.port)
        pid = int((folder / "peer" / "pid").read_text())
        started = schedule(pid)
        try:
            yield receiver
            receiver.cpu, receiver.kept = schedule(pid) - started
            times = [line.seconds for line in await peer.log() if line.sign == "+"]
            receiver.articles, receiver.seconds = len(times), times[-1] - times[0]
        finally:
            peer.kill()


MakeReceiver = Callable[[], AbstractAsyncContextManager[Receiver]]
RECEIVERS: dict[str, MakeReceiver] = {"discard": discarding, "innd": innd}
