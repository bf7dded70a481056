"""How fast the message store is: put, read, remove, recover. Usage: msgstore_bench.py [--messages N] [--folder DIR]."""

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop

sys.path.insert(0, str(Path(__file__).parents[1]))

from eventually import eventually
from forebay.msgstore import MessageStore, Put, RealDisk, StoreSettings
from messagestores import abandon

SENDERS = 8
FILE = StoreSettings().file_size


@contextmanager
def timed(what: str, count: int) -> Iterator[None]:
    begun, used = time.perf_counter(), time.process_time()
    yield
    seconds, used = time.perf_counter() - begun, time.process_time() - used
    figures = f"{count / seconds:12,.0f}/s {seconds / count * 1e6:8.2f} us each, CPU {used / count * 1e6:8.2f} us"
    print(f"{what:44} {figures} {seconds:8.2f} s", flush=True)


async def put_all(store: MessageStore, ids: list[bytes], body: bytes, batch: int) -> None:
    batches = iter([ids[first : first + batch] for first in range(0, len(ids), batch)])

    async def send() -> None:
        for some in batches:
            await store.put([Put(id, (body,)) for id in some])

    await asyncio.gather(*(send() for _ in range(SENDERS)))


def read_all(store: MessageStore, ids: list[bytes], many: int) -> None:
    for first in range(0, len(ids), many):
        bodies = store.read(ids[first : first + many])
        assert None not in bodies


def new_ids(count: int) -> list[bytes]:
    return [os.urandom(16) for _ in range(count)]


async def measure(folder: Path, count: int) -> None:
    small, large = os.urandom(2048), os.urandom(750_000)
    store = MessageStore.open(RealDisk(folder))
    kept = []
    for batch in (100, 1000):
        ids = new_ids(count)
        with timed(f"put 2 KB, batches of {batch}, {SENDERS} senders", count):
            await put_all(store, ids, small, batch)
        kept += ids
    for many in (100, 1):
        ids = kept if many > 1 else kept[: count // 5]
        store.read(ids[:100])
        with timed(f"read 2 KB, {many} a call", len(ids)):
            read_all(store, ids, many)
    big = new_ids(200)
    with timed("put 750 KB, one a batch", len(big)):
        await put_all(store, big, large, 1)
    with timed("read 750 KB, one a call", len(big)):
        read_all(store, big, 1)
    with timed("remove 9 of 10", len(kept) * 9 // 10):
        for first in range(0, len(kept), 100):
            store.remove([id for n, id in enumerate(kept[first : first + 100]) if n % 10])
    with timed("collect (octets of disk given back)", 2 * count * 2048 * 9 // 10):
        await eventually(lambda: store.stats.garbage_bytes <= store.stats.live_bytes + 2 * FILE)
    print(store.stats)
    store.close()


async def measure_recovery(folder: Path, count: int) -> None:
    store = MessageStore.open(RealDisk(folder))
    await put_all(store, new_ids(count), os.urandom(1024), 1000)
    store.close()
    for what in ("clean", "dirty"):
        with timed(f"{what} start, {count:,} messages of 1 KB", count):
            store = MessageStore.open(RealDisk(folder))
        assert store.report.clean == (what == "clean")
        abandon(store)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="on the disk to be measured; by default a temporary one")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="msgstore-bench-", dir=arguments.folder))
    try:
        uvloop.run(measure(folder / "rates", arguments.messages))
        uvloop.run(measure_recovery(folder / "recovery", 10 * arguments.messages))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
