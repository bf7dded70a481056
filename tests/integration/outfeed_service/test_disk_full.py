"""The disk has no room: what was confirmed goes out, nothing new is confirmed, and all goes on once there is room."""

import os
from contextlib import suppress

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
    try:
        await run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder)
    except AssertionError as error:
        missing(f"needs the right to mount a file system: {error}")
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
        size = 0
        for step in (1 << 20, 1 << 12):
            with suppress(OSError):
                while True:
                    os.posix_fallocate(file.fileno(), size, step)
                    size += step


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


async def test_peers_change_on_a_full_disk_as_far_as_they_can(cramped, small_disk, peer, recording_peer):
    fill(small_disk)
    second = await recording_peer()
    cramped.peer("east", second.port)
    faults = [each for each in (await cramped.apply()).results if each.violations]
    assert [(each.name, "disk" in each.violations[0].description) for each in faults] == [("east", True)]
    port = cramped.peer_options.pop("away")["port"]
    await cramped.apply()
    (small_disk / "ballast").unlink()
    cramped.peer("north", port)
    assert not [each for each in (await cramped.apply()).results if each.violations]
    await cramped.emptied()
    await cramped.offer(synthetic(10, 2000, start=500))
    assert (await cramped.drained("east")).accepted == 10


async def test_articles_fill_the_disk_and_are_confirmed_again_once_some_were_sent(cramped, peer):
    offered = await cramped.offer(synthetic(1000, 100_000))
    # gRPC sometimes tells that it could not send on, instead of what it was told.
    assert offered.failure.code() in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INTERNAL)
    assert 100 < len(offered.confirmed) < 1000
    await peer.start()
    await cramped.drained("away")
    # Batches behind the one that found no room may have found some.
    assert peer.articles.keys() >= {*ids(synthetic(500, 2000)), *offered.confirmed}
    await cramped.emptied()

    more = list(synthetic(200, 100_000, start=1000))

    async def takes_all():
        return not (await cramped.offer(more)).failure

    await eventually(takes_all)
    await cramped.drained("away")
    assert peer.articles.keys() >= set(ids(more))
