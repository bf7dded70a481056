"""Sessions of libtorrent find each other through an announcer, and transfer a file."""

import pytest

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
            await eventually(lambda: is_announced(seeder), within=120)
            add(leecher, made, into)
            await eventually(lambda: fetched(into, made), within=120)
    async with server.client() as client:
        (one,) = await client.forwarders()
    assert one.answers


def is_announced(session):
    """Whether its trackers have answered."""
    trackers = [tracker for handle in session.get_torrents() for tracker in handle.trackers()]
    return bool(trackers) and all(
        any(has_answered(each) for endpoint in tracker["endpoints"] for each in endpoint["info_hashes"])
        for tracker in trackers
    )


def has_answered(announcing):
    return announcing["scrape_complete"] >= 0 or (announcing["start_sent"] and not announcing["updating"])
