"""The disk has no room: what was confirmed goes out, nothing new is confirmed, and all goes on once there is room."""

import os

import grpc
import pytest

from conftest import missing
from corpus import synthetic
from eventually import eventually
from outfeedserver import OutfeedServer
from peers.process import run

from .waiting import has_spilled, ids

SIZE = 96 << 20


@pytest.fixture
async def small_disk(tmp_path):
    """A file system of its own; tests fill it with a file."""
    if os.geteuid() != 0:
        missing("needs root, to mount a file system")
    folder = tmp_path / "disk"
    folder.mkdir()
    await run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder)
    yield folder
    await run("umount", folder)


@pytest.fixture
async def cramped(small_disk, redis, peer):
    """A running outfeed on the small disk, with a peer that is away and 500 articles for it."""
    outfeed = OutfeedServer(small_disk, redis.url)
    outfeed.peer("away", peer.port)
    await peer.stop()
    await outfeed.start()
    await outfeed.offer(synthetic(500, 2000))
    await eventually(lambda: has_spilled(outfeed, "away", 500))
    yield outfeed
    await outfeed.close()


def fill(folder):
    """Leave nothing."""
    with (folder / "ballast").open("wb") as file:
        usage = os.statvfs(folder)
        os.posix_fallocate(file.fileno(), 0, usage.f_bavail * usage.f_frsize)


RESTARTS = {"no restart": None, "clean restart": "stop", "dirty restart": "kill"}


@pytest.mark.parametrize("restart", RESTARTS.values(), ids=RESTARTS)
async def test_a_full_disk_stops_the_intake_alone(cramped, small_disk, peer, restart):
    fill(small_disk)
    refused = await cramped.offer(synthetic(100, 2000, start=500))
    assert not refused.confirmed
    assert refused.failure.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "DiskFull" in await cramped.degradations()
    if restart:
        await getattr(cramped, restart)()
        await cramped.start()
    await peer.start()
    counters = await cramped.drained("away")
    assert counters.accepted == counters.offered == 500
    assert peer.articles.keys() == set(ids(synthetic(500, 2000)))
    (small_disk / "ballast").unlink()
    assert "DiskFull" not in await cramped.degradations()
    offered = await cramped.offer(synthetic(100, 2000, start=500))
    assert len(offered.confirmed) == 100
    await cramped.drained("away")
    assert peer.articles.keys() == set(ids(synthetic(600, 2000)))
    await cramped.emptied()


async def test_articles_fill_the_disk_and_are_confirmed_again_once_some_were_sent(cramped, peer):
    offered = await cramped.offer(synthetic(1000, 100_000))
    assert offered.failure.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert 100 < len(offered.confirmed) < 1000
    await peer.start()
    await cramped.drained("away")
    assert peer.articles.keys() == {*ids(synthetic(500, 2000)), *offered.confirmed}
    await cramped.emptied()

    async def takes_all():
        more = await cramped.offer(synthetic(200, 100_000, start=1000))
        return not more.failure

    await eventually(takes_all)
    await cramped.drained("away")
    assert len(peer.articles) == 500 + len(offered.confirmed) + 200
