"""The jobs of Spark on two cores: `python -m bench.spark_bench` in tests/.

compact-spill beside plain Python on the same Valkey: 200,000 entries, a third of them repeats; SCALE=10 for 2,000,000.
What the driver's memory depends on shows between that and a tenth of it. verify-messages: see `bench.verify_bench`.
"""

import asyncio
import gc
import json
import os
import random
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import psutil
from redis import Redis

from bench import verify_bench
from bench.sparkjobs import job, warmed_up
from forebay.spill.keys import Kind, OwnerKeys, owner_of, registry_key
from peers.valkey import Valkey, run_valkey
from spillcontents import SERVICE, UID, Segment, fill, streams, token

ENTRIES = 200_000 * int(os.environ.get("SCALE", "1"))
ROTATE_BYTES = 10_000_000
EPOCH = 1_700_000_000_000
SOURCE, WORK = 0, 1
"""Databases: what was filled once, and the copy that is compacted."""
HEAD = struct.Struct(">QQIH")
BATCH = 1000


class Run(NamedTuple):
    """One compaction."""

    seconds: float
    left: int
    """Entries afterwards."""
    start: float = 0.0
    """Seconds until Spark was up."""
    peak: dict[str, int] = {}  # noqa: RUF012 nobody changes it
    """Octets of memory of the driver's processes."""


def main() -> None:
    with warmed_up():
        many = asyncio.run(bench())
        verify_bench.main()
    print("spark ours={:.0f} rival={:.0f} ratio={:.2f}".format(*many))


async def bench() -> tuple[float, float, float]:
    async with run_valkey() as server:
        measure(server, 100, ENTRIES // 10)
        many = measure(server, 100, ENTRIES)
        measure(server, 1, ENTRIES)
    return many


def measure(server: Valkey, owners: int, entries: int) -> tuple[float, float, float]:
    """Compact the same entries both ways, print what that took; entries/s of ours and of the rival, and their ratio."""
    with Redis(port=server.port) as client:
        client.flushall()
        for number in range(owners):
            fill(client, f"peer{number}", {Kind.BACKLOG: segments(number, entries // owners)})
        rival = compacted(server, plain)
        ours = compacted(server, spark)
    assert rival.left == ours.left, (rival, ours)
    rates = entries / ours.seconds, entries / rival.seconds
    print(f"{entries} entries of {owners} owners, {ours.left} left: Spark was up after {ours.start:.1f} s, then:")
    print(f"  spark {rates[0]:10,.0f} entries/s, memory at most {', '.join(map(shown, ours.peak.items()))}")
    print(f"  plain {rates[1]:10,.0f} entries/s    ratio {rates[0] / rates[1]:.2f}", flush=True)
    return *rates, rates[0] / rates[1]


def shown(peak: tuple[str, int]) -> str:
    return f"{peak[1] / 1e6:.0f} MB {peak[0]}"


def segments(owner: int, entries: int) -> list[Segment]:
    """Closed segments of 60,000 entries; each third entry repeats one of the last thousand articles."""
    chance = random.Random(owner)
    rows = []
    for number in range(entries):
        article = number - chance.randrange(1, 1000) if number % 3 == 2 and number > 1000 else number
        data = token(f"article.{owner}.{article}", seq=number, arrival=EPOCH + number // 10)
        rows.append((b"%d-%d" % (EPOCH + number // 10, number % 10), data))
    return [rows[start : start + 60_000] for start in range(0, entries, 60_000)]


def compacted(server: Valkey, contender: Callable[[Valkey], Run]) -> Run:
    """Let one contender compact a copy of what was filled."""
    with Redis(port=server.port, db=WORK) as work, Redis(port=server.port, db=SOURCE) as source:
        work.flushdb()
        for key in source.scan_iter(count=1000):
            source.copy(key, key, destination_db=WORK)
        run = contender(server)
        owners = map(owner_of, work.smembers(registry_key(SERVICE, UID)))
        left = sum(work.xlen(stream) for owner in owners for stream in streams(work, owner)[Kind.BACKLOG])
    return run._replace(left=left)


def spark(server: Valkey) -> Run:
    """The job as users run it."""
    command = job("compact-spill", "--uid", UID, "--url", f"{server.url}/{WORK}")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = watched(process)
        said = process.stdout.read() if process.stdout else ""
    assert process.returncode == 0, said
    figures = json.loads(said.splitlines()[-1])["figures"]
    return Run(figures["seconds"], 0, figures["startSeconds"], peak)


def watched(process: "subprocess.Popen[str]") -> dict[str, int]:
    """The most memory that the driver's Python, and its Java, had at any time."""
    peak = {"Python": 0, "Java": 0}
    driver = psutil.Process(process.pid)
    while process.poll() is None:
        with_java = [driver, *(child for child in driver.children() if child.name() == "java")]
        for name, each in zip(peak, with_java, strict=False):
            peak[name] = max(peak[name], each.memory_info().rss)
        time.sleep(0.1)
    return peak


def plain(server: Valkey) -> Run:
    """One process: an owner at a time, reads and appends in batches of 1,000."""
    with Redis(port=server.port, db=WORK, protocol=2) as client:
        client.set_response_callback("XRANGE", lambda reply, **_: reply)
        gc.disable()
        began = time.perf_counter()
        for owner in map(owner_of, client.smembers(registry_key(SERVICE, UID))):
            compact(client, owner)
        seconds = time.perf_counter() - began
        gc.enable()
    return Run(seconds, 0)


def compact(client: Redis, owner: str) -> None:
    keys, inputs = OwnerKeys(SERVICE, UID, owner), streams(client, owner)[Kind.BACKLOG]
    first: dict[bytes, tuple[int, int, int, int, bytes]] = {}
    for entry_id, data in read(client, inputs):
        seq, arrival, _, tries = HEAD.unpack_from(data)
        message_id, appended = data[HEAD.size :], int(entry_id.split(b"-")[0])
        seen = first.get(message_id)
        if seen is None:
            first[message_id] = arrival, seq, tries, appended, data
        else:
            earlier = min(seen, (arrival, seq, tries, appended, data))
            first[message_id] = *earlier[:2], max(tries, seen[2]), min(appended, seen[3]), earlier[4]
    outputs = write(client, keys, sorted(first.values()))
    with client.pipeline() as commit:
        commit.delete(*inputs)
        commit.hset(keys.meta, Kind.BACKLOG.value, " ".join(map(str, outputs)))
        commit.execute()


def read(client: Redis, inputs: list[str]) -> Iterator[tuple[bytes, bytes]]:
    for stream in inputs:
        start = b"-"
        while batch := client.execute_command("XRANGE", stream, start, "+", "COUNT", BATCH):
            for entry_id, (_, data) in batch:
                yield entry_id, data
            start = b"(" + batch[-1][0]


def write(client: Redis, keys: OwnerKeys, rows: list[tuple[int, int, int, int, bytes]]) -> list[int]:
    """Write segments of 10 MB whose ids rise; their numbers."""
    number, room, last, count = 1000, ROTATE_BYTES, 0, 0
    for start in range(0, len(rows), BATCH):
        with client.pipeline(transaction=False) as pipeline:
            for _, _, tries, appended, data in rows[start : start + BATCH]:
                last, count = (appended, 0) if appended > last else (last, count + 1)
                entry = data[:20] + tries.to_bytes(2, "big") + data[22:]
                pipeline.execute_command(
                    "XADD", keys.stream(Kind.BACKLOG, number), b"%d-%d" % (last, count), b"e", entry
                )
                room -= len(data)
                if room <= 0:
                    number, room = number + 1, ROTATE_BYTES
            pipeline.execute()
    return list(range(1000, number + 1))


if __name__ == "__main__":
    main()
