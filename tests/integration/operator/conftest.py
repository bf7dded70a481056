"""A real API server, a stand-in for its node, and the real operator."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

import podnetwork
from apiserver import ApiServer
from conftest import missing
from kubeclient import Body, KubeClient
from operatorsite import Site, start_node
from peers.gatedpeer import GatedPeer
from processes import Running

MakeSite = Callable[..., Awaitable[Site]]


@pytest.fixture(scope="session")
def node(apiserver: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """What runs the pods."""
    if reason := podnetwork.lacking():
        missing(reason)
    folder = tmp_path_factory.mktemp("node")
    process = start_node(apiserver, folder)
    yield process
    process.stop()


@asynccontextmanager
async def site_of(server: ApiServer, folder: Path, values: Body | None) -> AsyncIterator[Site]:
    """A site whose operator runs. When a test fails, what the operator logged is in the report."""
    async with KubeClient(server.admin) as client:
        site = Site(server, folder, client, values)
        site.install()
        try:
            site.operator.start()
            yield site
        finally:
            print(site.operator.log.read_text()[-20_000:])  # noqa: T201 pytest shows it for a failed test
            await site.remove()


@pytest.fixture
async def make_site(apiserver: ApiServer, node: Running, tmp_path: Path) -> AsyncIterator[MakeSite]:
    """Make a site with values for the chart."""
    async with AsyncExitStack() as stack:

        async def make(values: Body | None = None) -> Site:
            return await stack.enter_async_context(site_of(apiserver, tmp_path, values))

        yield make


@pytest.fixture
async def site(make_site: MakeSite) -> Site:
    """A site of the test's own."""
    return await make_site()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_site(
    apiserver: ApiServer, node: Running, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A site for all tests of a module."""
    async with site_of(apiserver, tmp_path_factory.mktemp("site"), None) as site:
        yield site


@pytest_asyncio.fixture(loop_scope="module")
async def gated_peer(shared_site: Site) -> AsyncIterator[Callable[..., Awaitable[GatedPeer]]]:
    """Make news peers that pods can reach: `await gated_peer(passwords)`."""
    made: list[GatedPeer] = []

    async def make(passwords: dict[str, str] | None = None) -> GatedPeer:
        made.append(GatedPeer(await shared_site.gateway(), passwords))
        await made[-1].start()
        return made[-1]

    yield make
    for peer in made:
        await peer.stop()
