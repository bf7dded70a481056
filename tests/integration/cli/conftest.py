from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from forebay.cli.plainmessage import plain
from forebay.client import OutfeedClient

from .command import Running, forebay, quickstart, started


class Site:
    """A running `forebay up` of the quick start."""

    def __init__(self, folder: Path) -> None:
        self.files = folder / "files"
        self.data = folder / "data"
        self.port = quickstart(self.files)
        self.running: Running

    async def outfeed(self, *arguments, **options):
        """Run a command on the hub."""
        return await forebay("outfeed", *arguments, "--address", f"127.0.0.1:{self.port}", **options)

    async def peers(self):
        """The peers by name."""
        async with OutfeedClient.connect(f"127.0.0.1:{self.port}") as client:
            return {peer.name: plain(peer) for peer in await client.peers()}

    def rewrite(self, name: str, old: str, new: str) -> None:
        """Change a file."""
        path = self.files / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory) -> AsyncIterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"))
    async with started("up", "-f", site.files, "--data", site.data) as site.running:
        await site.running.logged("ready", times=3)
        yield site
    assert site.running.process.returncode == 0, site.running.entries[-5:]
