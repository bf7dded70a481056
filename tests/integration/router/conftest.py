"""A router, and processes that are attached to it."""

from contextlib import AsyncExitStack

import pytest

from forebay.client.router import Process, ProcessSettings
from routers import running_router
from threads import thread_process

SETTINGS = ProcessSettings(farewell=0.5)


@pytest.fixture
async def router():
    async with running_router() as router:
        yield router


@pytest.fixture
async def attach(router):
    """Attach processes: `await attach("one")`. They leave at the end."""
    async with AsyncExitStack() as stack:

        async def attach(name="process", settings=SETTINGS):
            return await stack.enter_async_context(Process.connect(router.address, name, settings=settings))

        yield attach


@pytest.fixture
async def start(router):
    """Start processes of their own: `await start("two", "bob")`, name and threads. They are killed at the end."""
    async with AsyncExitStack() as stack:

        async def start(name, *threads):
            return await stack.enter_async_context(thread_process(router.address, name, *threads))

        yield start
