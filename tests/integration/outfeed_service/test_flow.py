"""When and how articles go to a peer: their rest, the hours, the rate, the order, connections, and what is given up."""

from datetime import UTC, datetime, timedelta

import pytest

from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import has_spilled, ids


@pytest.fixture
async def fed(outfeed, peer):
    """Start an outfeed whose peer has these options, and offer it articles."""

    async def fed(count=20, **options):
        outfeed.peer("east", peer.port, **options)
        await outfeed.start()
        articles = list(synthetic(count, 300))
        await outfeed.offer(articles)
        return articles

    return fed


async def changed(outfeed, **options):
    """Change the peer."""
    outfeed.peer_options["east"] |= options
    assert not [each for each in (await outfeed.apply()).results if each.violations]


async def test_articles_rest_and_go_once_the_delay_is_taken_back(outfeed, peer, fed):
    articles = await fed(delay="1h")
    await outfeed.connected("east")
    (age,) = (await outfeed.peers())["east"].waiting_ages
    assert age.place == pb.WAITING_PLACE_LOG
    assert not peer.offered
    await changed(outfeed, delay="0s")
    await outfeed.drained("east")
    assert peer.offered == ids(articles)


async def test_outside_its_hours_a_peer_gets_nothing_and_all_is_kept(outfeed, peer, fed):
    start = datetime.now(UTC) + timedelta(hours=12)
    window = {"start": f"{start:%H:%M}", "end": f"{start + timedelta(minutes=1):%H:%M}"}
    articles = await fed(hours={"windows": [window]})
    status = (await outfeed.peers())["east"]
    assert (status.state, status.reason) == (pb.PEER_STATE_PAUSED, "it is not the time of spec.hours")
    await eventually(lambda: has_spilled(outfeed, "east", len(articles)))
    assert peer.opened == 0
    del outfeed.peer_options["east"]["hours"]
    await changed(outfeed)
    await outfeed.drained("east")
    assert peer.offered == ids(articles)


async def test_no_more_articles_go_than_the_rate_allows(outfeed, peer, fed):
    articles = await fed(maxRate=0.001)
    await outfeed.connected("east")
    counters = await outfeed.counters("east")
    assert (counters.offered, counters.accepted, counters.in_flight) == (len(articles), 0, 0)
    await changed(outfeed, maxRate=100_000)
    await outfeed.drained("east")
    assert set(peer.articles) == set(ids(articles))


async def test_what_comes_in_goes_behind_the_backlog(outfeed, peer, fed):
    await peer.stop()
    articles = await fed(300, backlog={"first": True}, window=10, queue={"size": 50})
    await eventually(lambda: has_spilled(outfeed, "east", len(articles)))
    await peer.start()
    await eventually(lambda: peer.articles)
    later = list(synthetic(600, 300))[300:]
    await outfeed.offer(later)
    await outfeed.drained("east")
    assert list(peer.articles) == ids([*articles, *later])


async def test_more_connections_are_opened_while_all_are_busy(outfeed, peer, fed):
    peer.silent = True
    await fed(400, connections={"max": 3}, window=10)

    async def has_three():
        return len((await outfeed.peers())["east"].connections) == 3

    await eventually(has_three)
    peer.silent = False
    peer.cut()
    await outfeed.drained("east")
    assert len(peer.articles) == 400


async def test_as_many_connections_are_opened_at_the_start_as_are_wished(outfeed, peer, fed):
    await fed(0, connections={"max": 5, "initial": 2})
    await eventually(lambda: peer.opened == 2)
    assert len((await outfeed.peers())["east"].connections) == 2


async def test_what_is_put_off_too_often_is_given_up_with_the_words_of_the_peer(outfeed, peer, fed):
    peer.check_reply = b"431"
    articles = await fed(5, deferral={"minAge": "1s", "maxTries": 2})

    async def is_settled():
        counters = await outfeed.counters("east")
        return (counters.put_offs, counters.dead_lettered) == (5, 5)

    await eventually(is_settled)
    listed = await outfeed.stub.ListDeadLetters(pb.ListDeadLettersRequest(peer="east"))
    assert [(letter.message_id.encode(), letter.reason) for letter in listed.dead_letters] == [
        (message_id, "431") for message_id in ids(articles)
    ]


async def test_a_peer_sees_the_address_that_connections_are_to_come_from(outfeed, peer, fed):
    articles = await fed(5, network={"bind": ["127.0.0.7"]})
    await outfeed.drained("east")
    assert set(peer.articles) == set(ids(articles))
    (connection,) = peer.connections
    assert connection.transport.get_extra_info("peername")[0] == "127.0.0.7"
