"""The peers that articles are sent to in benches, each telling the rate at which it took them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from bench.common import cost, scratch_folder
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

    @property
    def load(self) -> float:
        """How much of one core it used; at 1 it is the limit, since it has one thread."""
        return self.cpu / self.seconds

    @property
    def rate(self) -> float:
        """Articles a second, from the first offer or acceptance to the last acceptance."""
        return self.articles / self.seconds


@asynccontextmanager
async def discarding() -> AsyncIterator[Receiver]:
    """A peer that answers in bulk and keeps nothing."""
    process = await asyncio.create_subprocess_exec(sys.executable, DISCARD, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    receiver = Receiver(json.loads(await process.stdout.readline())["port"])
    started = cost(process.pid)
    try:
        yield receiver
    finally:
        receiver.cpu = (cost(process.pid) - started).cpu
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
        started = cost(pid)
        try:
            yield receiver
            receiver.cpu = (cost(pid) - started).cpu
            times = [line.seconds for line in await peer.log() if line.sign == "+"]
            receiver.articles, receiver.seconds = len(times), times[-1] - times[0]
        finally:
            peer.kill()


MakeReceiver = Callable[[], AbstractAsyncContextManager[Receiver]]
RECEIVERS: dict[str, MakeReceiver] = {"discard": discarding, "innd": innd}
