"""Full windows: a change of one peer, and a peer that takes a hundredth of what comes in."""

from corpus import synthetic
from eventually import eventually

from .waiting import ids

WINDOW = 100


async def in_flight(outfeed, name):
    status = (await outfeed.peers())[name]
    return sum(connection.in_flight for connection in status.connections)


async def has_full_window(outfeed, name):
    return await in_flight(outfeed, name) == WINDOW


async def test_a_change_of_one_peer_loses_nothing_in_flight_and_leaves_the_other_alone(outfeed, recording_peer):
    peers = {name: await recording_peer() for name in ("east", "west")}
    for name, peer in peers.items():
        peer.silent = True
        outfeed.peer(name, peer.port, window=WINDOW)
    await outfeed.start()
    articles = list(synthetic(250, 500))
    await outfeed.offer(articles)
    for name in peers:
        await eventually(lambda name=name: has_full_window(outfeed, name))
    (before,) = (await outfeed.peers())["east"].connections
    outfeed.peer("west", peers["west"].port, window=WINDOW + 1)
    await outfeed.apply()
    (after,) = (await outfeed.peers())["east"].connections
    assert (after.id, after.connected_since, after.in_flight) == (before.id, before.connected_since, WINDOW)
    for peer in peers.values():
        peer.silent = False
    peers["west"].cut()
    peers["east"].cut()
    for name, peer in peers.items():
        counters = await outfeed.drained(name)
        assert (counters.accepted, counters.offered) == (250, 250)
        assert set(peer.articles) == set(ids(articles))
    await outfeed.emptied()


async def test_what_a_changed_peer_answers_in_its_last_moments_counts(outfeed, recording_peer):
    peer = await recording_peer()
    peer.silent = True
    outfeed.peer("west", peer.port, window=WINDOW)
    await outfeed.start()
    articles = list(synthetic(WINDOW, 500))
    await outfeed.offer(articles)
    await eventually(lambda: has_full_window(outfeed, "west"))
    (connection,) = peer.connections
    moved = await recording_peer()
    outfeed.peer("west", moved.port, window=WINDOW)
    await outfeed.apply()
    # All are wanted: the articles themselves go over the old connection, as it has said so.
    peer.silent = False
    connection.say(b"".join(b"238 %b\r\n" % message_id for message_id in peer.offered))
    counters = await outfeed.drained("west")
    assert counters.accepted == WINDOW
    assert sorted([*peer.articles, *moved.articles]) == sorted(ids(articles)), "each has gone to one of them, once"
    await outfeed.emptied()


async def test_a_peer_that_takes_a_fraction_of_what_comes_in_gets_the_newest(outfeed, fake_peer, recording_peer):
    slow = await fake_peer("slow", "--delay", 0.1)
    limits = {"queue": {"size": 50}, "backlog": {"maxBytes": "8KB", "rotateBytes": "1KB", "rotateAge": "1s"}}
    outfeed.peer("slow", slow.port, window=10, **limits)
    await outfeed.start()
    await outfeed.connected("slow")
    articles = list(synthetic(3000, 500))
    for first in range(0, len(articles), 100):
        await outfeed.offer(articles[first : first + 100])
    counters = await eventually(lambda: bounded(outfeed))
    assert counters.dropped + counters.queued + counters.in_flight + counters.accepted == 3000
    fast = await recording_peer()
    outfeed.peer("slow", fast.port, **limits)
    await slow.kill()
    await outfeed.apply()
    counters = await outfeed.drained("slow")
    assert counters.accepted + counters.refused + counters.dropped == 3000
    got = set(fast.articles)
    newest = ids(articles)[-counters.accepted :]
    assert len(got.intersection(newest)) > 0.9 * len(got), "but for those that were on the way to the slow one"
    assert ids(articles)[-1] in got
    await outfeed.emptied()


async def bounded(outfeed):
    status = (await outfeed.peers())["slow"]
    counters = status.counters
    fits = status.backlog.bytes <= 8192 and status.queue_length <= 50
    return counters if fits and counters.dropped else None
