"""The calls of a store beside its streams."""

import pytest

from forebay.client import Store

from .scriptedstore import ScriptedStore, serving


@pytest.fixture
async def store():
    async with serving(ScriptedStore()) as port, Store.connect(f"127.0.0.1:{port}") as store:
        yield store


async def test_get_takes_messages(store):
    assert [delivery.message.body for delivery in await store.get("jobs", 3)] == [b"0", b"1", b"2"]


async def test_browse_reads_all_pages(store):
    assert [delivery.position async for delivery in store.browse("jobs")] == [1, 2, 3, 4, 5, 6]
    assert [delivery.position async for delivery in store.browse("jobs", 5)] == [5, 6]


async def test_purge_tells_how_many(store):
    assert await store.purge("jobs") == 7


async def test_queues_are_listed_and_shown(store):
    assert [queue.name for queue in await store.queues()] == ["jobs", "orders"]
    shown = await store.queue("jobs")
    assert (shown.status.name, shown.insides[0].q4) == ("jobs", 3)


async def test_the_store_tells_how_it_is(store):
    assert (await store.status()).messages == 12
