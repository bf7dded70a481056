"""A store as `forebay serve store` runs it."""

from collections.abc import AsyncIterator

import pytest_asyncio

from storecommand import StoreCommand, run_store

QUEUES = {
    "orders": {"bindings": ["orders.#"], "deadLetter": {"address": "rejects"}},
    "rejects": {},
    "jobs": {"maxPriority": 9},
    "few": {"maxLength": 1, "overflow": "RejectPublish"},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def command() -> AsyncIterator[StoreCommand]:
    """One for all tests of a module; each test leaves the queues empty that it uses."""
    async with run_store(QUEUES) as command:
        yield command
