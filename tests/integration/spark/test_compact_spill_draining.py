"""compact-spill while a service appends to the same owner and drains it."""

import asyncio
from collections import Counter

from forebay.spill import Kind, Spool, SpoolSettings
from forebay_spark.compaction import Rules
from forebay_spark.jobs import compact_spill
from forebay_spark.owners import Work
from forebay_spark.place import SpillPlace
from forebay_spark.split import compact_split
from integration.spill.conftest import connect, drain
from spillcontents import SERVICE, UID, token
from spillstrategies import EPOCH

SMALL = SpoolSettings(rotate_bytes=5000, rotate_age=0)
ARTICLES = 1500


def articles(start: int) -> list[bytes]:
    """So many articles from one on, each twice."""
    return [
        token(number, seq=number, arrival=EPOCH + number) for number in range(start, start + ARTICLES) for _ in "12"
    ]


async def drain_and_append(spool: Spool, compacted: asyncio.Event) -> list[bytes]:
    """Drain, and append in between; go on till the compaction is over, and to the end of what is left."""
    drained: list[bytes] = []
    for start in range(ARTICLES, 5 * ARTICLES, ARTICLES):
        await spool.append(Kind.BACKLOG, articles(start))
        for _ in range(20):
            if not (entries := await spool.read(50)):
                await spool.promote(0)
            drained += [entry.data for entry in entries]
            spool.ack([entry.id for entry in entries])
            await spool.checkpoint()
    await compacted.wait()
    return drained + await drain(spool)


async def test_nothing_is_lost_doubled_or_put_behind_what_came_later(spark, valkey) -> None:
    work = Work(SpillPlace(SERVICE, UID, valkey.url), Rules(), 5000)

    def compact() -> None:
        for _ in range(3):
            list(compact_spill.compact_owners(work, ["peer"]))
        compact_split(spark, "peer", work)

    async with connect(valkey.url) as spill:
        spool, compacted = spill.spool("peer", SMALL), asyncio.Event()
        await spool.load()
        await spool.append(Kind.BACKLOG, articles(0))
        draining = asyncio.create_task(drain_and_append(spool, compacted))
        await asyncio.to_thread(compact)
        compacted.set()
        drained = await draining
    times = Counter(drained)
    assert set(times) == {data for start in range(0, 5 * ARTICLES, ARTICLES) for data in articles(start)}
    assert set(times.values()) <= {1, 2}
    first = sorted(times, key=drained.index)
    assert first == sorted(first, key=lambda data: data[:8])
