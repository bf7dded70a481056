"""A way into a pod that lasts: when it breaks, since the pod was replaced, it is made again on the same port."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random

from forebay.cli.kubectl.errors import KubectlError
from forebay.cli.kubectl.portforward import PortForward
from forebay.runtime import Backoff, BackoffSettings, SystemClock

BACKOFF = BackoffSettings(0.5, 5.0)
ANY_PORT = 0

Command = Callable[[int], Sequence[str]]
"""The command line that forwards a port of this machine; of any free port, if that is 0."""


@asynccontextmanager
async def tunnel(command: Command) -> AsyncIterator[int]:
    """A port of 127.0.0.1 that leads into a pod. Raises `KubectlError` when the first try to open it fails."""
    forward = await PortForward.start(command(ANY_PORT))
    port = forward.port
    keeping = asyncio.create_task(_keep(forward, command(port)))
    try:
        yield port
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


async def _keep(forward: PortForward, command: Sequence[str]) -> None:
    while True:
        try:
            await forward.ended()
        finally:
            await forward.end()
        forward = await _reopened(command)


async def _reopened(command: Sequence[str]) -> PortForward:
    backoff = Backoff(BACKOFF, SystemClock(), Random())  # noqa: S311 spreads tries, guards nothing
    while True:
        await asyncio.sleep(backoff.fail())
        try:
            return await PortForward.start(command)
        except KubectlError:
            # The calls that wait for the pod tell of it.
            continue
