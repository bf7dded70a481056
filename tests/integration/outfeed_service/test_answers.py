"""Peers that answer wrongly: what becomes of the article, and of all others."""

from itertools import pairwise

import pytest

from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import ids, is_whole


async def dead_letters(outfeed, peer):
    return list((await outfeed.stub.ListDeadLetters(pb.ListDeadLettersRequest(peer=peer))).dead_letters)


async def test_a_431_to_takethis_is_a_rejection(outfeed, fake_peer):
    articles = list(synthetic(20, 500))
    peer = await fake_peer("take431", "--match", articles[7].message_id.decode())
    outfeed.peer("wrong", peer.port)
    await outfeed.start()
    await outfeed.offer(articles)
    counters = await outfeed.drained("wrong")
    assert (counters.accepted, counters.rejected, counters.deferred) == (19, 1, 0)
    assert [reply for message_id, reply in peer.replies("TAKETHIS") if message_id == articles[7].message_id] == ["431"]
    assert outfeed.logged("a 431 to TAKETHIS counts as rejected")
    assert not (await outfeed.peers())["wrong"].backlog.entries
    await outfeed.emptied()


async def test_one_article_that_the_peer_cannot_take_is_dead_lettered_and_the_others_arrive(
    outfeed, fake_peer, recording_peer
):
    articles = list(synthetic(100, 500))
    bad = articles[50].message_id
    peer = await fake_peer("501", "--match", bad.decode())
    outfeed.peer("picky", peer.port, noCheck={"enabled": False})
    await outfeed.start()
    await outfeed.offer(articles)
    counters = await eventually(lambda: given_up(outfeed, "picky"))
    assert (counters.accepted, counters.dead_lettered, counters.offered) == (99, 1, 100)
    assert [reply for message_id, reply in peer.replies("CHECK") if message_id == bad] == ["501"] * 3
    (letter,) = await dead_letters(outfeed, "picky")
    assert (letter.message_id.encode(), letter.tries) == (bad, 3)
    assert "501" in letter.reason
    healthy = await recording_peer()
    outfeed.peer("picky", healthy.port)
    await outfeed.apply()
    replayed = await outfeed.stub.ReplayDeadLetters(pb.ReplayDeadLettersRequest(peer="picky"))
    assert replayed.entries == 1
    await eventually(lambda: bad in healthy.articles)
    assert not await dead_letters(outfeed, "picky")
    await outfeed.emptied()


async def given_up(outfeed, peer):
    counters = await outfeed.drained(peer)
    return counters if counters.dead_lettered else None


@pytest.mark.parametrize("how", ["stop", "kill", "kill, and redis"])
async def test_dead_letters_survive_a_restart_and_stay_where_they_are(outfeed, peer, redis, how):
    peer.check_reply = b"501"
    outfeed.peer("picky", peer.port, deadLetter={"maxTries": 1})
    await outfeed.start()
    articles = list(synthetic(10, 500))
    await outfeed.offer(articles)
    await eventually(lambda: has_dead_letters(outfeed, "picky", 10))
    await eventually(lambda: log_is_passed(outfeed))
    if "redis" in how:
        await redis.kill()
        await outfeed.kill()
        await redis.start()
    else:
        await getattr(outfeed, how)()
    peer.check_reply = b""
    await outfeed.start()
    await eventually(lambda: is_whole(outfeed))
    assert await has_dead_letters(outfeed, "picky", 10)
    counters = await outfeed.drained("picky")
    assert (counters.offered, counters.dead_lettered) == (10, 10)
    await outfeed.stub.ReplayDeadLetters(pb.ReplayDeadLettersRequest(peer="picky"))
    assert (await outfeed.drained("picky")).accepted == 10
    assert set(peer.articles) == set(ids(articles))
    assert not peer.repeats
    await outfeed.emptied()


async def has_dead_letters(outfeed, peer, count):
    return len(await dead_letters(outfeed, peer)) == count


async def log_is_passed(outfeed):
    """Whether all that was logged is settled, or safe on Redis."""
    return (await outfeed.metrics())["forebay_outfeed_log_backlog_bytes"] == 0


async def test_a_peer_that_answers_nothing_but_errors_costs_no_article(outfeed, peer):
    peer.check_reply = b"500"
    outfeed.peer("wrong", peer.port, reconnect={"initial": "200ms", "maximum": "5s"})
    await outfeed.start()
    articles = list(synthetic(300, 500))
    await outfeed.offer(articles)
    await eventually(lambda: peer.opened >= 4)
    status = (await outfeed.peers())["wrong"]
    assert "nothing but errors" in status.last_error
    assert "500" in status.last_error
    assert status.counters.dead_lettered == 0
    peer.check_reply = b""
    counters = await outfeed.drained("wrong")
    assert (counters.accepted, counters.offered) == (300, 300)
    assert set(peer.articles) == set(ids(articles))


async def test_a_peer_that_answers_nothing_but_errors_is_asked_less_and_less_often(outfeed, peer):
    peer.check_reply = b"500"
    outfeed.peer("wrong", peer.port, reconnect={"initial": "100ms", "maximum": "1h"})
    await outfeed.start()
    await outfeed.offer(synthetic(100, 500))
    await eventually(lambda: waits(outfeed, "wrong", seconds=2))
    assert peer.opened <= 8


async def waits(outfeed, name, seconds):
    """The status of a peer whose next try is that far away."""
    status = (await outfeed.peers())[name]
    pause = status.next_attempt_time.ToNanoseconds() - status.last_error_time.ToNanoseconds()
    return status if status.state == pb.PEER_STATE_BACKING_OFF and pause > seconds * 1e9 else None


async def test_peers_that_turn_connections_away_are_tried_a_handful_of_times(outfeed, fake_peer):
    reasons = {"close": "closed", "400": "400 come back later", "502": "502 no permission"}
    peers = {mode: await fake_peer(mode) for mode in reasons}
    for mode, peer in peers.items():
        # A quarter of the default.
        outfeed.peer(mode, peer.port, reconnect={"initial": "500ms", "maximum": "75s"})
    await outfeed.start()
    await outfeed.offer(synthetic(10, 500))
    for mode, peer in peers.items():
        status = await eventually(lambda mode=mode: waits(outfeed, mode, seconds=2.5))
        assert reasons[mode] in status.last_error
        assert status.reason == status.last_error
        opened = [event.at for event in peer.events if event.name == "open"]
        assert 3 <= len(opened) <= 6
        gaps = [later - earlier for earlier, later in pairwise(opened)]
        assert gaps[-1] > 1.5 * gaps[0]


async def test_a_peer_that_opens_again_gets_what_it_missed(outfeed, fake_peer):
    peer = await fake_peer("400")
    outfeed.peer("shut", peer.port)
    await outfeed.start()
    await outfeed.offer(synthetic(10, 500))
    await eventually(lambda: len(peer.events) >= 3)
    await peer.kill()
    peer = await fake_peer(port=peer.port)
    assert (await outfeed.drained("shut")).accepted == 10


async def test_every_answer_is_counted_once_whatever_the_mix(outfeed, peer):
    """The accounts are looked at all the while, by the outfeed of the test."""
    articles = list(synthetic(700, 500))
    kinds = {message_id: number % 7 for number, message_id in enumerate(ids(articles))}
    put_off: set[bytes] = set()
    check, take = peer.check, peer.take

    def mixed_check(message_id):
        reply = check(message_id)
        if kinds[message_id] == 1:
            return b"438"
        if kinds[message_id] == 2 and message_id not in put_off:
            put_off.add(message_id)
            return b"431"
        return reply

    def mixed_take(message_id, wire):
        if len(peer.articles) in (100, 200):
            for connection in peer.connections:
                connection.transport.write(b"400 I have to go\r\n")
                connection.transport.close()
        return b"439" if kinds[message_id] == 3 else take(message_id, wire)

    peer.check, peer.take = mixed_check, mixed_take
    outfeed.peer("moody", peer.port, window=50, noCheck={"enabled": False})
    await outfeed.start()
    await outfeed.offer(articles)
    counters = await outfeed.drained("moody")
    assert (counters.offered, counters.dropped, counters.expired, counters.dead_lettered) == (700, 0, 0, 0)
    # What was taken just before the 400 is refused when it is offered again.
    assert counters.accepted + counters.refused + counters.rejected == 700
    assert set(peer.articles) == {message_id for message_id, kind in kinds.items() if kind not in (1, 3)}
    assert counters.rejected == 100
    assert counters.refused == 700 - counters.accepted - counters.rejected >= 100
    # Of those that the peer put off just before the 400 the answer was lost.
    assert 0 < counters.put_offs <= 100
    assert counters.requeued > 0
    await outfeed.emptied()
