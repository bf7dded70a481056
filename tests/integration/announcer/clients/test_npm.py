"""npm's bittorrent-tracker: its client announces to an announcer, and its tracker is one's upstream."""

import pytest

from announcing import announce, octets
from conftest import missing
from eventually import eventually
from peers import npmtracker
from peers.npmtracker import npm_announce, run_npm_tracker


@pytest.fixture(autouse=True)
def installed():
    if reason := npmtracker.lacking():
        missing(reason)


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_its_client_hears_of_others(server, scheme):
    await announce(server, port=1001)
    answer = await npm_announce(server.url(scheme), octets("torrent"), 1002)
    assert answer["peers"] == ["127.0.0.1:1001"]
    assert answer["incomplete"] == 2


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_peers_of_its_tracker_are_told(server, tmp_path, scheme):
    async with run_npm_tracker(tmp_path / "npm.log") as upstream:
        url = f"{scheme}://127.0.0.1:{upstream.port}/announce"
        await npm_announce(url, octets("torrent"), 1003)
        server.forwarder("npm", url)
        await server.apply()
        await announce(server, peer="ours", port=1001)

        async def told():
            peers = (await announce(server, peer="late", port=1002))[b"peers"]
            return bytes([127, 0, 0, 1, 3, 235]) in peers

        await eventually(told)
