"""All that a service had is deleted once it has ended, and nothing before."""

import asyncio

import pytest

from forebay.spill import Depth, Kind, SpillHeldError, purge
from integration.spill.conftest import QUICK, connect, contents
from peers.valkey import run_cluster

OWNERS = [f"peer {number}" for number in range(12)]


async def fill(spill, *owners):
    """Three entries an owner, in several streams of all kinds."""
    return await asyncio.gather(*(fill_one(spill.spool(owner, QUICK)) for owner in owners))


async def fill_one(spool):
    await spool.load()
    await spool.append(Kind.BACKLOG, [b"a" * 100])
    await spool.append(Kind.BACKLOG, [b"b" * 100])
    await (await spool.append(Kind.DEFERRED, [b"c" * 100])).wait()
    return spool


async def release(spools):
    for spool in spools:
        await spool.release()


async def purged(url, **options):
    """Purge as a client of its own; what each owner had."""
    async with connect(url) as spill:
        return [depth async for depth in purge(spill, options.get("wait", 30))]


async def test_everything_of_a_service_that_has_ended_is_deleted(valkey):
    async with connect(valkey.url) as spill:
        await release(await fill(spill, *OWNERS[:3]))
    await valkey.command("SET", "forebay:{outfeed/other}:owners", "x")
    assert await purged(valkey.url) == [Depth(3, 300)] * 3
    assert await valkey.command("KEYS", "*") == [b"forebay:{outfeed/other}:owners"]


async def test_where_there_is_nothing_there_is_nothing_to_do(valkey):
    assert await purged(valkey.url) == []
    assert await valkey.command("DBSIZE") == 0


async def test_leases_of_a_killed_service_are_waited_for(valkey):
    async with connect(valkey.url, lease_ttl=1) as spill:
        await fill(spill, *OWNERS[:3])
    assert len(await purged(valkey.url)) == 3
    assert await valkey.command("DBSIZE") == 0


async def test_a_service_that_runs_loses_nothing(valkey):
    async with connect(valkey.url) as running:
        first, second = await fill(running, "a", "b")
        await first.release()
        with pytest.raises(SpillHeldError, match=r"b: its lease is held after 0\.3 s"):
            await purged(valkey.url, wait=0.3)
        assert (await contents(second))[Kind.DEFERRED] == [b"c" * 100]
        # The lease of the other was given back: it need not be waited for.
        await first.load()
        assert (await contents(first))[Kind.BACKLOG] == [b"a" * 100, b"b" * 100]


async def test_what_an_interrupted_purge_left_is_deleted_by_the_next(valkey):
    async with connect(valkey.url) as spill:
        await release(await fill(spill, *OWNERS[:3]))
    async with connect(valkey.url, lease_ttl=1) as spill:
        async for _ in purge(spill, 30):
            break
    assert len(await purged(valkey.url)) == 2
    assert await valkey.command("DBSIZE") == 0


async def test_owners_that_are_spread_over_a_cluster_are_all_deleted():
    async with run_cluster() as cluster:
        async with connect(cluster.url) as spill:
            await release(await fill(spill, *OWNERS))
        assert len(await purged(cluster.url)) == len(OWNERS)
        assert [await node.command("DBSIZE") for node in cluster.masters] == [0, 0, 0]
