"""The feed log alone: append, release, flush, open and memory, on the disk that holds the temporary folder.

Run: python tests/bench/feedlog_bench.py [ENTRIES]
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import uvloop

from forebay.feedlog.logsegment import LogRecord
from forebay.msgstore.disk import RealDisk
from forebay.outfeed.log.checkpoint import Checkpoint
from forebay.outfeed.log.feedlog import FeedLog, FeedLogSettings
from forebay.outfeed.log.outcomefiles import OutcomeLogSettings
from forebay.outfeed.log.outcomelog import OutcomeLog
from forebay.outfeed.token import Token
from forebay.runtime.clock import SystemClock

BATCH = 200
IN_FLIGHT = 8


@contextmanager
def timed(what: str, count: int) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what:34} {count / wall:12,.0f}/s  {wall * 1e6 / count:7.3f} us  cpu {cpu * 1e6 / count:7.3f} us each")


def records(first: int, count: int, peers: int) -> list[LogRecord]:
    return [
        LogRecord(b"<article.%d.bench@news.example.org>" % n, 1_700_000_000_000 + n, 2048, b"comp.lang.python", peers)
        for n in range(first, first + count)
    ]


async def append(log: FeedLog, entries: int, peers: int) -> None:
    batches = [records(first, BATCH, peers) for first in range(0, entries, BATCH)]
    queue = iter(batches)

    async def sender() -> None:
        for batch in queue:
            await log.append(batch)

    with timed(f"append, batches of {BATCH}, {IN_FLIGHT} senders", entries):
        await asyncio.gather(*(sender() for _ in range(IN_FLIGHT)))


def read_all(log: FeedLog, peer: int) -> list[Token]:
    tokens: list[Token] = []
    cursor = 0
    while cursor < log.head:
        some, cursor = log.read(cursor, 1000, peer)
        tokens += some
    return tokens


async def release(log: FeedLog, tokens: list[Token]) -> None:
    with timed("release, batches of 100", len(tokens)):
        for first in range(0, len(tokens), 100):
            log.release(0, tokens[first : first + 100])
    with timed("flush of all that", len(tokens)):
        await log.flush()


def window(tokens: list[Token]) -> None:
    checkpoint = Checkpoint(-1)
    seqs = [token.seq for token in tokens]
    with timed("checkpoint window, in order", len(seqs)):
        for first in range(0, len(seqs), 100):
            some = seqs[first : first + 100]
            checkpoint.add(some)
            checkpoint.done(some)


def outcomes(disk: RealDisk, log: FeedLog, tokens: list[Token]) -> None:
    outcome_log = OutcomeLog(disk, OutcomeLogSettings(pending=len(tokens)), SystemClock(), log.groups_of)
    with timed("outcomes handed over, 100 at once", len(tokens)):
        for first in range(0, len(tokens), 100):
            outcome_log.add("peer", "accepted", "239", tokens[first : first + 100])
    with timed("outcomes written, the rest of them", len(tokens)):
        outcome_log.close()
    assert not outcome_log.lost + outcome_log.unwritten


async def main(entries: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        disk = RealDisk(folder)
        process = psutil.Process()
        log = FeedLog.open(disk, FeedLogSettings(limit=1 << 40))
        await log.add_peer("one")
        await append(log, entries, 1)
        await log.close()
        del log
        before = process.memory_info().rss
        with timed("open", entries):
            log = FeedLog.open(disk, FeedLogSettings(limit=1 << 40))
        print(f"{'memory after open':34} {(process.memory_info().rss - before) / 1e6:12.1f} MB more than before")
        bits = sum(sys.getsizeof(s._bits) + sys.getsizeof(s.groups) for s in log._ownership.segments.values())
        print(f"{'bits and groups':34} {bits / 1e6:12.1f} MB")
        with timed("references", entries):
            assert sum(count for _, count in log.references()) == entries
        with timed("read, 1000 at once", entries):
            tokens = read_all(log, 0)
        assert len(tokens) == entries
        window(tokens)
        with timed("groups_of, 100 at once", entries):
            for first in range(0, entries, 100):
                log.groups_of([token.seq for token in tokens[first : first + 100]])
        outcomes(disk, log, tokens)
        await release(log, tokens)
        log.history_mark = log.head
        await log.append(records(entries, 1, 0))
        with timed("tidy: delete all segments", entries):
            await log.tidy()
        await log.close()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
