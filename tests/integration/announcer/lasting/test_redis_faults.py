"""Redis is away at the start, goes in the middle, comes back empty; and another process has the lease."""

import asyncio

import pytest

from eventually import eventually
from forwardings import ANSWER, failure
from keptjobs import Life, connected, life, loaded
from peers.valkey import new_valkey

JOBS = "forebay:{announcer/uid/jobs}:"


async def rows(valkey):
    return await valkey.command("ZCARD", f"{JOBS}T")


async def give_away(valkey):
    """Another has the lease now, and does not renew it."""
    lease = await valkey.command("HGET", f"{JOBS}meta", "lease")
    await valkey.command("HSET", f"{JOBS}meta", "lease", b"9:bb:" + lease.rpartition(b":")[2])


async def renewed(valkey, at):
    """Whether the lease holds until then, in milliseconds."""
    return int(await valkey.command("HGET", f"{JOBS}meta", "expires")) >= at


async def test_the_start_does_not_wait_for_redis(clock):
    async with new_valkey() as valkey, life(valkey.url, clock) as alive:
        alive.announced("early")
        assert "Redis" in alive.keeper.problem
        job = alive.take()
        assert job
        # Nobody waits for what cannot be written.
        await asyncio.wait_for(alive.keeper.settle(), 1)
        await valkey.start()
        await eventually(loaded(alive))
        await alive.keeper.settle()
        assert await rows(valkey) == 1
        alive.core.done(job, ANSWER, alive.now)
        await alive.keeper.settle()
        assert await rows(valkey) == 0


async def test_jobs_of_before_come_in_when_redis_comes(valkey, clock):
    async with life(valkey.url, clock) as first:
        await eventually(loaded(first))
        first.announced("old")
    await valkey.stop()
    async with life(valkey.url, clock) as second:
        second.announced("new")
        await valkey.start()
        await eventually(loaded(second))
        assert sorted(second.queued()) == ["new", "old"]
        await second.keeper.settle()
        assert await rows(valkey) == 2


@pytest.mark.parametrize("empty", [False, True], ids=["whole", "empty"])
async def test_redis_goes_and_comes_back(valkey, clock, empty):
    async with life(valkey.url, clock) as alive:
        await eventually(loaded(alive))
        for torrent in ("queued", "done", "retried"):
            alive.announced(torrent)
        await alive.keeper.settle()
        await valkey.stop()
        if empty:
            valkey.remove_log()
        await eventually(lambda: alive.keeper.problem)
        assert alive.take()
        alive.core.done(alive.take(), ANSWER, alive.now)
        alive.core.done(alive.take(), failure(wait=60.0), alive.now)
        alive.announced("new")
        await valkey.start()
        await eventually(loaded(alive))
        await alive.keeper.settle()
        assert await rows(valkey) == 3
    async with life(valkey.url, clock) as second:
        await eventually(loaded(second))
        assert sorted(second.queued()) == ["new", "queued"]
        assert second.scheduled() == [("retried", 60.0)]


async def test_it_is_noticed_that_redis_was_emptied_though_there_is_nothing_to_write(valkey, clock):
    async with life(valkey.url, clock) as alive:
        await eventually(loaded(alive))
        alive.announced()
        await alive.keeper.settle()
        await valkey.kill()
        valkey.remove_log()
        await valkey.start()
        assert await eventually(lambda: rows(valkey)) == 1


async def test_nobody_waits_for_a_redis_that_went_while_there_was_nothing_to_write(valkey, clock):
    async with life(valkey.url, clock) as alive:
        await eventually(loaded(alive))
        await valkey.stop()
        alive.announced()
        await asyncio.wait_for(alive.keeper.settle(), 10)
        await eventually(lambda: alive.keeper.problem)
        alive.announced("other")
        await asyncio.wait_for(alive.keeper.settle(), 10)


async def test_a_process_that_stops_before_it_has_loaded_leaves_its_jobs_beside_the_old_ones(valkey, clock):
    async with life(valkey.url, clock) as first:
        await eventually(loaded(first))
        first.announced("old")
    async with connected(valkey.url, holder="ab") as spill:
        second = Life(spill, clock, overflow=False, forwarders=1)
        await spill.ready()
        second.announced("new")
        await second.keeper.close()
    async with life(valkey.url, clock) as third:
        await eventually(loaded(third))
        assert sorted(third.queued()) == ["new", "old"]


async def test_a_process_that_stops_without_redis_stops(clock):
    async with new_valkey() as valkey, life(valkey.url, clock) as alive:
        alive.announced()
        await asyncio.wait_for(alive.keeper.close(), 1)


async def test_a_frozen_redis_stops_nobody(valkey, clock):
    async with life(valkey.url, clock) as alive:
        await eventually(loaded(alive))
        valkey.freeze()
        alive.announced()
        waiting = asyncio.create_task(alive.keeper.settle())
        await eventually(waiting.done)
        await eventually(lambda: "answer" in alive.keeper.problem)
        valkey.thaw()
        await eventually(loaded(alive))
        await alive.keeper.settle()
        assert await rows(valkey) == 1


async def test_a_full_redis_takes_what_is_done_out_and_the_rest_later(valkey, clock):
    async with life(valkey.url, clock) as alive:
        await eventually(loaded(alive))
        alive.announced("first")
        await alive.keeper.settle()
        await valkey.command("CONFIG", "SET", "maxmemory", "1")
        alive.announced("second")
        await eventually(lambda: alive.keeper.problem)
        alive.core.done(alive.take(), ANSWER, alive.now)
        await eventually(lambda: none(valkey))
        await valkey.command("CONFIG", "SET", "maxmemory", "0")
        await eventually(loaded(alive))
        await alive.keeper.settle()
        assert await rows(valkey) == 1


async def none(valkey):
    return await rows(valkey) == 0


async def test_a_second_process_waits_and_takes_over(valkey, clock):
    async with life(valkey.url, clock, holder="aa", clean=False, lease_ttl=1.0) as first:
        await eventually(loaded(first))
        first.announced("of the first")
        await first.keeper.settle()
        async with life(valkey.url, clock, holder="bb", lease_ttl=1.0) as second:
            second.announced("of the second")
            end = int(await valkey.command("HGET", f"{JOBS}meta", "expires"))
            await eventually(lambda: renewed(valkey, end + 1500))
            assert "lease" in second.keeper.problem
            assert second.queued() == ["of the second"]
            assert await rows(valkey) == 1
    async with life(valkey.url, clock, holder="cc", lease_ttl=1.0) as third:
        await eventually(loaded(third))
        assert third.queued() == ["of the first"]


async def test_who_has_lost_the_lease_writes_nothing_until_it_has_it_again(valkey, clock):
    async with life(valkey.url, clock, holder="aa", lease_ttl=1.0) as first:
        await eventually(loaded(first))
        await give_away(valkey)
        first.announced()
        await first.keeper.settle()
        assert await rows(valkey) == 0
        # The other's lease runs out, since nobody renews it.
        await eventually(loaded(first))
        await first.keeper.settle()
        assert await rows(valkey) == 1


async def test_an_idle_process_notices_that_its_lease_is_gone(valkey, clock):
    async with life(valkey.url, clock, holder="aa", lease_ttl=1.0) as first:
        await eventually(loaded(first))
        await give_away(valkey)
        await eventually(lambda: held_by(valkey, b"aa"))
        await eventually(loaded(first))


async def held_by(valkey, holder):
    return b":" + holder + b":" in (await valkey.command("HGET", f"{JOBS}meta", "lease") or b"")
