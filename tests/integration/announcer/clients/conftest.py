"""An announcer, and real clients of it."""

import pytest

from announcerserver import AnnouncerServer
from torrents import make_torrent


@pytest.fixture
async def server(tmp_path):
    """A running announcer that tells clients to come back soon."""
    folder = tmp_path / "announcer"
    folder.mkdir()
    server = AnnouncerServer(folder, announces={"interval": "10s", "minInterval": "1s"})
    await server.start()
    yield server
    assert server.running.stop() == 0


@pytest.fixture
def torrent(tmp_path):
    """Make a torrent of 300,000 octets, whose tracker is told; each test has one of its own."""

    def make(tracker: str):
        folder = tmp_path / "seed"
        folder.mkdir(exist_ok=True)
        return make_torrent(folder, tmp_path.name, tracker)

    return make
