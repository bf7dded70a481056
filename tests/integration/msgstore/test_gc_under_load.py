"""Garbage collection at full speed: the disk stays bounded meanwhile, and a kill in the midst of it costs nothing."""

import asyncio
import errno
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import gcprocess
from eventually import eventually
from forebay.msgstore import DiskIndex, MessageStore, Put, RealDisk, SlabIndex, StoreSettings
from forebay.msgstore.collector import Collector
from forebay.msgstore.pace import BEHIND
from messagestores import body, collected, ids, message_id, opened

FILE = 1 << 20
SETTINGS = StoreSettings(file_size=FILE, reserve=0)
IN_WORK = BEHIND + 4
"""Files beside what is promised at rest: those that may wait, the pair that is at it, its copy, and the next file."""


def on_disk(folder):
    octets = 0
    for path in (folder / "persistent").iterdir():
        # The collector may delete it meanwhile.
        with suppress(FileNotFoundError):
            octets += path.stat().st_size
    return octets


class Load:
    """Publishers at full speed; of what they put, most goes at once and some stays."""

    def __init__(self, store, folder, *, size, kept, total):
        self.store = store
        self.folder = folder
        self.kept = kept
        self.data = random.Random(size).randbytes(size)
        self.batch = max(2, 20_000 // size)
        self.batches = iter(range(0, total, self.batch))
        self.alive = []
        self.peak = self.worst = 0

    async def publish(self):
        chance = random.Random(7)
        for first in self.batches:
            numbers = range(first, first + self.batch)
            await self.store.put([Put(message_id(n), (self.data,)) for n in numbers])
            stay = {n for n in numbers if chance.random() < self.kept}
            self.alive += stay
            self.store.remove(ids(set(numbers) - stay))

    async def watch(self, publishing):
        """Note by how much the disk's use is ever above the bound."""
        while not publishing.done():
            used = on_disk(self.folder)
            self.peak = max(self.peak, self.store.stats.live_bytes)
            self.worst = max(self.worst, used - 2 * self.peak - (2 + IN_WORK) * FILE)
            await asyncio.sleep(0)

    async def run(self):
        publishing = asyncio.gather(*(self.publish() for _ in range(4)))
        await asyncio.gather(publishing, self.watch(publishing))


@pytest.mark.parametrize(("size", "kept", "total"), [(1000, 0.05, 30_000), (1000, 0.4, 20_000), (120_000, 0.1, 1_000)])
async def test_disk_stays_bounded_at_full_speed(tmp_path, size, kept, total, scale):
    with opened(RealDisk(tmp_path), SETTINGS) as store:
        load = Load(store, tmp_path, size=size, kept=kept, total=total * scale)
        await load.run()
        assert load.worst <= 0
        await collected(store, SETTINGS)
        await eventually(lambda: on_disk(tmp_path) <= 2 * store.stats.live_bytes + 2 * FILE)
        assert store.stats.gc_deleted_files > 10
        assert store.stats.messages == len(load.alive)
        assert await store.fetch(ids(load.alive)) == [load.data] * len(load.alive)


async def test_slow_collection_slows_publishers_down_instead_of_filling_the_disk(tmp_path, monkeypatch):
    real = Collector._copy_pair

    def slowly(collector, pair):
        time.sleep(0.05)
        real(collector, pair)

    monkeypatch.setattr(Collector, "_copy_pair", slowly)
    with opened(RealDisk(tmp_path), SETTINGS) as store:
        load = Load(store, tmp_path, size=20_000, kept=0.2, total=3_000)
        await load.run()
        assert load.worst <= 0


async def test_collection_that_has_no_room_stops_no_publisher(tmp_path, monkeypatch):
    def no_room(collector, pair):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(Collector, "_copy_pair", no_room)
    monkeypatch.setattr("forebay.msgstore.pace.PATIENCE", 3600)
    with opened(RealDisk(tmp_path), SETTINGS) as store:
        load = Load(store, tmp_path, size=20_000, kept=0.2, total=1_000)
        await load.run()
        assert store.stats.messages == len(load.alive)


class Victim:
    """The process, and what it must find again."""

    def __init__(self, folder, seed, index_kind, stage="any", run=1):
        command = [sys.executable, gcprocess.__file__, folder, seed, index_kind, stage, run]
        path = str(Path(gcprocess.__file__).parent)
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": path}
        )
        self.owned = set()
        self.collections = 0

    def read_until(self, done):
        """Take in what it says until then, or till its end."""
        for line in self.process.stdout:
            word, *numbers = line.split()
            if word == "put":
                self.owned.update(range(*map(int, numbers)))
            elif word == "remove":
                self.owned.difference_update(map(int, numbers))
            else:
                self.collections += 1
            if done():
                return

    def kill(self):
        self.process.kill()
        self.read_until(lambda: False)
        self.process.stdout.close()
        assert self.process.wait() == -9


def open_again(folder, index_kind):
    index = DiskIndex(folder / "places") if index_kind == "disk" else SlabIndex()
    return MessageStore(RealDisk(folder), gcprocess.SETTINGS, index, transient=False)


async def missing(store, owned):
    """Which of these it does not give back as they were, wherever they are now."""
    numbers = sorted(owned)
    found = await store.fetch(ids(numbers))
    return [n for n, content in zip(numbers, found, strict=True) if content != body(n, gcprocess.SIZE)]


async def check(folder, index_kind, owned):
    """All that it owns is there, and nothing but that takes room."""
    store = open_again(folder, index_kind)
    try:
        assert store.recount((message_id(n), 1) for n in sorted(owned)) == []
        assert await missing(store, owned) == []
        assert store.stats.messages == len(owned)
        await collected(store, gcprocess.SETTINGS)
        assert await missing(store, owned) == []
    finally:
        store.close()


@pytest.mark.parametrize("stage", gcprocess.STAGES)
async def test_kill_at_each_stage_of_a_collection_costs_nothing(tmp_path, index_kind, stage):
    victim = Victim(tmp_path, 1, index_kind, stage, 5)
    victim.read_until(lambda: False)
    victim.kill()
    assert victim.owned
    await check(tmp_path, index_kind, victim.owned)


async def test_kill_at_any_moment_under_collection_costs_nothing(tmp_path, index_kind, scale):
    for seed in range(3 * scale):
        folder = tmp_path / str(seed)
        folder.mkdir()
        chance = random.Random(seed)
        victim = Victim(folder, seed, index_kind)
        wanted = chance.randrange(1, 12)
        victim.read_until(lambda victim=victim, wanted=wanted: victim.collections >= wanted)
        await asyncio.sleep(chance.random() / 50)
        victim.kill()
        await check(folder, index_kind, victim.owned)
