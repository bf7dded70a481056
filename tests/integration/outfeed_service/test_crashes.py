"""The service is killed at moments of chance: what it had confirmed arrives all the same."""

import asyncio
from contextlib import suppress
from random import Random, SystemRandom

import pytest

from conftest import SCALE
from corpus import synthetic
from nntp import NntpSender

pytestmark = pytest.mark.timeout(300 * SCALE)

MOMENTS = (0.05, 0.4)
"""Seconds within which the end comes: in the midst of the offer, or while what it brought goes out."""


@pytest.fixture
def chance():
    seed = SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")  # noqa: T201
    return Random(seed)


@pytest.fixture
async def crashing(make_outfeed, redis, recording_peer):
    """An outfeed whose successor gets the spools soon after it was killed, and two peers."""
    outfeed = make_outfeed(redis, lease=0.5)
    peers = {"steady": await recording_peer(), "moody": await recording_peer()}
    for name, peer in peers.items():
        outfeed.peer(name, peer.port, queue={"size": 100}, backlog={"rotateBytes": "4KB", "rotateAge": "1s"})
    return Crashing(outfeed, peers)


class Crashing:
    """Articles offered to a service that is killed again and again, and what is known of them."""

    def __init__(self, outfeed, peers):
        self.outfeed = outfeed
        self.peers = peers
        self.known = set()
        """Message-ids with the verdict ACCEPTED or DUPLICATE: either way they have to arrive."""

    async def change_mood(self, chance):
        """The moody peer is there, is away, or puts everything off."""
        peer = self.peers["moody"]
        peer.check_reply = chance.choice([b"", b"", b"431"])
        if chance.random() < 0.3:
            await peer.stop()
        elif not peer.is_up:
            await peer.start()

    async def offer(self, articles, batch):
        """Offer those that are not known to be kept, as every sender does, until that ends or the service."""
        offered = await self.outfeed.offer(
            (each for each in articles if each.message_id not in self.known), batch=batch
        )
        self.known.update(offered.confirmed, offered.duplicates)
        return offered

    async def send(self, articles):
        """The same over NNTP."""
        with suppress(OSError):
            async with NntpSender(self.outfeed.nntp_port) as sender:
                for article in articles:
                    if article.message_id not in self.known and not await self.confirms(sender, article):
                        return

    async def confirms(self, sender, article):
        (reply,) = await sender.take_this([article])
        assert reply[:3] in (b"", b"239", b"439"), reply
        if reply:
            self.known.add(article.message_id)
        return bool(reply)

    async def all_arrive(self, articles):
        """See that, once everything runs again, every peer gets all."""
        self.peers["moody"].check_reply = b""
        if not self.peers["moody"].is_up:
            await self.peers["moody"].start()
        await self.outfeed.start()
        assert not (await self.offer(articles, batch=100)).failure
        expected = {article.message_id: article.wire for article in articles}
        for name, peer in self.peers.items():
            counters = await self.outfeed.drained(name, within=60)
            assert (counters.dropped, counters.dead_lettered) == (0, 0)
            missing = expected.keys() - peer.articles.keys()
            assert not missing, f"{name} lacks {len(missing)} articles"
            assert peer.articles == expected
        await self.outfeed.emptied()


async def test_what_was_confirmed_arrives_over_kills(crashing, chance, scale):
    articles = list(synthetic(3000 * scale, 500))
    kills = 20 * scale
    for kill in range(kills):
        await crashing.change_mood(chance)
        await crashing.outfeed.start()
        some = articles[: (kill + 1) * len(articles) // kills]
        over_nntp = chance.random() < 0.3
        offer = crashing.send(some) if over_nntp else crashing.offer(some, batch=chance.choice([1, 10, 50]))
        offering = asyncio.create_task(offer)
        await asyncio.sleep(chance.uniform(0, chance.choice(MOMENTS)))
        await crashing.outfeed.kill()
        await offering
    await crashing.all_arrive(articles)


async def test_what_was_confirmed_arrives_though_redis_is_killed_too(crashing, redis, chance, scale):
    articles = list(synthetic(1500 * scale, 500))
    kills = 10 * scale
    for kill in range(kills):
        await crashing.change_mood(chance)
        await crashing.outfeed.start()
        some = articles[: (kill + 1) * len(articles) // kills]
        offering = asyncio.create_task(crashing.offer(some, batch=10))
        await asyncio.sleep(chance.uniform(0, chance.choice(MOMENTS)))
        await redis.kill()
        if chance.random() < 0.5:
            redis.cut_log(chance.randrange(2000))
        dirty = chance.random() < 0.5
        if dirty:
            await crashing.outfeed.kill()
        await redis.start()
        await offering
        if not dirty:
            await crashing.outfeed.stop()
    await crashing.all_arrive(articles)
