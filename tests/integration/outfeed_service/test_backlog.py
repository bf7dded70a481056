"""A peer that is away or puts everything off: its backlog is filled, cut, read again in order, and deleted."""

import asyncio
from functools import partial

from corpus import synthetic
from eventually import eventually

from .waiting import has_deferred, has_spilled, ids, is_without_streams, keeps_bodies, streams

SMALL = {"rotateBytes": "4KB", "rotateAge": "1s"}


async def test_the_backlog_of_an_absent_peer_is_cut_when_full_and_old_and_drains_in_order(outfeed, peer, redis):
    await peer.stop()
    outfeed.peer("away", peer.port, backlog=SMALL, queue={"size": 200})
    await outfeed.start()
    articles = list(synthetic(1000, 500))
    await outfeed.offer(articles[:100])
    await eventually(lambda: has_spilled(outfeed, "away", 100))
    assert await streams(redis) == ["B:1"]
    # Full at once, but not old enough.
    await outfeed.offer(articles[100:200])
    await eventually(lambda: has_spilled(outfeed, "away", 200))
    assert await streams(redis) == ["B:1"]

    offered = 200 + await fill(outfeed, redis, articles[200:], segments=3)
    status = (await outfeed.peers())["away"]
    assert (status.backlog.segments, status.counters.queued) == (3, offered)
    await outfeed.offer(articles[offered:])
    await peer.start()
    counters = await outfeed.drained("away")
    assert counters.accepted == counters.offered == 1000
    assert peer.offered == ids(articles)
    await eventually(lambda: is_without_streams(redis))
    assert not (await outfeed.peers())["away"].backlog.segments
    await outfeed.emptied()


async def fill(outfeed, redis, articles, segments):
    """Offer articles until there are so many streams; returns how many articles that took."""
    before = (await outfeed.counters("away")).queued
    offered = 0
    # Streams grow old by the clock of Redis, and are cut only when something is appended: that takes a pause.
    while len(await streams(redis)) < segments:
        await outfeed.offer(articles[offered : offered + 10])
        offered += 10
        await eventually(partial(has_spilled, outfeed, "away", before + offered))
        await asyncio.sleep(0.05)
    return offered


async def test_the_oldest_stream_becomes_the_one_to_resend(outfeed, peer, redis):
    await peer.stop()
    outfeed.peer("away", peer.port, backlog=SMALL, window=10, queue={"size": 40})
    await outfeed.start()
    articles = list(synthetic(500, 500))
    offered = await fill(outfeed, redis, articles, segments=3)
    peer.silent = True
    await peer.start()
    await eventually(lambda: len(peer.offered) == 10)
    assert await streams(redis) == ["B:2", "B:3", "R"]
    peer.silent = False
    peer.cut()
    await outfeed.drained("away")
    assert list(dict.fromkeys(peer.offered)) == ids(articles[:offered])


async def test_what_the_peer_puts_off_rests_and_is_offered_again_in_order(outfeed, peer, redis):
    peer.check_reply = b"431"
    outfeed.peer("busy", peer.port, deferral={"minAge": "2s"})
    await outfeed.start()
    articles = list(synthetic(300, 500))
    await outfeed.offer(articles)
    await eventually(lambda: has_deferred(outfeed, "busy", 300))
    assert await streams(redis) == ["D:1"]
    assert peer.offered == ids(articles)
    peer.check_reply = b""
    assert (await outfeed.counters("busy")).deferred == 300, "tried again too early"
    counters = await outfeed.drained("busy")
    assert (counters.accepted, counters.offered) == (300, 300)
    assert peer.offered == ids(articles) * 2
    assert not peer.repeats
    await eventually(lambda: is_without_streams(redis))
    await outfeed.emptied()


async def test_what_is_put_off_again_and_again_is_never_lost(outfeed, peer):
    peer.check_reply = b"431"
    outfeed.peer("busy", peer.port)
    await outfeed.start()
    articles = list(synthetic(50, 500))
    await outfeed.offer(articles)
    await eventually(lambda: len(peer.offered) >= 150)
    peer.check_reply = b""
    assert (await outfeed.drained("busy")).accepted == 50
    assert set(peer.articles) == set(ids(articles))


async def test_what_is_put_off_survives_a_stop(outfeed, peer):
    peer.check_reply = b"431"
    outfeed.peer("busy", peer.port)
    await outfeed.start()
    articles = list(synthetic(300, 500))
    await outfeed.offer(articles)
    await eventually(lambda: has_deferred(outfeed, "busy", 300))
    await outfeed.stop()
    peer.check_reply = b""
    del peer.offered[:]
    await outfeed.start()
    counters = await outfeed.drained("busy")
    assert (counters.accepted, counters.offered) == (300, 300)
    assert peer.offered == ids(articles)
    await outfeed.emptied()


async def test_nothing_is_lost_when_the_service_stops_in_the_middle_of_put_offs(outfeed, peer):
    peer.check_reply = b"431"
    outfeed.peer("busy", peer.port)
    await outfeed.start()
    articles = list(synthetic(2000, 500))
    offered = await outfeed.offer(articles)
    await eventually(lambda: len(peer.offered) > 100)
    await outfeed.stop()
    peer.check_reply = b""
    await outfeed.start()
    await outfeed.drained("busy")
    assert set(peer.articles) == set(offered.confirmed)
    await outfeed.emptied()


async def test_a_window_cut_off_while_resending_loses_nothing(outfeed, peer):
    await peer.stop()
    outfeed.peer("away", peer.port, queue={"size": 100})
    await outfeed.start()
    articles = list(synthetic(600, 500))
    await outfeed.offer(articles)
    await eventually(lambda: has_spilled(outfeed, "away", 600))
    peer.silent = True
    await peer.start()
    for cut in range(3):
        await eventually(lambda full=100 * (cut + 1): len(peer.offered) >= full)
        peer.cut()
    peer.silent = False
    await eventually(lambda: peer.cut() or True)
    counters = await outfeed.drained("away")
    assert (counters.accepted, counters.offered) == (600, 600)
    assert set(peer.articles) == set(ids(articles))
    assert not peer.repeats
    await outfeed.emptied()


async def test_the_oldest_articles_over_the_limit_of_octets_are_dropped_and_released(outfeed, peer):
    await peer.stop()
    outfeed.peer("away", peer.port, backlog={**SMALL, "maxBytes": "8KB"})
    await outfeed.start()
    articles = list(synthetic(500, 500))
    await outfeed.offer(articles)
    counters = await eventually(lambda: dropped(outfeed))
    assert counters.dropped + counters.queued == 500
    await eventually(lambda: keeps_bodies(outfeed, counters.queued))
    await peer.start()
    counters = await outfeed.drained("away")
    assert counters.accepted + counters.dropped == 500
    assert list(peer.articles) == ids(articles[-counters.accepted :])
    await outfeed.emptied()


async def dropped(outfeed):
    status = (await outfeed.peers())["away"]
    settled = status.counters.dropped and status.backlog.bytes <= 8192 and status.backlog.entries
    return status.counters if settled == status.counters.queued else None


async def test_flush_moves_what_waits_in_memory_to_the_backlog(outfeed, peer):
    peer.silent = True
    outfeed.peer("away", peer.port, window=10)
    await outfeed.start()
    articles = list(synthetic(100, 500))
    await outfeed.offer(articles)
    await eventually(lambda: len(peer.offered) == 10)
    assert await outfeed.flush("away") == 90
    status = (await outfeed.peers())["away"]
    assert (status.backlog.entries, status.counters.in_flight) == (90, 10)
    peer.silent = False
    peer.cut()
    await outfeed.drained("away")
    assert set(peer.articles) == set(ids(articles))
