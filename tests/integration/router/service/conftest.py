"""Routers from manifests."""

import pytest

from peers.valkey import run_valkey
from routerserver import RouterServer


@pytest.fixture
async def make_router(tmp_path):
    """Describe routers, not started; those that run at the end are ended."""
    made = []

    def make(name="main", redis="", **spec):
        folder = tmp_path / f"{name}-{len(made)}"
        folder.mkdir()
        made.append(RouterServer(folder, name, redis, **spec))
        return made[-1]

    yield make
    for each in made:
        if each.running:
            await each.stop()


@pytest.fixture
async def valkey():
    async with run_valkey() as server:
        yield server
