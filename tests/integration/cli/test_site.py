"""Commands on a running site, which is the same for all of these tests."""

import json
import os
import signal

import pytest

from eventually import eventually
from ports import free_port

from .command import ARTICLES, forebay, started

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = sorted(ARTICLES.glob("*.article"))


async def test_articles_are_offered_and_reach_the_peers(site):
    result = await site.outfeed("offer", *FILES[:20], "-o", "json")
    assert result.status == 0, result.err
    assert result.json() == {
        "offered": 20,
        "accepted": 20,
        "duplicate": 0,
        "no_peer": 0,
        "rejected": 0,
        "rejections": [],
    }
    await eventually(lambda: accepted(site, 20))
    shown = await site.outfeed("peers")
    assert [line.split()[:4] for line in shown.out.splitlines()[1:]] == [
        ["east", "connected", "20", "20"],
        ["west", "connected", "20", "20"],
    ]
    again = await site.outfeed("offer", FILES[0])
    assert [line.split() for line in again.out.splitlines()] == [
        ["offered", "accepted", "duplicate", "no", "peer", "rejected"],
        ["1", "0", "1", "0", "0"],
    ]


async def accepted(site, count):
    return all(peer["counters"]["accepted"] >= count for peer in (await site.peers()).values())


async def test_a_file_that_no_message_holds_is_named(site, tmp_path):
    (tmp_path / "huge.article").write_bytes(b"x" * 17_000_000)
    result = await site.outfeed("offer", FILES[0], tmp_path)
    assert result.status == 1
    assert f"{tmp_path}/huge.article has 17000000 octets, more than the 16711680 that gRPC takes" in result.err


async def test_a_rejected_article_makes_the_status_1(site):
    result = await site.outfeed("offer", "-", stdin=b"Subject: nothing else\r\n\r\nbody\r\n")
    assert result.status == 1
    assert "rejected: -: " in result.err
    assert "1 of 1 articles were rejected" in result.err


async def test_an_article_is_explained(site):
    result = await site.outfeed("explain", FILES[-1], "-o", "json")
    assert result.json()["outcome"] == "accepted"
    assert [(peer["peer"], peer["wanted"]) for peer in result.json()["peers"]] == [("east", True), ("west", True)]


async def test_a_paused_peer_keeps_its_articles_over_a_killed_valkey(site):
    assert "paused" in (await site.outfeed("pause", "west")).out
    os.kill(int((site.data / "valkey" / "default.main" / "lock").read_text().split()[0]), signal.SIGKILL)
    await site.running.logged("valkey is up", times=2)
    assert (await site.outfeed("offer", FILES[30])).status == 0
    await eventually(lambda: kept(site, 1))
    assert (await site.outfeed("flush", "west")).status == 0
    assert (await site.outfeed("resume", "west", "-o", "json")).status == 0
    await eventually(lambda: kept(site, 0))


async def kept(site, entries):
    return (await site.peers())["west"]["backlog"]["entries"] == entries


async def test_dead_letters_are_listed_and_replayed(site):
    assert (await site.outfeed("dead-letters", "west", "-o", "json")).json() == []
    assert (await site.outfeed("replay", "west")).out == "0 articles queued for west again\n"


async def test_an_unknown_peer_is_told(site):
    result = await site.outfeed("pause", "nobody")
    assert result.status == 1
    assert result.err.startswith("Error: there is no peer nobody")


async def test_top_shows_peers_again_and_again(site):
    arguments = ("outfeed", "top", "west", "--interval", "0.1", "-o", "json", "--address", f"127.0.0.1:{site.port}")
    async with started(*arguments) as top:
        await eventually(lambda: len(top.out) >= 3)
        assert await top.ended(signal.SIGINT) == 130
    assert [peer["name"] for peer in json.loads(top.out[0])["peers"]] == ["west"]


async def test_top_can_print_once_as_a_table(site):
    result = await site.outfeed("top", "--once", "--interval", "0.1")
    head, *rows = result.out.splitlines()
    assert head.split()[:2] == ["peer", "state"]
    assert sorted(row.split()[0] for row in rows) == ["east", "west"]


async def test_top_shows_several_outfeeds_together_each_peer_with_its_own(site):
    addresses = [f"127.0.0.1:{site.port}", f"localhost:{site.port}"]
    options = [word for address in addresses for word in ("--address", address)]
    result = await forebay("top", "west", "--once", "--interval", "0.1", *options)
    rows = [line.split() for line in result.out.splitlines()[1:]]
    assert sorted((row[0], row[-1]) for row in rows) == [("west", address) for address in addresses]


async def test_top_once_of_a_service_that_is_away_fails(site):
    result = await forebay("top", "--once", "--address", f"127.0.0.1:{free_port()}")
    assert result.status == 3


async def test_refusals_of_peers_that_take_everything_are_none(site):
    result = await site.outfeed("refusals", "west")
    assert (result.status, result.out.splitlines()[0]) == (0, "no peer has refused anything")


async def test_a_second_process_on_the_same_data_is_refused(site):
    result = await forebay("up", "-f", site.files, "--data", site.data)
    assert result.status == 2
    assert f"is in use by process {site.running.process.pid}" in result.err


async def test_hangup_with_faulty_files_changes_nothing(site):
    site.rewrite("peerfeeds.yaml", "reconnect:", "recnonect:")
    site.running.process.send_signal(signal.SIGHUP)
    entry = await site.running.logged("the files cannot be used, the last configuration stays")
    assert "did you mean reconnect?" in entry["problems"][0]
    assert set(await site.peers()) == {"east", "west"}
    site.rewrite("peerfeeds.yaml", "recnonect:", "reconnect:")


async def test_apply_sends_the_files_to_all_services(site):
    uids = {name: peer["uid"] for name, peer in (await site.peers()).items()}
    site.rewrite("peerfeeds.yaml", "reconnect:", "window: 7\n  reconnect:")
    result = await forebay("apply", "-f", site.files, "--data", site.data)
    assert result.status == 0, result.err
    assert "revision 2" in result.out
    peers = await site.peers()
    assert {peer["window"] for peer in peers.values()} == {7}
    assert {name: peer["uid"] for name, peer in peers.items()} == uids


async def test_hangup_applies_what_changed_in_the_files(site):
    site.rewrite("peerfeeds.yaml", "window: 7", "window: 8")
    site.running.process.send_signal(signal.SIGHUP)
    await eventually(lambda: narrowed(site))


async def narrowed(site):
    return {peer["window"] for peer in (await site.peers()).values()} == {8}
