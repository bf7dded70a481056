"""A store with a queue, running, and a client of it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from forebay.client import Store
from storeserver import StoreServer


@pytest.fixture
async def make_store(tmp_path: Path) -> AsyncIterator[Callable[..., StoreServer]]:
    """Describe stores, not started; those that run at the end are ended, which has to go well."""
    made: list[StoreServer] = []

    def make(**spec: Any) -> StoreServer:
        folder = tmp_path / f"store{len(made)}"
        folder.mkdir()
        made.append(StoreServer(folder, **spec))
        return made[-1]

    yield make
    for store in made:
        await store.close()


@pytest.fixture
async def server(make_store: Callable[..., StoreServer]) -> StoreServer:
    """A running store with the queue `orders`, which is bound to `orders.#`."""
    store = make_store()
    store.queue("orders", bindings=["orders.#"])
    await store.start()
    return store


@pytest.fixture
async def client(server: StoreServer) -> AsyncIterator[Store]:
    """A client of it."""
    async with server.client() as client:
        yield client


@pytest.fixture
def started(make_store: Callable[..., StoreServer]) -> Callable[..., Awaitable[StoreServer]]:
    """Start a store with queues: their specs by name."""

    async def start(queues: dict[str, dict[str, Any]], **spec: Any) -> StoreServer:
        store = make_store(**spec)
        for name, each in queues.items():
            store.queue(name, **each)
        await store.start()
        return store

    return start
