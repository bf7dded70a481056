"""Timetables: rows with times, under a lease."""

import pytest

from eventually import eventually
from forebay.spill import Change, LeaseLostError, Row, SpillAnswerError, SpillFullError, SpillUnavailableError, purge
from integration.spill.conftest import connect
from peers.valkey import run_cluster

KEYS = "forebay:{outfeed/uid/owner}:"
ROWS = [Row(b"soon", 1_700_000_000_000_001, b"s"), Row(b"later", 1_700_000_000_000_002, b"l" * 100)]


@pytest.fixture
async def timetable(spill):
    timetable = spill.timetable("owner")
    await timetable.load()
    return timetable


async def rows(timetable, count=1000):
    return [row async for page in timetable.rows(count) for row in page]


async def test_rows_come_in_the_order_of_their_times(timetable):
    await timetable.change(reversed(ROWS), [])
    assert await rows(timetable) == ROWS
    assert await rows(timetable, count=1) == ROWS


async def test_a_row_takes_the_place_of_one_with_its_key(timetable):
    await timetable.change(ROWS, [])
    moved = Row(b"soon", ROWS[1].at + 1, b"new")
    await timetable.change([moved], [])
    assert await rows(timetable) == [ROWS[1], moved]


async def test_what_is_struck_is_gone_and_leaves_nothing(timetable, valkey):
    await timetable.change(ROWS, [])
    await timetable.change([], [b"soon", b"unknown"])
    assert await rows(timetable) == ROWS[1:]
    await timetable.change([], [b"later"])
    assert await valkey.command("EXISTS", f"{KEYS}T", f"{KEYS}V") == 0


async def test_nothing_to_change_asks_nothing(timetable, valkey):
    await valkey.stop()
    await timetable.change([], [])


async def test_many_rows(timetable):
    many = [Row(b"%d" % number, 1_700_000_000_000_000 + number, b"x" * 200) for number in range(3500)]
    await timetable.change(many, [])
    assert await rows(timetable) == many
    await timetable.change([], [row.key for row in many[:3000]])
    assert await rows(timetable) == many[3000:]


async def test_another_client_finds_what_was_written(timetable, valkey):
    await timetable.change(ROWS, [])
    await timetable.release()
    async with connect(valkey.url) as other:
        again = other.timetable("owner")
        await again.load()
        assert await rows(again) == ROWS
        assert await other.owners() == ["owner"]


async def test_who_has_lost_the_lease_changes_nothing(timetable, valkey):
    await timetable.change(ROWS[:1], [])
    await valkey.command("HSET", f"{KEYS}meta", "lease", "other")
    with pytest.raises(LeaseLostError):
        await timetable.change(ROWS[1:], [b"soon"])
    assert await valkey.command("HKEYS", f"{KEYS}V") == [b"soon"]
    with pytest.raises(LeaseLostError):
        await timetable.change([], [b"soon"])


async def test_the_lease_is_kept(valkey):
    async with connect(valkey.url, lease_ttl=0.6) as spill:
        timetable = spill.timetable("owner")
        await timetable.load()
        end = int(await valkey.command("HGET", f"{KEYS}meta", "expires"))
        await eventually(lambda: ends_after(valkey, end + 1000))
        await timetable.change(ROWS, [])


async def ends_after(valkey, at):
    return int(await valkey.command("HGET", f"{KEYS}meta", "expires")) > at


async def test_a_restart_of_redis_voids_the_lease_and_is_told(spill, timetable, valkey):
    events = []
    spill.on_state(events.append)
    await valkey.stop()
    valkey.remove_log()
    await valkey.start()
    restarted = await eventually(lambda: [event for event in events if event.change is Change.RESTARTED])
    assert restarted[0].empty
    await eventually(lambda: spill.available)
    with pytest.raises(LeaseLostError):
        await timetable.change(ROWS, [])
    await timetable.load()
    await timetable.change(ROWS, [])
    assert await rows(timetable) == ROWS


async def test_redis_away_is_told(timetable, valkey):
    await valkey.stop()
    with pytest.raises((SpillUnavailableError, LeaseLostError)):
        await timetable.change(ROWS, [])


async def test_a_full_redis_takes_rows_out_and_none_in(spill, timetable, valkey):
    await timetable.change(ROWS[:1], [])
    await valkey.command("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(SpillFullError):
        await timetable.change(ROWS[1:], [b"soon"])
    assert spill.full
    assert await rows(timetable) == []
    await valkey.command("CONFIG", "SET", "maxmemory", "0")
    await eventually(lambda: not spill.full)
    await timetable.change(ROWS[1:], [])
    assert await rows(timetable) == ROWS[1:]


async def test_a_key_of_another_type_is_told(timetable, valkey):
    await valkey.command("SET", f"{KEYS}V", "x")
    with pytest.raises(SpillAnswerError):
        await timetable.change(ROWS, [])


async def test_with_durability_always_rows_are_on_disk_on_return(valkey):
    await valkey.command("CONFIG", "SET", "appendfsync", "always")
    async with connect(valkey.url, durability="always") as spill:
        timetable = spill.timetable("owner")
        await timetable.load()
        await timetable.change(ROWS, [])
    await valkey.kill()
    await valkey.start()
    assert await valkey.command("HLEN", f"{KEYS}V") == 2


async def test_a_purge_takes_timetables_too(timetable, valkey):
    await timetable.change(ROWS, [])
    await timetable.release()
    async with connect(valkey.url) as spill:
        assert len([depth async for depth in purge(spill, 30)]) == 1
    assert await valkey.command("DBSIZE") == 0


async def test_in_a_cluster_all_keys_of_an_owner_are_in_one_slot():
    async with run_cluster() as cluster, connect(cluster.url) as spill:
        for number in range(8):
            timetable = spill.timetable(f"owner {number}")
            await timetable.load()
            await timetable.change(ROWS, [])
            assert await rows(timetable) == ROWS
