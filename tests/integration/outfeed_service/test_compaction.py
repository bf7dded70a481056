"""A job compacts what is spilled for a peer, while the service feeds that peer."""

import asyncio
from collections import Counter
from functools import partial
from random import Random

import pytest

from compacting import KilledError, MortalClient, compact, of_articles, stage
from corpus import synthetic
from eventually import eventually
from forebay.outfeed.token import Token
from forebay.spill import TlsFiles
from forebay.spill.compaction import Compactor
from outfeedprocess import IDENTITY

from .waiting import has_deferred, has_spilled, ids, is_without_streams, keeps_bodies, streams

SMALL = {"rotateBytes": "4KB", "rotateAge": "1s"}
BYTES = 4000


@pytest.fixture
async def away(outfeed, peer):
    """An outfeed that runs, whose only peer does not."""
    await peer.stop()
    outfeed.peer("away", peer.port, backlog=SMALL, window=10, queue={"size": 40}, deferral={"minAge": "2s"})
    await outfeed.start()
    return outfeed


@pytest.fixture
async def compactor(away, redis):
    with Compactor.connect(redis.url, "outfeed", away.uids[f"Outfeed/{IDENTITY[1]}"]) as made:
        yield made


def owner(outfeed) -> str:
    return outfeed.uids["Peerfeed/away"]


async def spill(outfeed, redis, articles, segments=3):
    """Have closed segments, and an open one; returns the articles that took."""
    offered = 0
    # Streams grow old by the clock of Redis, and are cut only when something is appended: that takes a pause.
    while len(await streams(redis, ("B:",))) < segments:
        await outfeed.offer(articles[offered : offered + 100])
        offered += 100
        await eventually(partial(has_spilled, outfeed, "away", offered))
        await asyncio.sleep(0.5)
    return articles[:offered]


def named(articles):
    """Whether a token is of one of these articles."""
    names = set(ids(articles))

    def is_named(token: Token) -> bool:
        return token.message_id in names

    return is_named


async def test_a_peer_drains_its_r_while_the_rest_is_compacted(away, peer, redis, compactor):
    articles = await spill(away, redis, list(synthetic(2000, 500)))
    peer.silent = True
    await peer.start()
    await eventually(lambda: len(peer.offered) == 10)
    assert "R" in await streams(redis)
    commit = await asyncio.to_thread(compact, compactor, owner(away), of_articles(), BYTES)
    assert commit.done
    peer.silent = False
    peer.cut()
    counters = await away.drained("away")
    assert list(dict.fromkeys(peer.offered)) == ids(articles)
    assert (counters.accepted, counters.offered) == (len(articles), len(articles))
    assert not peer.repeats
    await eventually(lambda: is_without_streams(redis))
    await away.emptied()


async def test_compacted_again_and_again_a_peer_gets_all_once(away, peer, compactor, redis):
    """Jobs that end, jobs that are killed, and two at once, while articles come in and go out."""
    articles = list(synthetic(3000, 500))
    before = await spill(away, redis, articles)
    over = asyncio.Event()
    jobs = [asyncio.create_task(keep_compacting(away, redis.url, number, over)) for number in range(2)]
    await peer.start()
    for first in range(len(before), len(articles), 50):
        await away.offer(articles[first : first + 50])
        if first % 500 == 0:
            peer.cut()
    counters = await away.drained("away", within=60)
    over.set()
    commits = sum(await asyncio.gather(*jobs))
    assert commits
    assert counters.accepted == counters.offered == len(articles)
    assert set(peer.articles) == set(ids(articles))
    assert not peer.repeats
    assert not await redis.command("KEYS", "*:L:*")
    await away.emptied()


async def keep_compacting(outfeed, url, seed, over) -> int:
    """Every other job is killed on its way."""
    chance, commits = Random(seed), 0
    while not over.is_set():
        client = MortalClient(url, TlsFiles())
        client.lives, client.late = chance.choice([1000, chance.randrange(40)]), chance.random() < 0.5
        compactor = Compactor(client, "outfeed", outfeed.uids[f"Outfeed/{IDENTITY[1]}"])
        try:
            commit = await asyncio.to_thread(compact, compactor, owner(outfeed), of_articles(), BYTES)
            commits += commit.done and commit.generation > 0
        except KilledError:
            pass
        finally:
            compactor.close()
        await asyncio.sleep(0.01)
    return commits


async def test_what_was_dropped_is_counted_by_reason_and_its_bodies_go(away, peer, redis, compactor):
    articles = await spill(away, redis, list(synthetic(2000, 500)))
    compact(compactor, owner(away), of_articles(named(articles[:50])), BYTES)
    await eventually(lambda: keeps_bodies(away, len(articles) - 50))
    counters = await away.counters("away")
    assert (counters.expired, counters.queued) == (50, len(articles) - 50)
    await eventually(lambda: has_forgotten(redis))
    await peer.start()
    counters = await away.drained("away")
    assert peer.offered == ids(articles[50:])
    assert (counters.accepted, counters.expired) == (len(articles) - 50, 50)
    await away.emptied()


async def has_forgotten(redis) -> bool:
    return not await redis.command("KEYS", "*:L:*")


async def test_what_was_put_off_is_compacted_and_what_is_left_comes_back(away, peer, redis, compactor):
    peer.check_reply = b"431"
    away.peer_options["away"]["deferral"] = {"minAge": "1m"}
    await away.apply()
    await peer.start()
    articles = list(synthetic(500, 500))
    for first in range(0, 500, 100):
        await away.offer(articles[first : first + 100])
        await eventually(partial(has_deferred, away, "away", first + 100))
        await asyncio.sleep(0.5)
    assert compact(compactor, owner(away), of_articles(named(articles[:20])), BYTES).done
    await eventually(lambda: has_deferred(away, "away", 480))
    peer.check_reply = b""
    away.peer_options["away"]["deferral"] = {"minAge": "1s"}
    await away.apply()
    counters = await away.drained("away")
    assert (counters.accepted, counters.expired) == (480, 20)
    assert Counter(peer.offered) == Counter(ids(articles) + ids(articles[20:]))
    await away.emptied()


@pytest.mark.parametrize("late", [0.0, 0.4, 0.8])
async def test_a_service_that_is_killed_while_it_lets_go_drops_the_same_and_no_more(away, peer, redis, compactor, late):
    articles = await spill(away, redis, list(synthetic(2000, 500)))
    assert compact(compactor, owner(away), of_articles(named(articles[:50])), BYTES).done
    await asyncio.sleep(late)
    await away.kill()
    await away.start()
    await peer.start()
    await away.drained("away")
    assert set(peer.offered) == set(peer.articles) == set(ids(articles[50:]))
    await eventually(lambda: has_forgotten(redis))
    await away.emptied()


async def test_what_is_dropped_while_the_service_is_down_is_let_go_of_at_its_start(away, peer, redis, compactor):
    articles = await spill(away, redis, list(synthetic(2000, 500)))
    await away.stop()
    assert compact(compactor, owner(away), of_articles(named(articles[:50])), BYTES).done
    await away.start()
    await eventually(lambda: has_forgotten(redis))
    await peer.start()
    counters = await away.drained("away")
    assert (counters.offered, counters.expired) == (len(articles), 50)
    assert peer.offered == ids(articles[50:])
    await away.emptied()


async def test_redis_that_forgets_the_compaction_does_not_bring_back_what_was_dropped(away, peer, redis, compactor):
    articles = await spill(away, redis, list(synthetic(2000, 500)))
    compaction = stage(compactor, owner(away), of_articles(named(articles[:50])), BYTES)
    compactor._client.run("WAITAOF", 1, 0, 10_000)
    before = redis.log_size()
    assert compactor.commit(*compaction).done
    await eventually(lambda: keeps_bodies(away, len(articles) - 50))
    await redis.kill()
    redis.cut_log(redis.log_size() - before)
    await redis.start()
    await peer.start()
    await away.drained("away", within=60)
    assert set(peer.articles) == set(ids(articles[50:]))
    await away.emptied()


async def test_a_peer_that_is_deleted_meanwhile_leaves_nothing(away, peer, redis, compactor):
    await spill(away, redis, list(synthetic(2000, 500)))
    name = owner(away)
    assert compact(compactor, name, of_articles(lambda token: token.seq < 10), BYTES).done
    compaction = stage(compactor, name, of_articles(), BYTES)
    del away.peer_options["away"]
    await away.apply()
    await eventually(lambda: is_without_streams(redis))
    assert not compactor.commit(*compaction).done
    compactor.abandon([*compaction.outputs, *compaction.dropped])
    assert await eventually(lambda: is_empty(redis))


async def is_empty(redis) -> bool:
    left = await redis.command("KEYS", "*")
    assert not left, left
    return True
