"""Nodes from manifests, and nodes outside."""

from contextlib import AsyncExitStack

import pytest

from conduitserver import ConduitServer
from forebay.client.conduit import ConduitNodeSettings, Node
from peers.valkey import run_valkey


@pytest.fixture
async def make_node(tmp_path):
    """Describe services, not started; those that run at the end are ended."""
    made = []

    def make(name="press", redis="", **spec):
        folder = tmp_path / f"{name}-{len(made)}"
        folder.mkdir()
        made.append(ConduitServer(folder, name, redis, **spec))
        return made[-1]

    yield make
    for each in made:
        if each.running:
            await each.stop()


@pytest.fixture
async def stack():
    async with AsyncExitStack() as entered:
        yield entered


@pytest.fixture
async def outside(stack):
    """Begin nodes at the edge, without a service."""

    async def begin(*peers, on_declaration=None, **options):
        given = {"listen": "udp/127.0.0.1:0", "peers": peers, "scout_interval": 0.1, **options}
        settings = ConduitNodeSettings(**given)
        return await stack.enter_async_context(Node(settings, on_declaration=on_declaration))

    return begin


@pytest.fixture
async def attach(stack):
    """Attach programs to services."""

    async def begin(server, **options):
        client = await stack.enter_async_context(server.client())
        return await stack.enter_async_context(client.attach("test", **options))

    return begin


@pytest.fixture
async def valkey():
    async with run_valkey() as server:
        yield server
