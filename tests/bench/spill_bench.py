"""Rates of a spool beside a plain pipeline of XADD, on one Valkey: `python tests/bench/spill_bench.py`."""

import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import uvloop
from redis.asyncio import Redis

sys.path.insert(0, str(Path(__file__).parents[1]))

from forebay.spill import Kind, Spill, SpillSettings, Spool
from peers.valkey import run_valkey

SCALE = int(os.environ.get("SCALE", "1"))
ENTRIES = 100_000 * SCALE
ROUNDS = 3
READ = 1000
TOKEN = 70


async def main() -> None:
    entries = [os.urandom(TOKEN) for _ in range(ENTRIES)]
    async with run_valkey() as server:
        spill = Spill(SpillSettings(server.url), "bench", "uid")
        await spill.ready()
        spool = spill.spool("owner")
        await spool.load()
        figures: dict[str, list[float]] = {"xadd": [], "append": [], "read": [], "ack": []}
        for _ in range(ROUNDS):
            figures["xadd"].append(await timed(lambda: plain(server.port, entries)))
            figures["append"].append(await timed(lambda: append(spool, entries)))
            batches: list[list[bytes]] = []
            figures["read"].append(await timed(partial(read, spool, batches)))
            figures["ack"].append(await timed(partial(ack, spool, batches)))
        await spill.close()
    median = {name: statistics.median(rates) for name, rates in figures.items()}
    print(f"{ENTRIES} entries of {TOKEN} octets, {ROUNDS} rounds, medians in entries/s")
    for name, rate in median.items():
        print(f"  {name:10} {rate:10,.0f}")
    print(f"spill ours={median['append']:.0f} rival={median['xadd']:.0f} ratio={median['append'] / median['xadd']:.2f}")


async def timed(work: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await work()
    return ENTRIES / (time.perf_counter() - began)


async def append(spool: Spool, entries: list[bytes]) -> None:
    await spool.append(Kind.BACKLOG, entries)


async def read(spool: Spool, batches: list[list[bytes]]) -> None:
    assert (await spool.promote(0)).done
    while batch := await spool.read(READ):
        batches.append([entry.id for entry in batch])


async def ack(spool: Spool, batches: list[list[bytes]]) -> None:
    for batch in batches:
        spool.ack(batch)
        await spool.checkpoint()
    assert spool.state.resend.entries == 0


async def plain(port: int, entries: list[bytes]) -> None:
    async with Redis(port=port, protocol=2) as client:
        for start in range(0, len(entries), 1000):
            async with client.pipeline(transaction=False) as pipeline:
                for entry in entries[start : start + 1000]:
                    pipeline.xadd("plain", {"e": entry})
                await pipeline.execute()
        await client.delete("plain")


if __name__ == "__main__":
    uvloop.run(main())
