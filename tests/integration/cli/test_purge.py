"""`forebay spill purge` on a real Valkey."""

import pytest

from forebay.spill import Kind
from integration.spill.conftest import connect
from peers.valkey import run_valkey

from .command import forebay


@pytest.fixture
async def valkey():
    async with run_valkey() as server:
        yield server


async def left_behind(spill, *owners, count=10):
    """Entries of owners, whose leases are held."""
    spools = [spill.spool(owner) for owner in owners]
    for spool in spools:
        await spool.load()
        await (await spool.append(Kind.BACKLOG, [b"entry"] * count)).wait()
    return spools


async def test_what_a_service_left_is_deleted_and_then_there_is_nothing(valkey):
    async with connect(valkey.url) as spill:
        for spool in await left_behind(spill, "a", "b"):
            await spool.release()
    result = await forebay("spill", "purge", "outfeed", "uid", "--url", valkey.url)
    assert (result.status, result.out) == (0, "2 owners with 20 entries deleted\n")
    assert await valkey.command("DBSIZE") == 0
    again = await forebay("spill", "purge", "outfeed", "uid", "--url", valkey.url, "--output", "json")
    assert (again.status, again.json()) == (0, {"owners": 0, "entries": 0, "bytes": 0})


async def test_the_url_may_come_from_a_file_and_shows_nowhere(valkey, tmp_path):
    await valkey.command("ACL", "SETUSER", "feeder", "on", ">hush", "~*", "+@all")
    file = tmp_path / "url"
    file.write_text(valkey.url.replace("//", "//feeder:hush@") + "\n")
    done = await forebay("spill", "purge", "outfeed", "uid", "--url-file", file)
    assert (done.status, done.out) == (0, "there is nothing to delete\n")
    file.write_text(valkey.url.replace("//", "//feeder:other@"))
    refused = await forebay("spill", "purge", "outfeed", "uid", "--url-file", file)
    assert refused.status == 1
    assert "Redis refuses it or its password" in refused.err
    assert "other" not in refused.out + refused.err


async def test_a_service_that_runs_is_left_alone(valkey):
    async with connect(valkey.url) as spill:
        await left_behind(spill, "a")
        result = await forebay("spill", "purge", "outfeed", "uid", "--url", valkey.url, "--wait", "0.5")
        assert result.status == 1
        assert "the service still runs: end it first" in result.err
        assert await valkey.command("XLEN", "forebay:{outfeed/uid/a}:B:1") == 10


async def test_a_redis_that_is_away_makes_the_status_3():
    result = await forebay("spill", "purge", "outfeed", "uid", "--url", "redis://127.0.0.1:1", "--wait", "0.5")
    assert result.status == 3
    assert "Redis was not reached within 0.5 s" in result.err


@pytest.mark.parametrize("options", [(), ("--url", "redis://r.example", "--url-file", "url")])
async def test_the_url_is_given_in_one_way(options):
    result = await forebay("spill", "purge", "outfeed", "uid", *options)
    assert result.status == 2
    assert "one of them and not both" in result.err
