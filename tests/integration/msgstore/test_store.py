"""What owners of messages see of a store."""

import asyncio
import threading
import time

import pytest

from eventually import eventually
from forebay.msgstore import (
    COLD,
    MessageStore,
    MessageTooLargeError,
    Put,
    RealDisk,
    StoreClosedError,
    StoreSettings,
)
from forebay.msgstore import store as store_module
from forebay.msgstore.reader import RUN
from messagestores import SMALL, body, collected, ids, lost, message_id, opened, put, puts
from powerloss import PowerLossFile


def all_is_cold(monkeypatch, waiting=lambda: None):
    """Let reads find nothing in the page cache, and call something when they wait for the disk."""
    real = PowerLossFile.pread_into

    def pread_into(file, buffer, offset, *, wait):
        if not wait:
            return None
        waiting()
        return real(file, buffer, offset, wait=True)

    monkeypatch.setattr(PowerLossFile, "pread_into", pread_into)


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


async def test_longest_messages_are_read_among_others(store):
    sizes = {1: 200, 2: RUN, 3: 3 * RUN, 4: 200}
    await store.put([put(number, size) for number, size in sizes.items()])
    assert store.read(ids(sizes)) == [body(number, size) for number, size in sizes.items()]


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


async def test_message_that_lands_while_it_is_read_is_not_missed(store, gate):
    task = asyncio.create_task(store.put([put(1)]))
    await gate.wait()
    pin = store._catalogue.pin

    def pin_and_land(ids):
        pinned = pin(ids)
        gate.open.set()
        while not store.stats.messages:
            time.sleep(0.001)
        return pinned

    store._catalogue.pin = pin_and_land
    assert lost(store, [1]) == []
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


async def test_second_body_of_an_id_is_read_as_it_was_written(store, gate):
    """The first is removed while it is written; what was written serves the second put, whose body is shorter."""
    blocker = asyncio.create_task(store.put([put(0)]))
    await gate.wait()
    first = asyncio.create_task(store.put([put(1)]))
    second = asyncio.create_task(store.put([Put(message_id(1), (b"short",))]))
    await asyncio.sleep(0)
    real = store._writer._write

    def write(flights):
        written = real(flights)
        store.remove(ids([1]))
        return written

    store._writer._write = write
    gate.open.set()
    await asyncio.gather(blocker, first, second)
    assert store.read(ids([1])) == [body(1)]
    assert store.stats.damaged == 0


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


async def test_cold_messages_are_fetched_by_a_thread(store, monkeypatch):
    await store.put(puts(range(30)))
    all_is_cold(monkeypatch)
    assert store.read(ids([1, 99])) == [COLD, None]
    assert await store.fetch(ids([*range(30), 99])) == [*map(body, range(30)), None]
    assert store.stats.cold_reads == 31


async def test_warm_messages_are_fetched_without_a_thread(store, monkeypatch):
    await store.put(puts(range(30)))
    monkeypatch.setattr(asyncio, "get_running_loop", None)
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

    def wait():
        inside.set()
        go_on.wait()

    all_is_cold(monkeypatch, wait)
    task = asyncio.create_task(store.fetch(ids(range(5))))
    await asyncio.to_thread(inside.wait)
    store.remove(ids(range(40)))
    names = set(store._disk.names("persistent"))
    await eventually(lambda: len(store._disk.names("persistent")) < len(names))
    assert min(names) in store._disk.names("persistent")
    go_on.set()
    assert await task == [*map(body, range(5))]
    await eventually(lambda: min(names) not in store._disk.names("persistent"))
