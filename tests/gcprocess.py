"""A process that puts and removes messages until it is killed: gcprocess.py FOLDER SEED INDEX STAGE RUN.

It tells on its standard output what it has done: "put FIRST STOP" once these messages are durable, "remove N..." before
these are removed, "collected" now and then once garbage was collected. STAGE: where in the RUN-th collection it kills
itself; "any" for nowhere.
"""

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

from forebay.msgstore import DiskIndex, MessageStore, RealDisk, SlabIndex, StoreSettings
from forebay.msgstore.catalogue import Catalogue
from forebay.msgstore.collector import Collector
from messagestores import ids, puts

SETTINGS = StoreSettings(file_size=32 * 1024, reserve=0)
SIZE = 900
STAGES = {
    "before": (Collector, "_copy_pair"),
    "copied": (Collector, "_verify"),
    "moved": (Catalogue, "drop_lost"),
    "retired": (Collector, "_delete_files"),
}


def say(*words: object) -> None:
    os.write(1, " ".join(map(str, words)).encode() + b"\n")


def die_at(stage: str, run: int) -> None:
    """Kill this process when garbage collection gets there for the n-th time."""
    owner, name = STAGES[stage]
    real = getattr(owner, name)
    calls = 0

    def dying(self: object, *args: object) -> object:
        nonlocal calls
        calls += 1
        if calls == run:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, *args)

    setattr(owner, name, dying)


async def work(folder: Path, seed: int, index: str) -> None:
    chance = random.Random(seed)
    store = MessageStore.open(
        RealDisk(folder), SETTINGS, index=lambda: DiskIndex(folder / "places") if index == "disk" else SlabIndex()
    )
    alive: list[int] = []
    first, told = 0, 0
    while True:
        stop = first + chance.randrange(1, 60)
        await store.put(puts(range(first, stop), size=SIZE))
        say("put", first, stop)
        alive += range(first, stop)
        first = stop
        gone = [n for n in alive if chance.random() < 0.4]
        say("remove", *gone)
        store.remove(ids(gone))
        alive = [n for n in alive if n not in set(gone)]
        if (runs := store.stats.gc_runs) > told:
            told = runs
            say("collected")


if __name__ == "__main__":
    _, folder, seed, index, stage, run = sys.argv
    if stage != "any":
        die_at(stage, int(run))
    asyncio.run(work(Path(folder), int(seed), index))
