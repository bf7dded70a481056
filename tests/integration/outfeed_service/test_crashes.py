"""The service is killed at moments of chance: what it had confirmed arrives all the same."""

import asyncio
from random import Random, SystemRandom

import pytest

from corpus import synthetic

ARTICLES = 1000
KILLS = 20
LONGEST = 0.4
"""Seconds that a run of the service lasts at most, once it is ready."""


@pytest.fixture
def chance(record_property):
    seed = SystemRandom().randrange(1 << 32)
    record_property("seed", seed)
    print(f"seed {seed}")  # noqa: T201
    return Random(seed)


@pytest.fixture
def crashing(make_outfeed, redis):
    """An outfeed whose successor gets the spools soon after it was killed."""
    return make_outfeed(redis, lease=0.5)


async def offer_until_killed(outfeed, articles, chance):
    """Offer articles, in batches of any size, to a service that is killed meanwhile; returns what is known of them."""
    offering = asyncio.create_task(outfeed.offer(articles, batch=chance.choice([1, 10, 100])))
    await asyncio.sleep(chance.uniform(0, LONGEST))
    await outfeed.kill()
    return await offering


async def change_mood(peer, chance):
    """The peer is there, is away, or puts everything off."""
    peer.check_reply = chance.choice([b"", b"", b"431"])
    away = chance.random() < 0.3
    if away:
        await peer.stop()
    elif not peer.is_up:
        await peer.start()


async def all_arrived(outfeed, peer, articles, known):
    """Start everything once more, offer what was never confirmed, and see that all is there."""
    peer.check_reply = b""
    if not peer.is_up:
        await peer.start()
    await outfeed.start()
    last = await outfeed.offer(article for article in articles if article.message_id not in known)
    assert not last.failure
    await outfeed.drained("peer", within=60)
    expected = {article.message_id: article.wire for article in articles}
    missing = expected.keys() - peer.articles.keys()
    assert not missing, f"{len(missing & known)} confirmed and {len(missing - known)} other articles did not arrive"
    assert peer.articles == expected
    assert (await outfeed.counters("peer")).dropped == 0
    await outfeed.emptied()


async def test_what_was_confirmed_arrives_over_kills(crashing, peer, chance, scale):
    crashing.peer("peer", peer.port, queue={"size": 100})
    articles = list(synthetic(ARTICLES * scale, 500))
    kills = KILLS * scale
    share = len(articles) // kills
    known = set()
    for kill in range(kills):
        await change_mood(peer, chance)
        await crashing.start()
        # Those that were not confirmed are offered again, as every sender does.
        some = [article for article in articles[: (kill + 1) * share] if article.message_id not in known]
        offered = await offer_until_killed(crashing, some, chance)
        known.update(offered.confirmed, offered.duplicates)
    await all_arrived(crashing, peer, articles, known)


async def test_what_was_confirmed_arrives_though_redis_is_killed_too(crashing, peer, redis, chance, scale):
    crashing.peer("peer", peer.port, queue={"size": 100}, backlog={"rotateBytes": "4KB", "rotateAge": "1s"})
    articles = list(synthetic(600 * scale, 500))
    kills = 12 * scale
    share = len(articles) // kills
    known = set()
    for kill in range(kills):
        await change_mood(peer, chance)
        await crashing.start()
        some = [article for article in articles[: (kill + 1) * share] if article.message_id not in known]
        offering = asyncio.create_task(crashing.offer(some, batch=10))
        await asyncio.sleep(chance.uniform(0, LONGEST))
        await redis.kill()
        if chance.random() < 0.5:
            redis.cut_log(chance.randrange(2000))
        if chance.random() < 0.5:
            await crashing.kill()
        await redis.start()
        offered = await offering
        known.update(offered.confirmed, offered.duplicates)
        if crashing.process:
            await crashing.stop()
    await all_arrived(crashing, peer, articles, known)


async def test_a_second_process_is_kept_from_the_data_folder(outfeed, make_outfeed, redis):
    await outfeed.start()
    second = make_outfeed(redis)
    second.use_folder_of(outfeed)
    with pytest.raises(RuntimeError, match="is in use by pid"):
        await second.start()
    assert await eventually(outfeed.peers) == {}
