"""Redis goes away, comes back with less than it had, or is full: what was confirmed is safe, and all goes on alone."""

import asyncio

import pytest

from corpus import synthetic
from eventually import eventually

from .waiting import has_deferred, has_spilled, ids, is_whole, is_without_streams

RESTARTS = {"no restart": None, "clean restart": "stop", "dirty restart": "kill"}
FAULTS = {
    "keeps everything": lambda redis: None,
    "lost the end": lambda redis: redis.cut_log(6000),
    "lost everything": lambda redis: redis.remove_log(),
}


@pytest.fixture
async def spilling(outfeed, peer):
    """An outfeed with a peer that is away: 200 articles of its are put off and 300 backlogged."""
    outfeed.peer("away", peer.port, queue={"size": 100}, deferral={"minAge": "1s"})
    peer.check_reply = b"431"
    await outfeed.start()
    await outfeed.offer(synthetic(200, 500))
    await eventually(lambda: has_deferred(outfeed, "away", 200))
    await peer.stop()
    await outfeed.offer(synthetic(300, 500, start=200))
    await eventually(lambda: has_spilled(outfeed, "away", 500))
    return outfeed


async def restarted(outfeed, how):
    """Restart the service, if so."""
    if how:
        await getattr(outfeed, how)()
        await outfeed.start()


async def is_degraded(outfeed, reason):
    return reason in await outfeed.degradations()


async def everything_arrives(outfeed, peer, count):
    """The peer comes back and gets all of so many articles; the service has nothing left then."""
    peer.check_reply = b""
    await peer.start()
    counters = await outfeed.drained("away")
    assert (counters.dropped, counters.dead_lettered) == (0, 0)
    assert peer.articles.keys() == set(ids(synthetic(count, 500)))
    await outfeed.emptied()


@pytest.mark.parametrize("restart", RESTARTS.values(), ids=RESTARTS)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_redis_is_killed_and_comes_back(spilling, peer, redis, fault, restart, scale):
    await redis.kill()
    await eventually(lambda: is_degraded(spilling, "SpillUnavailable"))
    offered = await spilling.offer(synthetic(100, 500, start=500))
    assert len(offered.confirmed) == 100
    await restarted(spilling, restart)
    if restart:
        assert "DeletionHeld" in await spilling.degradations()
    if scale > 1:
        await asyncio.sleep(30)
    fault(redis)
    await redis.start()
    await eventually(lambda: is_whole(spilling))
    await spilling.offer(synthetic(100, 500, start=600))
    await everything_arrives(spilling, peer, 700)
    await eventually(lambda: is_without_streams(redis))


@pytest.mark.parametrize("restart", RESTARTS.values(), ids=RESTARTS)
async def test_redis_is_full_for_a_while(spilling, peer, redis, restart):
    await redis.command("CONFIG", "SET", "maxmemory", 1)
    offered = await spilling.offer(synthetic(100, 500, start=500))
    assert len(offered.confirmed) == 100
    await eventually(lambda: is_degraded(spilling, "SpillUnavailable"))
    await restarted(spilling, restart)
    await redis.command("CONFIG", "SET", "maxmemory", 0)
    await eventually(lambda: is_whole(spilling))
    await eventually(lambda: has_spilled(spilling, "away", 600))
    await everything_arrives(spilling, peer, 600)
    await eventually(lambda: is_without_streams(redis))


async def test_a_full_redis_can_be_drained(spilling, peer, redis):
    await redis.command("CONFIG", "SET", "maxmemory", 1)
    await spilling.offer(synthetic(100, 500, start=500))
    await eventually(lambda: is_degraded(spilling, "SpillUnavailable"))
    await everything_arrives(spilling, peer, 600)


async def test_a_peer_that_is_there_is_fed_without_redis(outfeed, peer, redis):
    outfeed.peer("east", peer.port)
    await redis.kill()
    await outfeed.start()
    articles = list(synthetic(3000, 500))
    offered = await outfeed.offer(articles)
    assert len(offered.confirmed) == 3000
    assert (await outfeed.drained("east")).accepted == 3000
    await redis.start()
    await outfeed.emptied()


async def test_redis_is_killed_while_its_streams_are_sent_again(spilling, peer, redis):
    peer.check_reply = b""
    peer.silent = True
    await peer.start()
    await eventually(lambda: len(peer.offered) >= 300)
    await redis.kill()
    await eventually(lambda: is_degraded(spilling, "SpillUnavailable"))
    peer.silent = False
    peer.cut()
    await redis.start()
    counters = await spilling.drained("away")
    assert counters.accepted == counters.offered == 500
    assert peer.articles.keys() == set(ids(synthetic(500, 500)))
    await spilling.emptied()


@pytest.mark.parametrize("fault", ["lost the end", "lost everything"])
async def test_redis_loses_something_while_the_service_is_down(spilling, peer, redis, fault):
    await spilling.stop()
    await redis.kill()
    FAULTS[fault](redis)
    await redis.start()
    await spilling.start()
    await eventually(lambda: is_whole(spilling))
    await everything_arrives(spilling, peer, 500)


async def test_an_unfit_redis_is_told_of_and_used_once_it_is_fit(outfeed, peer, redis):
    await redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    await peer.stop()
    outfeed.peer("away", peer.port)
    await outfeed.start()
    await outfeed.offer(synthetic(100, 500))
    await eventually(lambda: tells_of(outfeed, "maxmemory-policy"))
    await redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    await eventually(lambda: has_spilled(outfeed, "away", 100))
    await everything_arrives(outfeed, peer, 100)


async def tells_of(outfeed, setting):
    return setting in (await outfeed.degradations())["SpillUnavailable"]


async def test_nothing_is_deleted_before_an_empty_redis_was_filled_again(spilling, peer, redis):
    await redis.kill()
    await spilling.kill()
    redis.remove_log()
    await spilling.start()
    assert "DeletionHeld" in await spilling.degradations()
    assert (await spilling.metrics())["forebay_outfeed_store_messages"] == 500
    await redis.start()
    await eventually(lambda: has_spilled(spilling, "away", 500))
    await eventually(lambda: is_whole(spilling))
    assert (await spilling.metrics())["forebay_outfeed_store_messages"] == 500
    await everything_arrives(spilling, peer, 500)


@pytest.mark.parametrize("restart", RESTARTS.values(), ids=RESTARTS)
async def test_without_redis_a_slow_peer_is_fed_from_the_feed_log_in_order(outfeed, peer, redis, restart):
    outfeed.peer("slow", peer.port, queue={"size": 50}, window=10, noCheck={"enabled": False})
    peer.silent = True
    await redis.kill()
    await outfeed.start()
    articles = list(synthetic(1000, 500))
    assert len((await outfeed.offer(articles)).confirmed) == 1000
    await eventually(lambda: len(peer.offered) == 10)
    await restarted(outfeed, restart)
    peer.silent = False
    peer.cut()
    counters = await outfeed.drained("slow")
    assert counters.accepted == counters.offered == 1000
    assert list(dict.fromkeys(peer.offered)) == ids(articles)
    await redis.start()
    await outfeed.emptied()


async def test_redis_that_does_not_answer_stops_neither_intake_nor_feed(outfeed, recording_peer, redis):
    east, west = await recording_peer(), await recording_peer()
    outfeed.peer("east", east.port)
    outfeed.peer("west", west.port)
    await outfeed.start()
    await outfeed.connected("east")
    await outfeed.connected("west")
    redis.freeze()
    await west.stop()
    articles = list(synthetic(500, 500))
    assert len((await outfeed.offer(articles)).confirmed) == 500
    assert (await outfeed.drained("east")).accepted == 500
    await eventually(lambda: is_degraded(outfeed, "SpillUnavailable"))
    redis.thaw()
    await west.start()
    counters = await outfeed.drained("west")
    assert counters.accepted == counters.offered == 500
    await outfeed.emptied()
