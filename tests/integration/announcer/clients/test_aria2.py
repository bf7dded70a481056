"""aria2 fetches from libtorrent what it finds through an announcer."""

import shutil

import pytest

from conftest import missing
from eventually import eventually
from ports import free_port
from processes import Running
from torrents import add, session


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_it_fetches_a_file(server, torrent, tmp_path, scheme):
    if shutil.which("aria2c") is None:
        missing("needs aria2: apt-get install --no-install-recommends aria2")
    made, into = torrent(server.url(scheme)), tmp_path / "fetched"
    with session() as seeder:
        add(seeder, made, made.file.parent)
        running = Running(command(made, into), tmp_path / "log")
        try:
            await eventually(lambda: not running.running, within=120)
        finally:
            running.kill()
    assert running.process.returncode == 0, running.tail()
    assert (into / made.file.name).read_bytes() == made.file.read_bytes()


def command(torrent, into):
    """Fetch, then end. It asks UDP trackers only with the DHT on, which finds nobody here."""
    dht = ["--enable-dht=true", f"--dht-listen-port={free_port()}", f"--dht-file-path={into}.dht"]
    nowhere = ["--dht-entry-point=127.0.0.1:9"]
    quiet = ["--enable-dht6=false", "--enable-peer-exchange=false", "--bt-enable-lpd=false", "--no-conf"]
    here = [f"--listen-port={free_port()}", "--interface=127.0.0.1", f"--dir={into}"]
    return ["aria2c", *dht, *nowhere, *quiet, *here, "--seed-time=0", "--bt-stop-timeout=60", torrent.path]
