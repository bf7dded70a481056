"""Starts after clean and dirty stops, and who may delete what by then."""

import asyncio

from eventually import eventually
from forebay.msgstore import MessageStore
from messagestores import SMALL, abandon, collected, ids, lost, message_id, opened, put, puts


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
