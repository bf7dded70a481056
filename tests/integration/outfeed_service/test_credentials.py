"""User and password of Redis change while articles flow; nothing is lost, and nothing is restarted."""

import pytest

from corpus import synthetic
from eventually import eventually

from .waiting import has_spilled, ids, is_whole

SOURCE = {"urlFrom": {"secretRef": {"name": "redis", "key": "value"}}}


async def set_password(redis, password):
    """Of the user feeder; connections that were let in before stay."""
    await redis.command("ACL", "SETUSER", "feeder", "on", "resetpass", f">{password}", "~*", "+@all")


def url(redis, password):
    return redis.url.replace("//", f"//feeder:{password}@")


@pytest.fixture
async def spilling(outfeed, redis, peer):
    """A running outfeed that logs in at Redis; 100 articles wait there for a peer that is away."""
    await set_password(redis, "old")
    outfeed.spill, outfeed.secrets["redis"] = SOURCE, url(redis, "old")
    await peer.stop()
    outfeed.peer("east", peer.port)
    await outfeed.start()
    await eventually(lambda: is_whole(outfeed))
    await outfeed.offer(synthetic(100, 500))
    await eventually(lambda: has_spilled(outfeed, "east", 100))
    return outfeed


def refused(response):
    return [(each.kind, violation.field) for each in response.results for violation in each.violations]


async def test_a_rotated_password_is_used_with_the_next_connection_and_nothing_is_lost(spilling, redis, peer):
    await set_password(redis, "new")
    spilling.secrets["redis"] = url(redis, "new")
    assert not refused(await spilling.apply())
    assert await is_whole(spilling)
    offered = await spilling.offer(synthetic(100, 500, start=100))
    await eventually(lambda: has_spilled(spilling, "east", 200))
    await redis.command("CLIENT", "KILL", "USER", "feeder")
    await spilling.offer(synthetic(100, 500, start=200), into=offered)
    await eventually(lambda: has_spilled(spilling, "east", 300))
    await peer.start()
    assert (await spilling.drained("east")).accepted == 300
    assert set(ids(synthetic(300, 500))) == set(peer.articles)
    assert not peer.repeats


async def test_a_password_that_comes_late_mends_what_is_degraded_meanwhile(spilling, redis, peer):
    await set_password(redis, "new")
    await redis.command("CLIENT", "KILL", "USER", "feeder")

    async def is_locked_out():
        problem = (await spilling.degradations()).get("SpillUnavailable", "")
        return "Redis refuses it or its password" in problem

    await eventually(is_locked_out)
    await spilling.offer(synthetic(100, 500, start=100))
    spilling.secrets["redis"] = url(redis, "new")
    await spilling.apply()
    await eventually(lambda: has_spilled(spilling, "east", 200))
    await peer.start()
    assert (await spilling.drained("east")).accepted == 200
    assert not peer.repeats
    text = spilling.log_text()
    assert "old@" not in text
    assert "new@" not in text


async def test_a_rotation_with_a_restart_of_redis_loses_nothing(spilling, redis, peer):
    await redis.stop()
    await redis.start()
    await set_password(redis, "new")
    spilling.secrets["redis"] = url(redis, "new")
    await spilling.apply()
    await eventually(lambda: is_whole(spilling))
    await peer.start()
    assert (await spilling.drained("east")).accepted == 100
    assert set(ids(synthetic(100, 500))) == set(peer.articles)


async def test_another_server_is_refused_and_the_old_one_stays_in_use(spilling, redis, peer):
    spilling.secrets["redis"] = "redis://feeder:old@127.0.0.1:1"
    assert refused(await spilling.apply()) == [("Spill", "spec")]
    assert await is_whole(spilling)
    await peer.start()
    assert (await spilling.drained("east")).accepted == 100


async def test_a_url_that_is_gone_leaves_all_as_it_is(spilling, redis, peer, recording_peer):
    del spilling.secrets["redis"]
    west = await recording_peer()
    spilling.peer("west", west.port)
    assert refused(await spilling.apply()) == [("Spill", "spec.urlFrom.secretRef")]
    await eventually(lambda: is_whole(spilling))
    await spilling.connected("west")
    await peer.start()
    assert (await spilling.drained("east")).accepted == 100
