"""transmission announces to an announcer. It never connects to peers on loopback, so no file is transferred."""

import json
import shutil

import pytest

from conftest import missing
from eventually import eventually
from ports import free_port
from processes import Running


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_it_announces_that_it_seeds(server, torrent, tmp_path, scheme):
    if shutil.which("transmission-daemon") is None:
        missing("needs transmission: apt-get install --no-install-recommends transmission-daemon")
    made, folder = torrent(server.url(scheme)), tmp_path / "transmission"
    settings(folder, made)
    running = Running(["transmission-daemon", "-f", "-g", folder], tmp_path / "log")
    try:
        await eventually(lambda: has_one(server, made), within=120)
    finally:
        running.stop()


async def has_one(server, torrent):
    async with server.client() as client:
        (swarm,) = await client.scrape(torrent.info_hash)
    return swarm.complete + swarm.incomplete == 1


def settings(folder, torrent):
    """All that might reach out is off; what lies in the folder `watch` is seeded."""
    watch = folder / "watch"
    watch.mkdir(parents=True)
    shutil.copy(torrent.path, watch)
    told = {
        "bind-address-ipv4": "127.0.0.1", "bind-address-ipv6": "::1", "peer-port": free_port(),
        "dht-enabled": False, "lpd-enabled": False, "pex-enabled": False, "utp-enabled": False,
        "port-forwarding-enabled": False, "rpc-bind-address": "127.0.0.1", "rpc-port": free_port(),
        "watch-dir": str(watch), "watch-dir-enabled": True, "download-dir": str(torrent.file.parent),
        "scrape-paused-torrents-enabled": False, "start-added-torrents": True,
    }  # fmt: skip
    (folder / "settings.json").write_text(json.dumps(told))
