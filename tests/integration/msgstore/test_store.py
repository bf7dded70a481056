"""What owners of messages see of a store."""

import asyncio
import errno
import threading

import pytest

from eventually import eventually
from forebay.msgstore import (
    COLD,
    DiskFullError,
    MessageStore,
    MessageTooLargeError,
    Put,
    RealDisk,
    StoreClosedError,
    StoreFailedError,
    StoreSettings,
)
from forebay.msgstore import store as store_module
from messagestores import SMALL, abandon, body, collected, ids, lost, message_id, opened, put, puts
from powerloss import PowerLossDisk, PowerLossFile


@pytest.fixture
def disk():
    return PowerLossDisk()


@pytest.fixture
def store(disk):
    with opened(disk) as store:
        yield store


class Gate:
    """Holds the next sync of a file until it is opened."""

    def __init__(self, monkeypatch):
        self.open = threading.Event()
        self.reached = threading.Event()
        real = PowerLossFile.datasync

        def datasync(file):
            self.reached.set()
            self.open.wait()
            real(file)

        monkeypatch.setattr(PowerLossFile, "datasync", datasync)

    async def wait(self):
        await asyncio.to_thread(self.reached.wait)


@pytest.fixture
def gate(monkeypatch):
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()


async def test_what_was_put_is_read(store):
    await store.put(puts(range(100)))
    assert lost(store, range(100)) == []


async def test_empty_body_is_a_body(store):
    await store.put([Put(message_id(1), ()), Put(message_id(2), (b"",))])
    assert store.read(ids([1, 2, 3])) == [b"", b"", None]


async def test_reading_keeps_the_order_asked_for(store):
    await store.put(puts(range(50)))
    order = [7, 3, 99, 3, 49, 0]
    assert store.read(ids(order)) == [body(n) if n < 50 else None for n in order]


async def test_neighbours_are_read_by_one_call(store, disk):
    await store.put(puts(range(15)))
    store.read(ids(range(15)))
    assert (store.stats.read_calls, store.stats.reads) == (1, 15)


async def test_message_across_the_file_limit_goes_whole(store):
    await store.put(puts(range(3), size=20_000))
    await store.put(puts(range(3, 6)))
    assert lost(store, range(3), 20_000) == lost(store, range(3, 6)) == []
    assert store.stats.files == 4


async def test_one_sync_confirms_what_gathered(store, gate):
    first = asyncio.create_task(store.put([put(0)]))
    await gate.wait()
    rest = [asyncio.create_task(store.put([put(n)])) for n in range(1, 10)]
    await asyncio.sleep(0)
    gate.open.set()
    await asyncio.gather(first, *rest)
    assert store.stats.syncs == 2


async def test_known_id_is_counted_not_written(store):
    await store.put([put(1)])
    await store.put([put(1, refs=2)])
    assert store.stats.writes == 1
    for _ in range(2):
        store.remove(ids([1]))
    assert lost(store, [1]) == []
    store.remove(ids([1]))
    assert store.read(ids([1])) == [None]


async def test_same_id_twice_in_one_batch_is_written_once(store):
    await store.put([put(1), put(2), put(1)])
    assert store.stats.writes == 2
    store.remove(ids([1]))
    assert lost(store, [1]) == []


async def test_known_and_new_ids_mix(store):
    await store.put(puts([1, 2]))
    await store.put(puts([2, 3]))
    store.remove(ids([1, 2, 3]))
    assert store.read(ids([1, 2, 3])) == [None, body(2), None]


async def test_unknown_ids_to_remove_are_passed_over(store):
    await store.put([put(1)])
    store.remove(ids([7, 1, 1, 8]))
    assert store.stats.messages == 0


async def test_flying_message_can_be_read(store, gate):
    task = asyncio.create_task(store.put([put(1)]))
    await gate.wait()
    assert lost(store, [1]) == []
    gate.open.set()
    await task


async def test_remove_before_the_write_cancels_both_and_confirms(store, gate):
    blocker = asyncio.create_task(store.put([put(0)]))
    await gate.wait()
    task = asyncio.create_task(store.put(puts([1, 2])))
    await asyncio.sleep(0)
    store.remove(ids([1]))
    gate.open.set()
    await asyncio.gather(blocker, task)
    assert store.read(ids([1])) == [None]
    assert (store.stats.writes, store.stats.cancelled) == (2, 1)


async def test_remove_during_the_write_leaves_garbage_only(store, gate):
    task = asyncio.create_task(store.put(puts([1, 2])))
    await gate.wait()
    store.remove(ids([1]))
    gate.open.set()
    await task
    assert store.read(ids([1, 2])) == [None, body(2)]
    assert store.stats.garbage_bytes > 200


async def test_second_put_survives_removal_of_the_first_while_both_fly(store, gate):
    first = asyncio.create_task(store.put([put(1)]))
    await gate.wait()
    second = asyncio.create_task(store.put([put(1)]))
    await asyncio.sleep(0)
    store.remove(ids([1]))
    gate.open.set()
    await asyncio.gather(first, second)
    assert lost(store, [1]) == []
    store.remove(ids([1]))
    assert store.read(ids([1])) == [None]


async def test_fan_out_race_never_loses_the_slower_owner(store, scale):
    """One owner is done at once, by the time the other reads; small files keep garbage collection in the race."""

    async def publish(number):
        slow = asyncio.create_task(store.put([put(number)]))
        fast = asyncio.create_task(store.put([put(number)]))
        if number % 2:
            await asyncio.sleep(0)
            store.remove(ids([number]))
        await asyncio.gather(slow, fast)
        if not number % 2:
            store.remove(ids([number]))
        assert lost(store, [number]) == []
        store.remove(ids([number]))

    for first in range(0, 1000 * scale, 50):
        await asyncio.gather(*map(publish, range(first, first + 50)))
    assert store.stats.messages == 0
    await collected(store)


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


async def test_failed_store_leaves_no_snapshot(disk):
    with opened(disk) as store:
        disk.sync_errors = 1
        with pytest.raises(StoreFailedError):
            await store.put([put(2)])
    with opened(disk) as store:
        assert not store.report.clean


async def test_body_longer_than_the_format_allows_is_refused(store, monkeypatch):
    monkeypatch.setattr(store_module, "MAX_BODY", 1000)
    with pytest.raises(MessageTooLargeError, match="1001 octets"):
        await store.put([put(1, 1001)])


@pytest.mark.parametrize("wrong", [Put(b"short", (b"x",)), Put(message_id(1), (b"x",), 0)], ids=["id", "refs"])
async def test_put_that_makes_no_sense_is_refused(store, wrong):
    with pytest.raises(ValueError, match="16 octets"):
        await store.put([wrong])


async def test_nothing_to_put_is_confirmed(store):
    await store.put([])


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


async def test_closed_store_takes_nothing(disk):
    store = MessageStore.open(disk, SMALL)
    store.close()
    store.close()
    with pytest.raises(StoreClosedError):
        await store.put([put(1)])


async def test_put_waits_while_too_much_is_pending(disk, gate):
    with opened(disk, StoreSettings(pending=3000, reserve=0)) as store:
        tasks = [asyncio.create_task(store.put(puts(range(n, n + 10)))) for n in range(0, 100, 10)]
        await gate.wait()
        assert store.stats.flying <= 3000
        gate.open.set()
        await asyncio.gather(*tasks)
        assert lost(store, range(100)) == []


async def test_clean_restart_keeps_messages_and_references(disk):
    with opened(disk) as store:
        await store.put(puts(range(100)))
        await store.put(puts(range(50)))
    with opened(disk) as store:
        assert (store.report.clean, store.report.messages) == (True, 100)
        store.remove(ids(range(100)))
        assert lost(store, range(50)) == []
        assert store.stats.messages == 50


async def test_clean_restart_goes_on_in_the_same_file(disk):
    for n in range(5):
        with opened(disk) as store:
            await store.put([put(n)])
    assert store.stats.files == 1


async def test_snapshot_is_used_once(disk):
    with opened(disk) as store:
        await store.put([put(1)])
    abandon(MessageStore.open(disk, SMALL))
    with opened(disk) as store:
        assert not store.report.clean


async def test_dirty_start_finds_the_same_as_a_clean_one(disk):
    with opened(disk) as store:
        await store.put(puts(range(200)))
        store.remove(ids(range(0, 200, 3)))
        await collected(store)
    kept = [n for n in range(200) if n % 3]
    clean = MessageStore.open(disk, SMALL)
    figures = clean.stats
    abandon(clean)
    with opened(disk) as store:
        assert not store.report.clean
        assert store.recount((id, 1) for id in ids(kept)) == []
        assert lost(store, range(200)) == list(range(0, 200, 3))
        assert (store.stats.messages, store.stats.live_bytes) == (figures.messages, figures.live_bytes)


async def test_nothing_is_deleted_after_a_dirty_stop_before_the_recount(disk):
    with opened(disk) as store:
        await store.put(puts(range(100)))
        abandon(store)
        with opened(disk) as again:
            assert again.stats.holds
            again.remove(ids(range(50, 100)))
            await asyncio.to_thread(again._collector.collect)
            assert again.stats.files == store.stats.files
            again.recount((id, 1) for id in ids(range(10)))
            assert not again.stats.holds
            await collected(again)
            assert lost(again, range(10)) == []


async def test_recount_names_what_owners_miss_and_drops_what_nobody_owns(store):
    await store.put(puts(range(10), refs=5))
    missing = store.recount([(message_id(1), 1), (message_id(1), 1), (message_id(99), 1), (message_id(2), 0)])
    assert missing == ids([99])
    assert store.stats.missing == 1
    assert lost(store, range(10)) == [n for n in range(10) if n != 1]
    store.remove(ids([1]))
    assert lost(store, [1]) == []
    store.remove(ids([1]))
    assert lost(store, [1]) == [1]


async def test_close_before_the_recount_leaves_no_snapshot(disk):
    with opened(disk) as store:
        await store.put([put(1)])
        abandon(store)
    MessageStore.open(disk, SMALL).close()
    MessageStore.open(disk, SMALL).close()
    with opened(disk) as store:
        assert not store.report.clean
        assert lost(store, [1]) == []


async def test_hold_keeps_files_until_all_reasons_are_gone(store):
    await store.put(puts(range(100)))
    files = store.stats.files
    store.hold("one")
    store.hold("two")
    store.remove(ids(range(100)))
    store.allow("one")
    await asyncio.to_thread(store._collector.collect)
    assert store.stats.files == files
    assert store.stats.holds == {"two"}
    store.allow("two")
    await eventually(lambda: store.stats.files == 1)


async def test_transient_store_is_emptied_at_the_start_and_never_synced(disk):
    with opened(disk, transient=True) as store:
        await store.put(puts(range(100)))
        assert lost(store, range(100)) == []
        assert store.stats.syncs == 0
    with opened(disk, transient=True) as store:
        assert store.read(ids([1])) == [None]
        assert store.stats.files == 0


async def test_transient_and_persistent_stores_share_a_disk(disk):
    with opened(disk) as keeps:
        await keeps.put([put(1)])
        with opened(disk, transient=True) as forgets:
            assert forgets.read(ids([1])) == [None]
        assert lost(keeps, [1]) == []


async def test_cold_messages_are_fetched_by_a_thread(store, monkeypatch):
    await store.put(puts(range(30)))
    monkeypatch.setattr(PowerLossFile, "pread_cached", lambda *_: None)
    assert store.read(ids([1, 99])) == [COLD, None]
    assert await store.fetch(ids([*range(30), 99])) == [*map(body, range(30)), None]
    assert store.stats.cold_reads == 31


async def test_warm_messages_are_fetched_without_a_thread(store, monkeypatch):
    await store.put(puts(range(30)))
    monkeypatch.delattr(PowerLossFile, "pread")
    monkeypatch.setattr(PowerLossFile, "pread_cached", lambda file, size, at: bytes(file._inode.data[at : at + size]))
    assert await store.fetch(ids(range(30))) == [*map(body, range(30))]


async def test_few_files_are_held_open(tmp_path):
    disk = RealDisk(tmp_path)
    settings = StoreSettings(file_size=4096, reserve=0, open_files=3)
    with opened(disk, settings) as store:
        await store.put(puts(range(500)))
        assert store.stats.files > 20
        for n in range(0, 500, 17):
            assert lost(store, [n]) == []
        assert sum(file.handle is not None for file in store._catalogue.files.values()) <= 4


async def test_cold_read_survives_its_file(store, monkeypatch):
    """A file stays until its last reader has left, though its messages were removed meanwhile."""
    await store.put(puts(range(40)))
    inside, go_on = threading.Event(), threading.Event()
    real = PowerLossFile.pread

    def slow(file, size, offset):
        inside.set()
        go_on.wait()
        return real(file, size, offset)

    monkeypatch.setattr(PowerLossFile, "pread_cached", lambda *_: None)
    monkeypatch.setattr(PowerLossFile, "pread", slow)
    task = asyncio.create_task(store.fetch(ids(range(5))))
    await asyncio.to_thread(inside.wait)
    store.remove(ids(range(40)))
    names = set(store._disk.names("persistent"))
    await eventually(lambda: len(store._disk.names("persistent")) < len(names))
    assert min(names) in store._disk.names("persistent")
    go_on.set()
    assert await task == [*map(body, range(5))]
    await eventually(lambda: min(names) not in store._disk.names("persistent"))
