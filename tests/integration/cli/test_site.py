"""Commands on a running site."""

import os
import signal

import pytest

from eventually import eventually

from .command import ARTICLES, forebay, started

ARTICLE = min(ARTICLES.glob("*.article"))


async def test_articles_are_offered_and_explained(site):
    result = await site.outfeed("offer", ARTICLES, "-o", "json")
    assert result.status == 0, result.err
    count = len(list(ARTICLES.glob("*.article")))
    assert (result.json()["offered"], result.json()["accepted"]) == (count, count)
    again = await site.outfeed("offer", ARTICLE)
    assert again.status == 0
    assert [line.split() for line in again.out.splitlines()] == [
        ["offered", "accepted", "duplicate", "no", "peer", "rejected"],
        ["1", "0", "1", "0", "0"],
    ]
    explained = await site.outfeed("explain", ARTICLE, "-o", "json")
    assert explained.json()["outcome"] == "duplicate"
    await eventually(lambda: delivered(site))


async def delivered(site):
    return all(peer["counters"]["accepted"] > 50 for peer in (await site.peers()).values())


async def test_a_rejected_article_makes_the_status_1(site):
    result = await site.outfeed("offer", "-", stdin=b"Subject: nothing else\r\n\r\nbody\r\n")
    assert result.status == 1
    assert "rejected: -: " in result.err
    assert "1 of 1 articles were rejected" in result.err


async def test_a_peer_is_paused_flushed_and_resumed(site):
    assert "paused" in (await site.outfeed("pause", "west")).out
    assert (await site.outfeed("offer", ARTICLE)).status == 0
    assert (await site.outfeed("flush", "west")).status == 0
    held = (await site.peers())["west"]
    assert (held["state"], held["counters"]["queued"], held["backlog"]["entries"]) == ("paused", 1, 1)
    assert (await site.outfeed("resume", "west")).status == 0
    await eventually(lambda: taken(site))


async def taken(site):
    return (await site.peers())["west"]["counters"]["accepted"] == 1


async def test_dead_letters_are_listed_and_replayed(site):
    assert (await site.outfeed("dead-letters", "west", "-o", "json")).json() == []
    assert (await site.outfeed("replay", "west")).out == "0 articles queued for west again\n"


async def test_an_unknown_peer_is_told(site):
    result = await site.outfeed("pause", "nobody")
    assert result.status == 1
    assert result.err.startswith("Error: there is no peer nobody")


async def test_top_shows_peers_again_and_again(site):
    async with started("outfeed", "top", "--interval", "0.1", "--address", f"127.0.0.1:{site.port}") as top:
        await eventually(lambda: len([line for line in top.out if " west " in line]) >= 3)
        assert await top.ended(signal.SIGINT) == 130


async def test_hangup_applies_what_changed_in_the_files(site):
    site.rewrite("peerfeeds.yaml", "metadata:\n  name: west", "metadata:\n  name: north")
    site.running.process.send_signal(signal.SIGHUP)
    await eventually(lambda: renamed(site))


async def renamed(site):
    return set(await site.peers()) == {"east", "north"}


async def test_hangup_with_faulty_files_changes_nothing(site):
    site.rewrite("peerfeeds.yaml", "reconnect:", "recnonect:")
    site.running.process.send_signal(signal.SIGHUP)
    entry = await site.running.logged("the files cannot be used, the last configuration stays")
    assert "did you mean reconnect?" in entry["problems"][0]
    assert set(await site.peers()) == {"east", "west"}


async def test_apply_sends_the_files_to_all_services(site):
    uids = {name: peer["uid"] for name, peer in (await site.peers()).items()}
    site.rewrite("peerfeeds.yaml", "reconnect:", "window: 7\n  reconnect:")
    result = await forebay("apply", "-f", site.files, "--data", site.data)
    assert result.status == 0, result.err
    assert "revision 2" in result.out
    peers = await site.peers()
    assert {peer["window"] for peer in peers.values()} == {7}
    assert {name: peer["uid"] for name, peer in peers.items()} == uids


async def test_a_second_process_on_the_same_data_is_refused(site):
    result = await forebay("up", "-f", site.files, "--data", site.data)
    assert result.status == 2
    assert f"is in use by process {site.running.process.pid}" in result.err


async def test_a_killed_valkey_is_started_again(site):
    lock = site.data / "valkey" / "default.main" / "lock"
    os.kill(int(lock.read_text()), signal.SIGKILL)
    await site.running.logged("valkey is up", times=2)
    assert (await site.outfeed("pause", "west")).status == 0
    assert (await site.outfeed("offer", ARTICLE)).status == 0
    await eventually(lambda: kept(site))


async def kept(site):
    return (await site.peers())["west"]["backlog"]["entries"] == 1


async def test_one_service_is_served_alone(site, tmp_path):
    arguments = ("serve", "outfeed", "-f", tmp_path / "files", "--name", "hub", "--data", tmp_path / "other")
    assert await site.running.ended() == 0
    async with started(*arguments, "--http", "127.0.0.1:0") as running:
        assert (await running.logged("ready"))["grpc_port"] == site.port
        assert set(await site.peers()) == {"east", "west"}
        running.process.send_signal(signal.SIGHUP)
        await running.logged("configuration applied", times=2)
        assert await running.ended() == 0


@pytest.mark.parametrize("arguments", [["peers"], ["offer", ARTICLE, "--patience", "0"]])
async def test_a_service_that_is_away_makes_the_status_3(arguments, tmp_path):
    result = await forebay("outfeed", *arguments, FOREBAY_OUTFEED=f"unix:{tmp_path}/none")
    assert result.status == 3
    assert "Is the service running there?" in result.err
    assert "Traceback" not in result.err


async def test_the_shell_completes_commands():
    result = await forebay(_FOREBAY_COMPLETE="complete_bash", COMP_WORDS="forebay outfeed pa", COMP_CWORD="2")
    assert result.out.split() == ["pause"]
