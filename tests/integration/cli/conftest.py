from collections.abc import AsyncIterator
from pathlib import Path

import pytest

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
        return {peer["name"]: peer for peer in (await self.outfeed("peers", "-o", "json")).json()}

    def rewrite(self, name: str, old: str, new: str) -> None:
        """Change a file."""
        path = self.files / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest.fixture
async def site(tmp_path) -> AsyncIterator[Site]:
    site = Site(tmp_path)
    async with started("up", "-f", site.files, "--data", site.data) as site.running:
        await site.running.logged("ready", times=3)
        yield site
    assert site.running.process.returncode == 0, site.running.entries[-5:]
