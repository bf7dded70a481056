"""Peers are changed, paused, deleted and made again while the service runs; the other peers notice nothing."""

from uuid import uuid4

import grpc
import pytest

from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import has_spilled, ids, is_without_streams, keeps_bodies


@pytest.fixture
async def two_peers(outfeed, recording_peer):
    """A running outfeed with the peers east and west, both connected."""
    peers = {"east": await recording_peer(), "west": await recording_peer()}
    for name, peer in peers.items():
        outfeed.peer(name, peer.port)
    await outfeed.start()
    for name in peers:
        await outfeed.connected(name)
    return peers


async def connections(outfeed, name):
    return [(each.id, each.connected_since.ToNanoseconds()) for each in (await outfeed.peers())[name].connections]


def faults(response):
    return [(each.name, violation.field) for each in response.results for violation in each.violations]


async def test_a_change_to_one_peer_leaves_the_connections_of_others_alone(outfeed, two_peers, recording_peer):
    before = await connections(outfeed, "east")
    moved = await recording_peer()
    outfeed.peer("west", moved.port, window=7)
    assert not faults(await outfeed.apply())
    articles = list(synthetic(50, 500))
    await outfeed.offer(articles)
    await outfeed.drained("west")
    assert set(moved.articles) == set(ids(articles))
    assert not two_peers["west"].articles
    await outfeed.drained("east")
    assert await connections(outfeed, "east") == before


async def test_what_needs_no_new_connection_changes_within_the_one_there_is(outfeed, two_peers):
    before = await connections(outfeed, "west")
    port = two_peers["west"].port
    outfeed.peer("west", port, groups=["other.*"], queue={"size": 50}, backlog={"rotateBytes": "4KB"})
    await outfeed.apply()
    await outfeed.offer(synthetic(50, 500))
    assert (await outfeed.drained("east")).accepted == 50
    assert (await outfeed.counters("west")).offered == 0
    assert await connections(outfeed, "west") == before


async def test_a_faulty_peer_is_told_of_and_keeps_its_last_good_options(outfeed, two_peers):
    outfeed.peer("west", two_peers["west"].port, window=0)
    assert faults(await outfeed.apply()) == [("west", "spec.window")]
    articles = list(synthetic(50, 500))
    await outfeed.offer(articles)
    for name, peer in two_peers.items():
        await outfeed.drained(name)
        assert set(peer.articles) == set(ids(articles))


async def test_a_paused_peer_gets_nothing_until_it_is_resumed(outfeed, two_peers):
    await outfeed.stub.Pause(pb.PauseRequest(peer="west"))
    await eventually(lambda: not two_peers["west"].connections)
    await outfeed.offer(synthetic(50, 500))
    assert (await outfeed.drained("east")).accepted == 50
    await eventually(lambda: has_spilled(outfeed, "west", 50))
    status = (await outfeed.peers())["west"]
    assert (status.state, status.counters.queued) == (pb.PEER_STATE_PAUSED, 50)
    assert status.reason
    await outfeed.stub.Resume(pb.ResumeRequest(peer="west"))
    assert (await outfeed.drained("west")).accepted == 50


async def test_a_peer_paused_by_its_spec_is_resumed_by_its_spec_alone(outfeed, two_peers):
    port = two_peers["west"].port
    outfeed.peer("west", port, pause=True)
    await outfeed.apply()
    await outfeed.offer(synthetic(50, 500))
    await eventually(lambda: has_spilled(outfeed, "west", 50))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await outfeed.stub.Resume(pb.ResumeRequest(peer="west"))
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert not two_peers["west"].offered
    outfeed.peer("west", port)
    await outfeed.apply()
    assert (await outfeed.drained("west")).accepted == 50


async def test_explain_tells_who_gets_an_article_and_why_others_do_not(outfeed, two_peers):
    outfeed.peer("west", two_peers["west"].port, groups=["*", "!test.*"])
    await outfeed.apply()
    (article,) = synthetic(1, 500)
    request = pb.ExplainRequest(article=pb.Article(content=article.content))
    explained = await outfeed.stub.Explain(request)
    assert explained.outcome == pb.OUTCOME_ACCEPTED
    east, west = explained.peers
    assert (east.peer, east.wanted) == ("east", True)
    assert (west.peer, west.wanted, west.rule) == ("west", False, "groups")
    assert "test.feed" in west.detail
    await outfeed.offer([article])
    await outfeed.drained("east")
    assert (await outfeed.counters("west")).offered == 0
    assert (await outfeed.stub.Explain(request)).outcome == pb.OUTCOME_DUPLICATE


@pytest.fixture
async def two_backlogs(outfeed, two_peers):
    """Both peers are away, and 100 articles wait for each."""
    for peer in two_peers.values():
        await peer.stop()
    await eventually(lambda: outfeed.peers())
    await outfeed.offer(synthetic(100, 500))
    for name in two_peers:
        await eventually(lambda name=name: has_spilled(outfeed, name, 100))
    return two_peers


def delete(outfeed, name):
    del outfeed.peer_options[name]
    outfeed.uids[f"Peerfeed/{name}"] = str(uuid4())


async def owners(redis):
    (registry,) = await redis.command("KEYS", "forebay:*:owners") or [None]
    return len(await redis.command("SMEMBERS", registry)) if registry else 0


async def test_a_deleted_peer_leaves_nothing_behind(outfeed, two_backlogs, redis):
    delete(outfeed, "west")
    await outfeed.apply()
    assert set(await outfeed.peers()) == {"east"}
    assert await owners(redis) == 1
    assert await keeps_bodies(outfeed, 100)
    await two_backlogs["east"].start()
    await outfeed.drained("east")
    await outfeed.emptied()
    await eventually(lambda: is_without_streams(redis))


async def test_a_peer_made_again_under_the_same_name_inherits_nothing(outfeed, two_backlogs):
    port = two_backlogs["west"].port
    delete(outfeed, "west")
    outfeed.peer("west", port)
    await outfeed.apply()
    assert (await outfeed.counters("west")).offered == 0
    articles = list(synthetic(50, 500, start=100))
    await outfeed.offer(articles)
    for peer in two_backlogs.values():
        await peer.start()
    assert (await outfeed.drained("west")).accepted == 50
    assert (await outfeed.drained("east")).accepted == 150
    assert set(two_backlogs["west"].articles) == set(ids(articles))
    await outfeed.emptied()


async def test_a_peer_deleted_while_redis_is_away_leaves_nothing_once_it_is_back(outfeed, two_backlogs, redis):
    await redis.kill()
    delete(outfeed, "west")
    await outfeed.apply()
    await redis.start()
    await eventually(lambda: has_owners(redis, 1))
    await two_backlogs["east"].start()
    await outfeed.drained("east")
    await outfeed.emptied()


async def has_owners(redis, count):
    return await owners(redis) == count


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_a_start_with_a_faulty_peer_keeps_what_waits_for_it(outfeed, two_backlogs, redis, how):
    await getattr(outfeed, how)()
    port = two_backlogs["west"].port
    outfeed.peer("west", port, window=0)
    await outfeed.start()
    await two_backlogs["east"].start()
    assert (await outfeed.drained("east")).accepted == 100
    assert set(await outfeed.peers()) == {"east"}
    await two_backlogs["west"].start()
    outfeed.peer("west", port)
    assert not faults(await outfeed.apply())
    assert (await outfeed.drained("west")).accepted == 100
    assert await owners(redis) == 2
    await outfeed.emptied()


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_a_peer_deleted_while_the_service_is_down_leaves_nothing(outfeed, two_backlogs, redis, how):
    await getattr(outfeed, how)()
    delete(outfeed, "west")
    await outfeed.start()
    await eventually(lambda: has_owners(redis, 1))
    await two_backlogs["east"].start()
    assert (await outfeed.drained("east")).accepted == 100
    await outfeed.emptied()
