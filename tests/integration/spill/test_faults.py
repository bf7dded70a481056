"""Leases, crashes and restarts, Redis away, full or unfit."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from eventually import eventually
from forebay.spill import (
    Change,
    DeadLetter,
    Kind,
    LeaseLostError,
    Spill,
    SpillCheckError,
    SpillFullError,
    SpillUnavailableError,
    Spool,
    StateEvent,
)
from integration.spill.conftest import QUICK, connect, contents, drain
from peers.valkey import Valkey, new_valkey, run_small_valkey, run_valkey

Clients = Callable[..., Awaitable[Spill]]


async def loaded(spill: Spill) -> Spool:
    spool = spill.spool("peer", QUICK)
    await spool.load()
    return spool


def recorded(spill: Spill) -> list[StateEvent]:
    events: list[StateEvent] = []
    spill.on_state(events.append)
    return events


def changes(events: list[StateEvent]) -> list[Change]:
    return [event.change for event in events]


async def test_a_second_drainer_waits_until_the_lease_runs_out(clients: Clients) -> None:
    first, second = [await clients(lease_ttl=0.6) for _ in range(2)]
    await (await loaded(first)).append(Kind.BACKLOG, [b"a"])
    waiting = asyncio.create_task(loaded(second))
    await asyncio.sleep(1)
    assert not waiting.done()
    await first.close()
    spool = await asyncio.wait_for(waiting, 10)
    assert await drain(spool) == [b"a"]


async def test_who_comes_back_under_its_old_name_need_not_wait_and_its_former_life_is_fenced_off(
    clients: Clients,
) -> None:
    former, present = [await clients(lease_ttl=60, holder="00ff") for _ in range(2)]
    old = await loaded(former)
    await asyncio.wait_for(loaded(present), 5)
    with pytest.raises(LeaseLostError):
        await old.append(Kind.BACKLOG, [b"late"])


async def test_a_lease_given_back_is_taken_at_once(clients: Clients) -> None:
    first, second = [await clients() for _ in range(2)]
    await (await loaded(first)).release()
    await asyncio.wait_for(loaded(second), 5)


async def test_who_lost_the_lease_changes_nothing(clients: Clients, valkey: Valkey) -> None:
    first, second = [await clients() for _ in range(2)]
    old = await loaded(first)
    await old.append(Kind.BACKLOG, [b"a"])
    await valkey.command("HSET", "forebay:{outfeed/uid/peer}:meta", "expires", 0)
    new = await loaded(second)
    with pytest.raises(LeaseLostError, match="another holder"):
        await old.append(Kind.BACKLOG, [b"b"])
    with pytest.raises(LeaseLostError):
        await old.promote(0)
    assert (await contents(new))[Kind.BACKLOG] == [b"a"]
    assert first.metrics.leases_lost == 1


async def test_a_lease_ends_by_redis_own_clock(clients: Clients, valkey: Valkey) -> None:
    spool = await loaded(await clients())
    await valkey.command("HSET", "forebay:{outfeed/uid/peer}:meta", "expires", 0)
    with pytest.raises(LeaseLostError):
        await spool.append(Kind.BACKLOG, [b"b"])


async def test_a_holder_that_could_not_renew_stops_by_its_own_clock(clients: Clients, valkey: Valkey) -> None:
    spool = await loaded(await clients(lease_ttl=0.3))
    valkey.freeze()
    await asyncio.sleep(0.4)
    with pytest.raises(LeaseLostError):
        await spool.read(1)
    valkey.thaw()


async def test_a_lease_that_runs_out_while_a_command_is_on_its_way_changes_nothing(
    clients: Clients, valkey: Valkey
) -> None:
    spill = await clients(lease_ttl=0.6)
    spool = await loaded(spill)
    valkey.freeze()
    appending = asyncio.create_task(spool.append(Kind.BACKLOG, [b"a"]))
    await asyncio.sleep(0.7)
    valkey.thaw()
    with pytest.raises(LeaseLostError, match="its lease ran out"):
        await appending
    await spool.load()
    assert (await contents(spool))[Kind.BACKLOG] == []


async def test_a_lease_is_renewed(clients: Clients) -> None:
    spool = await loaded(await clients(lease_ttl=0.6))
    await asyncio.sleep(1.5)
    await spool.append(Kind.BACKLOG, [b"a"])


async def test_a_restart_voids_the_lease_and_is_told(spool: Spool, spill: Spill, valkey: Valkey) -> None:
    events = recorded(spill)
    await (await spool.append(Kind.BACKLOG, [b"a"])).wait()
    await valkey.stop()
    await valkey.start()
    await eventually(lambda: spill.available)
    assert Change.RESTARTED in changes(events)
    assert not next(event for event in events if event.change is Change.RESTARTED).empty
    with pytest.raises(LeaseLostError):
        await spool.append(Kind.BACKLOG, [b"b"])
    before = spool.tenure.run_id
    loaded_again = await spool.load()
    assert loaded_again.run_id != before
    assert await drain(spool) == [b"a"]


async def test_after_a_restart_another_drainer_need_not_wait(clients: Clients, valkey: Valkey) -> None:
    first = await clients(lease_ttl=600)
    await (await (await loaded(first)).append(Kind.BACKLOG, [b"a"])).wait()
    await valkey.stop()
    await valkey.start()
    second = await clients(lease_ttl=600)
    await asyncio.wait_for(loaded(second), 10)


async def test_a_restart_without_anything_kept_is_told_as_empty(spool: Spool, spill: Spill, valkey: Valkey) -> None:
    events = recorded(spill)
    await spool.append(Kind.BACKLOG, [b"a"])
    await valkey.kill()
    valkey.remove_log()
    await valkey.start()
    await eventually(lambda: spill.available)
    assert next(event for event in events if event.change is Change.RESTARTED).empty
    assert (await spool.load()).fresh
    assert spool.state.backlog.entries == 0


async def test_what_was_durable_outlives_a_kill(spool: Spool, spill: Spill, valkey: Valkey) -> None:
    entries = [b"%d" % number for number in range(5000)]
    await (await spool.append(Kind.BACKLOG, entries)).wait()
    await valkey.kill()
    await valkey.start()
    await spill.ready()
    await spool.load()
    assert await drain(spool, 1000) == entries


async def test_what_a_restart_may_have_lost_is_not_called_durable(spool: Spool, valkey: Valkey) -> None:
    await (await spool.append(Kind.BACKLOG, [b"first"])).wait()
    durable = await spool.append(Kind.BACKLOG, [b"a"])
    await valkey.kill()
    await valkey.start()
    with pytest.raises(SpillUnavailableError, match="restarted"):
        await asyncio.wait_for(durable.wait(), 20)


async def test_a_log_cut_short_leaves_a_spool_in_step(spool: Spool, spill: Spill, valkey: Valkey) -> None:
    for number in range(10):
        await spool.append(Kind.BACKLOG, [b"%d" % number * 30] * 3)
    await (await spool.append(Kind.BACKLOG, [b"last"])).wait()
    await valkey.kill()
    valkey.cut_log(600)
    await valkey.start()
    await spill.ready()
    state = (await spool.load()).state
    kept = (await contents(spool))[Kind.BACKLOG]
    assert 0 < len(kept) < 31
    assert (state.backlog.entries, state.backlog.bytes) == (len(kept), sum(map(len, kept)))
    assert await drain(spool) == kept


STEPS = ["append", "promote", "read", "ack", "defer", "dead letter", "append more", "finish"]


@pytest.mark.parametrize("last", range(len(STEPS)), ids=STEPS)
async def test_a_crash_after_any_step_loses_nothing(last: int) -> None:
    async with run_valkey("--appendfsync", "always") as valkey:
        async with connect(valkey.url, lease_ttl=600) as spill:
            settled = await run_steps(await loaded(spill), last)
        await valkey.kill()
        await valkey.start()
        async with connect(valkey.url, lease_ttl=600) as spill:
            found = await contents(await loaded(spill))
    everything = sorted(entry[-1:] for entries in found.values() for entry in entries)
    expected = {b"1", b"2", b"3", b"4", *([b"5"] if last >= 6 else [])} - settled
    assert everything == sorted(expected)


async def run_steps(spool: Spool, last: int) -> set[bytes]:
    """Do the steps up to a number; return the entries that are settled for good."""
    await spool.append(Kind.BACKLOG, [b"1", b"2", b"3", b"4"])
    if last >= 1:
        await spool.promote(0)
    entries = await spool.read(9) if last >= 2 else []
    if last >= 3:
        spool.ack([entries[0].id])
        await spool.checkpoint()
    if last >= 4:
        await spool.defer([(entries[1].id, b"again 2")])
    if last >= 5:
        await spool.dead_letter([DeadLetter(b"3", "no", 1, 1, entries[2].id)])
    if last >= 6:
        await spool.append(Kind.BACKLOG, [b"5"])
    if last >= 7:
        spool.ack([entries[3].id])
        await spool.checkpoint()
        return {b"1", b"4"}
    return {b"1"} if last >= 3 else set()


async def test_away_is_told_at_once_and_ends_by_itself(spool: Spool, spill: Spill, valkey: Valkey, scale: int) -> None:
    events = recorded(spill)
    await (await spool.append(Kind.BACKLOG, [b"a"])).wait()
    await valkey.kill()
    await eventually(lambda: not spill.available)
    began = time.monotonic()
    with pytest.raises(SpillUnavailableError):
        await spool.append(Kind.BACKLOG, [b"b"])
    assert time.monotonic() - began < 0.5
    await asyncio.sleep(0.5 * scale)
    await valkey.start()
    await spill.ready()
    await spool.load()
    await spool.append(Kind.BACKLOG, [b"c"])
    assert await drain(spool) == [b"a", b"c"]
    assert changes(events)[0] is Change.UNAVAILABLE
    assert changes(events)[-2:] == [Change.RESTARTED, Change.AVAILABLE]
    assert spill.metrics.reconnects == 1


async def test_a_client_starts_without_redis() -> None:
    async with new_valkey() as valkey, connect(valkey.url, ready=False) as spill:
        with pytest.raises(SpillUnavailableError):
            await spill.spool("peer").load()
        await valkey.start()
        await asyncio.wait_for(spill.ready(), 20)
        await spill.spool("peer").load()


async def test_a_server_that_hangs_counts_as_away(clients: Clients, valkey: Valkey) -> None:
    spill = await clients(answer_timeout=0.3, connect_timeout=0.3)
    spool = await loaded(spill)
    valkey.freeze()
    with pytest.raises(SpillUnavailableError, match="did not answer within"):
        await spool.append(Kind.BACKLOG, [b"a"])
    valkey.thaw()
    await spill.ready()
    await spool.append(Kind.BACKLOG, [b"b"])
    # The first append was sent and may count, but the ledger agrees with the stream in either case.
    assert (await contents(spool))[Kind.BACKLOG] in ([b"b"], [b"a", b"b"])
    assert spool.state.backlog.entries == len(await drain(spool))


async def test_a_server_that_hangs_is_connected_to_again_and_again(clients: Clients, valkey: Valkey) -> None:
    spill = await clients(answer_timeout=0.3, connect_timeout=0.3)
    spool = await loaded(spill)
    events = recorded(spill)
    valkey.freeze()
    with pytest.raises(SpillUnavailableError):
        await spool.append(Kind.BACKLOG, [b"a"])
    reason = "cannot connect to Redis: no answer within 0.3 s"
    await eventually(lambda: reason in [event.reason for event in events])
    valkey.thaw()
    await spill.ready()


@pytest.mark.parametrize("durability", ["everysec", "always"])
async def test_a_log_that_is_turned_off_is_noticed_and_nothing_is_called_durable_meanwhile(
    clients: Clients, valkey: Valkey, durability: str
) -> None:
    spill = await clients(durability=durability)
    spool = await loaded(spill)
    await valkey.command("CONFIG", "SET", "appendonly", "no")
    appending = asyncio.create_task(append_durably(spool))
    with pytest.raises(SpillCheckError, match="appendonly is 'no'"):
        await eventually(lambda: refused_as_unfit(spill))
    await valkey.command("CONFIG", "SET", "appendonly", "yes")
    await asyncio.wait_for(appending, 20)


async def append_durably(spool: Spool) -> None:
    while True:
        try:
            await (await spool.append(Kind.BACKLOG, [b"a"])).wait()
            return
        except (SpillUnavailableError, SpillCheckError):
            await asyncio.sleep(0.05)


async def refused_as_unfit(spill: Spill) -> bool:
    if not spill.available:
        await spill.ready()
    return False


async def test_a_full_redis_tells_how_much_it_took_and_still_drains() -> None:
    async with run_small_valkey() as valkey, connect(valkey.url) as spill:
        events = recorded(spill)
        spool = await loaded(spill)
        taken = await fill_up(spool)
        assert spill.full
        assert events[-1].change is Change.FULL
        assert spool.state.backlog.entries == taken
        assert len(await drain(spool, 1000)) == taken
        await eventually(lambda: not spill.full)
        assert events[-1].change is Change.AVAILABLE
        await spool.append(Kind.BACKLOG, [b"a"])


async def fill_up(spool: Spool) -> int:
    taken = 0
    while True:
        try:
            await spool.append(Kind.BACKLOG, [b"x" * 500] * 5000)
        except SpillFullError as error:
            return taken + error.appended
        taken += 5000


async def test_a_full_redis_can_be_taken_over() -> None:
    async with run_small_valkey() as valkey:
        async with connect(valkey.url) as spill:
            spool = await loaded(spill)
            taken = await fill_up(spool)
            await spool.release()
        async with connect(valkey.url) as spill:
            spool = await loaded(spill)
            await spool.promote(0)
            entries = await spool.read(10)
            await (await spool.defer([(entry.id, entry.data) for entry in entries])).wait()
            assert spool.state.deferred.entries == 10
            assert len(await drain(spool, 1000)) == taken


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(("--appendonly", "no"), "appendonly is 'no': set appendonly yes", id="no append-only file"),
        pytest.param(("--appendfsync", "no"), "appendfsync is 'no'", id="no sync"),
        pytest.param(("--maxmemory-policy", "allkeys-lru"), "maxmemory-policy is 'allkeys-lru'", id="evicts"),
        pytest.param(("--cluster-enabled", "yes"), r"give a URL of the form redis\+cluster://", id="a cluster's node"),
    ],
)
async def test_an_unfit_server_is_refused(options: tuple[str, ...], message: str) -> None:
    async with run_valkey(*options) as valkey, connect(valkey.url, ready=False) as spill:
        with pytest.raises(SpillCheckError, match=message):
            await asyncio.wait_for(spill.ready(), 20)
        with pytest.raises(SpillCheckError, match=message):
            await spill.spool("peer").load()


async def test_an_unfit_server_is_used_once_it_is_set_right() -> None:
    async with run_valkey("--maxmemory-policy", "allkeys-lru") as valkey, connect(valkey.url, ready=False) as spill:
        with pytest.raises(SpillCheckError):
            await spill.ready()
        await valkey.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        await eventually(lambda: spill.available)
        await loaded(spill)


async def test_a_replica_is_not_written_to(valkey: Valkey) -> None:
    async with (
        run_valkey("--replicaof", f"127.0.0.1 {valkey.port}") as replica,
        connect(replica.url, ready=False) as spill,
    ):
        with pytest.raises(SpillUnavailableError, match="role"):
            await eventually(lambda: refused_as_replica(spill))


async def refused_as_replica(spill: Spill) -> bool:
    try:
        await spill.spool("peer").load()
    except SpillUnavailableError as error:
        if "role" in str(error):
            raise
    return False


async def test_a_unix_socket_serves_as_well(valkey: Valkey) -> None:
    async with connect(f"unix://{Path(valkey.socket)}") as spill:
        spool = await loaded(spill)
        await spool.append(Kind.BACKLOG, [b"a"])
        assert await drain(spool) == [b"a"]


async def test_cut_connections_lose_nothing_and_leave_the_ledger_in_step(
    spool: Spool, spill: Spill, valkey: Valkey, scale: int
) -> None:
    cutting = asyncio.create_task(cut_connections(valkey, 15 * scale))
    taken, drained, number = set(), set(), 0
    while not cutting.done():
        entries = [b"%06d" % (number + place) for place in range(50)]
        number += len(entries)
        try:
            await spool.append(Kind.BACKLOG, entries)
            taken |= set(entries)
            await spool.promote(0)
            found = await spool.read(40)
            spool.ack([entry.id for entry in found[::2]])
            drained |= {entry.data for entry in found[::2]}
            await spool.defer([(entry.id, entry.data) for entry in found[1::2]])
        except SpillUnavailableError:
            await spill.ready()
    await cutting
    await spill.ready()
    await spool.checkpoint()
    found = await contents(spool)
    assert len(found[Kind.BACKLOG]) == spool.state.backlog.entries
    assert len(found[Kind.DEFERRED]) == spool.state.deferred.entries
    await spool.load()
    drained |= set(await drain(spool, 1000))
    assert taken <= drained
    assert spool.state.backlog.entries == spool.state.deferred.entries == spool.state.resend.entries == 0


async def cut_connections(valkey: Valkey, times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0.05)
        await valkey.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
