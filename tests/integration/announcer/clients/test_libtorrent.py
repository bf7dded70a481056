"""Sessions of libtorrent find each other through an announcer, and transfer a file."""

from types import SimpleNamespace

import pytest

from announcing import get
from conftest import missing, peer_script
from eventually import eventually
from peers import opentracker
from peers.opentracker import run_opentracker
from torrents import add, session


def fetched(folder, torrent):
    """Whether the file is there, whole."""
    file = folder / torrent.file.name
    return file.exists() and file.read_bytes() == torrent.file.read_bytes()


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_two_sessions_transfer_a_file(server, torrent, tmp_path, scheme):
    made = torrent(server.url(scheme))
    into = tmp_path / "fetched"
    with session() as seeder, session() as leecher:
        add(seeder, made, made.file.parent)
        await eventually(lambda: seeds(server, made, 1), within=120)
        add(leecher, made, into)
        await eventually(lambda: fetched(into, made), within=120)
        await eventually(lambda: seeds(server, made, 2), within=120)


async def seeds(server, torrent, number):
    async with server.client() as client:
        (swarm,) = await client.scrape(torrent.info_hash)
    return swarm.complete == number


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_a_session_finds_one_that_only_an_upstream_tracker_knows(server, torrent, tmp_path, scheme):
    if reason := opentracker.lacking():
        missing(reason)
    made = torrent(server.url())
    into = tmp_path / "fetched"
    with run_opentracker(peer_script("opentracker.sh"), [made.info_hash]) as (port, _):
        upstream = f"{scheme}://127.0.0.1:{port}/announce"
        server.forwarder("upstream", upstream)
        await server.apply()
        with session() as seeder, session() as leecher:
            add(seeder, made, made.file.parent, tracker=upstream)
            await eventually(lambda: is_seeded(port, made), within=120)
            add(leecher, made, into)
            await eventually(lambda: fetched(into, made), within=120)
    async with server.client() as client:
        (one,) = await client.forwarders()
    assert one.answers


async def is_seeded(port, torrent):
    """Whether the tracker on a port knows a seeder."""
    files = (await get(SimpleNamespace(port=port), "/scrape", info_hash=torrent.info_hash))[b"files"]
    return files.get(torrent.info_hash, {}).get(b"complete") == 1
