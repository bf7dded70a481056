"""Appending: rotation, durability, order."""

import asyncio

import pytest

from forebay.spill import Kind, Spill, SpillSettings, Spool, SpoolSettings
from integration.spill.conftest import contents, drain
from peers.valkey import Valkey, run_valkey


async def streams(valkey: Valkey) -> list[str]:
    keys = await valkey.command("KEYS", "forebay:{outfeed/uid/peer}:[BDRX]*")
    return sorted(key.decode().split(":")[2] + ":" + key.decode().split(":")[-1] for key in keys)


async def test_an_entry_is_one_field_of_one_stream_entry(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"a\x00b"])
    ((_, fields),) = await valkey.command("XRANGE", "forebay:{outfeed/uid/peer}:B:1", "-", "+")
    assert fields == {b"e": b"a\x00b"}


async def test_a_full_stream_is_closed_at_the_next_append(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"x" * 100])
    assert await streams(valkey) == ["B:1"]
    await spool.append(Kind.BACKLOG, [b"y"])
    assert await streams(valkey) == ["B:1", "B:2"]
    assert spool.state.backlog.entries == 2


async def test_a_stream_that_is_not_full_stays_open(spool: Spool, valkey: Valkey) -> None:
    for _ in range(3):
        await spool.append(Kind.BACKLOG, [b"x" * 33])
    assert await streams(valkey) == ["B:1"]


async def test_a_full_stream_that_is_too_young_stays_open(spool: Spool, valkey: Valkey) -> None:
    spool.settings = SpoolSettings(rotate_bytes=100, rotate_age=60)
    for _ in range(3):
        await spool.append(Kind.BACKLOG, [b"x" * 100])
    assert await streams(valkey) == ["B:1"]


async def test_backlog_and_deferred_rotate_apart(spool: Spool, valkey: Valkey) -> None:
    for kind in (Kind.BACKLOG, Kind.DEFERRED, Kind.BACKLOG, Kind.DEFERRED):
        await spool.append(kind, [b"x" * 100])
    assert await streams(valkey) == ["B:1", "B:3", "D:2", "D:4"]


async def test_a_long_append_keeps_its_order_over_many_streams(spool: Spool) -> None:
    entries = [b"%06d" % number for number in range(5000)]
    await spool.append(Kind.BACKLOG, entries)
    assert (await contents(spool))[Kind.BACKLOG] == entries
    assert spool.state.backlog.bytes == 30_000
    assert len(spool._desk.ledger.queues[Kind.BACKLOG]) == 5


async def test_order_is_kept_when_redis_forgets_the_scripts(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"first"])
    await valkey.command("SCRIPT", "FLUSH")
    entries = [b"%06d" % number for number in range(3000)]
    await spool.append(Kind.BACKLOG, entries)
    assert (await contents(spool))[Kind.BACKLOG] == [b"first", *entries]


async def test_an_empty_append_is_durable_at_once(spool: Spool) -> None:
    assert (await spool.append(Kind.BACKLOG, [])).done


async def test_with_everysec_the_handle_resolves_later(spool: Spool) -> None:
    durable = await spool.append(Kind.BACKLOG, [b"a"])
    assert not durable.done
    await asyncio.wait_for(durable.wait(), 20)
    assert durable.done


async def test_many_appends_share_one_fence(spool: Spool, valkey: Valkey) -> None:
    await valkey.command("CONFIG", "RESETSTAT")
    handles = [await spool.append(Kind.BACKLOG, [b"a"]) for _ in range(50)]
    await asyncio.gather(*(handle.wait() for handle in handles))
    stats = await valkey.command("INFO", "commandstats")
    assert stats["cmdstat_waitaof"]["calls"] <= 3


async def test_with_always_an_append_returns_durable() -> None:
    async with run_valkey("--appendfsync", "always") as valkey:
        spill = await opened(valkey)
        spool = spill.spool("peer")
        await spool.load()
        durable = await spool.append(Kind.BACKLOG, [b"a", b"b"])
        assert durable.done
        await valkey.kill()
        await valkey.start()
        await spill.ready()
        await spool.load()
        assert (await contents(spool))[Kind.BACKLOG] == [b"a", b"b"]
        await spill.close()


async def test_with_always_concurrent_owners_share_a_wait() -> None:
    async with run_valkey("--appendfsync", "everysec") as valkey:
        spill = await opened(valkey)
        spools = [spill.spool(f"peer {number}") for number in range(20)]
        await asyncio.gather(*(spool.load() for spool in spools))
        await valkey.command("CONFIG", "RESETSTAT")
        await asyncio.gather(*(spool.append(Kind.BACKLOG, [b"a"]) for spool in spools))
        stats = await valkey.command("INFO", "commandstats")
        assert stats["cmdstat_waitaof"]["calls"] <= 4
        await spill.close()


async def opened(valkey: Valkey) -> Spill:
    spill = Spill(SpillSettings(valkey.url, durability="always", reconnect_max=0.3), "outfeed", "uid")
    await spill.ready()
    return spill


async def test_large_entries_travel_in_smaller_batches(spool: Spool) -> None:
    entries = [bytes([number]) * 400_000 for number in range(8)]
    await spool.append(Kind.BACKLOG, entries)
    assert await drain(spool) == entries


@pytest.mark.parametrize("owner", ["a/b", "übung {x}", "news.example.com:119", "%2F"])
async def test_any_text_names_an_owner(spill: Spill, owner: str) -> None:
    spool = spill.spool(owner)
    await spool.load()
    await spool.append(Kind.BACKLOG, [b"a"])
    assert await spill.owners() == [owner]
    assert await drain(spool) == [b"a"]


async def test_the_registry_names_an_owner_before_its_first_append(spill: Spill) -> None:
    await spill.spool("peer").load()
    assert await spill.owners() == ["peer"]


async def test_purge_leaves_nothing(spool: Spool, spill: Spill, valkey: Valkey) -> None:
    for kind in (Kind.BACKLOG, Kind.DEFERRED, Kind.BACKLOG):
        durable = await spool.append(kind, [b"x" * 100])
    await durable.wait()
    await spool.promote(0)
    await spool.purge()
    assert await valkey.command("DBSIZE") == 0
    assert await spill.owners() == []
