"""A running Valkey, and spill clients on it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from forebay.spill import Kind, Spill, SpillSettings, Spool, SpoolSettings
from peers.valkey import Valkey, run_valkey

QUICK = SpoolSettings(rotate_bytes=100, rotate_age=0)
"""Streams that are full soon and never too young to be closed."""


@pytest.fixture
async def valkey() -> AsyncIterator[Valkey]:
    async with run_valkey() as server:
        yield server


@asynccontextmanager
async def connect(url: str, *, ready: bool = True, **settings: object) -> AsyncIterator[Spill]:
    """A client of its own, closed without giving leases back: as if its process had been killed."""
    spill = Spill(SpillSettings(url, reconnect_max=0.3, **settings), "outfeed", "uid")  # type: ignore[arg-type]
    try:
        if ready:
            await spill.ready()
        yield spill
    finally:
        await spill.close()


@pytest.fixture
async def clients(valkey: Valkey) -> AsyncIterator[Callable[..., object]]:
    """Make clients of the running Valkey; all are closed at the end."""
    async with AsyncExitStack() as stack:

        async def make(**settings: object) -> Spill:
            return await stack.enter_async_context(connect(valkey.url, **settings))

        yield make


@pytest.fixture
async def spill(valkey: Valkey) -> AsyncIterator[Spill]:
    async with connect(valkey.url) as client:
        yield client


@pytest.fixture
async def spool(spill: Spill) -> Spool:
    """A loaded spool whose streams are closed at 100 octets, whatever their age."""
    spool = spill.spool("peer", QUICK)
    await spool.load()
    return spool


async def contents(spool: Spool) -> dict[Kind, list[bytes]]:
    """All entries by kind of stream."""
    found: dict[Kind, list[bytes]] = {kind: [] for kind in Kind}
    async for held in spool.iterate(count=7):
        found[held.kind] += [entry.data for entry in held.entries]
    return found


async def drain(spool: Spool, count: int = 10) -> list[bytes]:
    """Read and acknowledge all there is, until nothing can be promoted."""
    drained: list[bytes] = []
    while True:
        if entries := await spool.read(count):
            drained += [entry.data for entry in entries]
            spool.ack([entry.id for entry in entries])
        elif not (await spool.promote(0)).done:
            return drained
