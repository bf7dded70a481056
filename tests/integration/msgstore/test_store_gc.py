"""Garbage collection keeps its promises while the store is at work."""

import asyncio
import errno
import random
import subprocess
from contextlib import suppress

import pytest

from eventually import eventually
from forebay.msgstore import DiskFullError, MessageStore, RealDisk, StoreFailedError, StoreSettings
from messagestores import SMALL, body, collected, ids, lost, opened, put, puts
from powerloss import PowerLossDisk, PowerLossFile

FILES = StoreSettings(file_size=64 * 1024, reserve=0)


async def test_two_mostly_empty_files_become_one():
    with opened(PowerLossDisk()) as store:
        await store.put(puts(range(60)))
        files = store.stats.files
        store.remove(ids(n for n in range(60) if n % 10))
        await collected(store)
        assert store.stats.files < files
        assert lost(store, range(0, 60, 10)) == []


async def test_empty_files_go_at_once():
    with opened(PowerLossDisk()) as store:
        await store.put(puts(range(100)))
        store.remove(ids(range(100)))
        await eventually(lambda: store.stats.files == 1)
        assert store.stats.gc_runs == 0


async def test_current_file_is_left_alone():
    with opened(PowerLossDisk()) as store:
        await store.put(puts(range(10)))
        store.remove(ids(range(10)))
        await asyncio.to_thread(store._collector.collect)
        assert store.stats.files == 1
        await store.put([put(50)])
        assert lost(store, [50]) == []


def on_disk(folder):
    octets = 0
    for path in (folder / "persistent").iterdir():
        # The collector may delete it meanwhile.
        with suppress(FileNotFoundError):
            octets += path.stat().st_size
    return octets


@pytest.mark.parametrize("kept", [3, 7, 50])
async def test_disk_stays_below_twice_the_live_octets_and_two_files(tmp_path, kept):
    chance = random.Random(kept)
    with opened(RealDisk(tmp_path), FILES) as store:
        alive = set()
        for first in range(0, 3000, 100):
            await store.put(puts(range(first, first + 100), size=500))
            alive.update(range(first, first + 100))
            gone = [n for n in alive if chance.randrange(100) >= kept]
            store.remove(ids(gone))
            alive.difference_update(gone)
        await collected(store, FILES)
        assert lost(store, sorted(alive), 500) == []
        await eventually(lambda: on_disk(tmp_path) <= 2 * store.stats.live_bytes + 2 * FILES.file_size)


async def test_reads_and_puts_go_on_during_collection(tmp_path, scale):
    """Everything moves under the readers' hands all the time, and no read is ever wrong."""
    with opened(RealDisk(tmp_path), FILES) as store:
        alive = []
        chance = random.Random(5)

        async def publish():
            for first in range(0, 3000 * scale, 50):
                await store.put(puts(range(first, first + 50), size=800))
                alive.extend(range(first, first + 50))
                for n in [n for n in alive if chance.random() < 0.3]:
                    alive.remove(n)
                    store.remove(ids([n]))

        async def consume():
            while not publishing.done():
                some = chance.sample(alive, min(20, len(alive)))
                fetched = await store.fetch(ids(some))
                wrong = [n for n, found in zip(some, fetched, strict=True) if found != body(n, 800) and n in alive]
                assert wrong == []
                await asyncio.sleep(0)

        publishing = asyncio.create_task(publish())
        await asyncio.gather(publishing, consume(), consume())
        await collected(store, FILES)
        assert store.stats.gc_runs > 3
        assert lost(store, alive, 800) == []


async def test_messages_removed_during_their_collection_stay_gone(monkeypatch):
    with opened(PowerLossDisk()) as store:
        await store.put(puts(range(60)))
        kept = list(range(0, 60, 5))
        real = PowerLossFile.copy_from

        def copy_from(file, source, size, offset):
            store.remove(ids(kept))
            return real(file, source, size, offset)

        monkeypatch.setattr(PowerLossFile, "copy_from", copy_from)
        store.remove(ids(n for n in range(60) if n % 5))
        await eventually(lambda: store.stats.messages == 0)
        await eventually(lambda: store.stats.files <= 2)
        assert store.stats.live_bytes == 0


async def test_no_room_for_a_copy_leaves_all_as_it_was(caplog):
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put(puts(range(60)))
        disk.limit = disk.used() + 10
        store.remove(ids(n for n in range(60) if n % 5))
        await eventually(lambda: "no room for garbage collection" in caplog.text)
        assert lost(store, range(0, 60, 5)) == []
        disk.limit = 1 << 30
        await collected(store)
        assert lost(store, range(0, 60, 5)) == []


async def test_want_of_descriptors_stops_neither_store_nor_collection(monkeypatch):
    def no_descriptor(_, name):
        raise OSError(errno.EMFILE, "too many open files", name)

    with opened(PowerLossDisk(), StoreSettings(file_size=4096, reserve=0, open_files=1)) as store:
        await store.put(puts(range(60)))
        with monkeypatch.context() as patch:
            patch.setattr(PowerLossDisk, "open", no_descriptor)
            store.remove(ids(n for n in range(60) if n % 5))
            assert not await asyncio.to_thread(store._collector.collect)
        await collected(store)
        assert lost(store, range(0, 60, 5)) == []


async def test_vanished_file_costs_its_messages_and_does_not_stop_the_store(tmp_path):
    disk = RealDisk(tmp_path)
    with opened(disk, StoreSettings(file_size=4096, reserve=0, open_files=1)) as store:
        await store.put(puts(range(60)))
        disk.unlink("persistent/0000000002.messages")
        store.remove(ids(n for n in range(60) if n % 5))
        await eventually(lambda: store.stats.damaged)
        await store.put([put(100)])
        assert lost(store, [*range(0, 60, 5), 100]) == [20, 25, 30]


async def test_bad_copy_does_not_cost_the_sources(monkeypatch):
    def bad_copy(file, source, size, offset):
        return file.append([bytes(size)])

    with opened(PowerLossDisk()) as store:
        await store.put(puts(range(60)))
        monkeypatch.setattr(PowerLossFile, "copy_from", bad_copy)
        store.remove(ids(n for n in range(60) if n % 5))
        await eventually(lambda: store._writer.failed)
        assert lost(store, range(0, 60, 5)) == []
        with pytest.raises(StoreFailedError, match="no true copy"):
            await store.put([put(99)])


@pytest.fixture
def tiny_disk(tmp_path):
    """A real disk of 8 MiB."""
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", tmp_path]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield RealDisk(tmp_path)
    subprocess.run(["umount", tmp_path], check=True)


async def test_small_real_disk_fills_and_recovers(tiny_disk):
    """Full is an error, confirmed messages stay, and removing makes room again."""
    settings = StoreSettings(file_size=1 << 20, reserve=2 << 20)
    stored = []

    async def fill(store, first):
        for start in range(first, first + 10_000, 20):
            await store.put(puts(range(start, start + 20), size=10_000))
            stored.extend(range(start, start + 20))

    with opened(tiny_disk, settings) as store:
        with pytest.raises(DiskFullError):
            await fill(store, 0)
        assert len(stored) > 400
        assert lost(store, stored, 10_000) == []
        store.remove(ids(n for n in stored if n % 5))
        stored[:] = [n for n in stored if not n % 5]
        await collected(store, settings)
        with pytest.raises(DiskFullError):
            await fill(store, 30_000)
        assert len(stored) > 400
        assert lost(store, stored, 10_000) == []
    with opened(tiny_disk, settings) as store:
        assert lost(store, stored, 10_000) == []


async def test_disk_filled_by_others_stops_puts_and_leaves_messages(tmp_path):
    disk = PowerLossDisk(limit=60_000)
    store = MessageStore.open(disk, SMALL)
    await store.put(puts(range(60)))
    hog = disk.create("hog")
    hog.append([bytes(disk.free_bytes())])
    with pytest.raises(DiskFullError):
        await store.put([put(1000)])
    store.remove(ids(n for n in range(60) if n % 3))
    store.close()
    assert disk.free_bytes() >= 0
    with opened(disk) as store:
        assert store.recount((id, 1) for id in ids(range(0, 60, 3))) == []
        hog.truncate(0)
        await store.put([put(1000)])
        assert lost(store, [1000, *range(0, 60, 3)]) == []
