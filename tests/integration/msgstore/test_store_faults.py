"""What a full or failing disk does to a store, and what it does not."""

import errno

import pytest

from eventually import eventually
from forebay.msgstore import DiskFullError, Put, StoreFailedError, StoreSettings
from messagestores import ids, lost, message_id, opened, put, puts
from powerloss import PowerLossDisk


async def test_full_disk_refuses_and_keeps_nothing_of_the_batch(disk, store):
    await store.put(puts(range(10)))
    before = store.stats
    disk.limit = disk.used() + 9000
    with pytest.raises(DiskFullError, match="free space"):
        await store.put(puts(range(100, 200)))
    after = store.stats
    assert (after.live_bytes, after.garbage_bytes, after.files) == (
        before.live_bytes,
        before.garbage_bytes,
        before.files,
    )
    assert store.read(ids(range(100, 200))) == [None] * 100
    assert after.disk_full == 1


async def test_store_goes_on_once_there_is_room_again(disk, store):
    disk.limit = 10_000
    with pytest.raises(DiskFullError):
        await store.put(puts(range(100)))
    disk.limit = 1 << 30
    await store.put(puts(range(100)))
    assert lost(store, range(100)) == []


async def test_write_that_meets_a_full_disk_halfway_is_cut_back(disk, store, monkeypatch):
    """Free space was there when asked, and gone when written: the batch began a second file by then."""
    await store.put([put(0)])
    used = disk.used()
    monkeypatch.setattr(PowerLossDisk, "free_bytes", lambda _: 1 << 30)
    disk.limit = used + 6000
    with pytest.raises(DiskFullError):
        await store.put(puts(range(100, 200)))
    assert disk.used() == used
    disk.limit = 1 << 30
    await store.put(puts(range(100, 200)))
    assert lost(store, [0, *range(100, 200)]) == []


async def test_put_leaves_the_reserve_to_garbage_collection(disk):
    settings = StoreSettings(file_size=4096, reserve=10_000)
    with opened(disk, settings) as store:
        await store.put(puts(range(60)))
        disk.limit = disk.used() + 10_000
        with pytest.raises(DiskFullError):
            await store.put([put(1000)])
        store.remove(ids(n for n in range(60) if n % 4))
        await eventually(lambda: store.stats.gc_runs)
        await eventually(lambda: disk.free_bytes() > 12_000)
        await store.put([put(1000)])
        assert lost(store, [1000, *range(0, 60, 4)]) == []


async def test_failed_sync_is_final(disk, store):
    await store.put([put(1)])
    disk.sync_errors = 1
    with pytest.raises(StoreFailedError, match="sync failed"):
        await store.put([put(2)])
    with pytest.raises(StoreFailedError):
        await store.put([put(3)])
    assert lost(store, [1]) == []


async def test_snapshot_without_room_leaves_nothing(disk):
    with opened(disk) as store:
        await store.put(puts(range(10)))
        disk.limit = disk.used() + 30
    assert disk.free_bytes() == 30
    with opened(disk) as store:
        assert not store.report.clean


async def test_failed_store_leaves_no_snapshot(disk):
    with opened(disk) as store:
        disk.sync_errors = 1
        with pytest.raises(StoreFailedError):
            await store.put([put(2)])
    with opened(disk) as store:
        assert not store.report.clean


async def test_body_that_is_none_costs_its_batch_only(store):
    with pytest.raises(TypeError):
        await store.put([put(1), Put(message_id(2), ("text",))])
    assert store.read(ids([1, 2])) == [None, None]
    await store.put(puts([1, 2]))
    assert lost(store, [1, 2]) == []


async def test_want_of_descriptors_is_an_error_and_costs_nothing(disk, monkeypatch):
    def no_descriptor(_, name):
        raise OSError(errno.EMFILE, "too many open files", name)

    with opened(disk, StoreSettings(file_size=4096, reserve=0, open_files=1)) as store:
        await store.put(puts(range(100)))
        with monkeypatch.context() as patch:
            patch.setattr(PowerLossDisk, "open", no_descriptor)
            with pytest.raises(OSError, match="too many open files"):
                store.read(ids(range(100)))
        assert lost(store, range(100)) == []
        assert not any(file.readers for file in store._catalogue.files.values())
