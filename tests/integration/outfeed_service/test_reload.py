"""One peer is changed in every way while articles flow: what the others see of it, counted at their end, is nothing."""

import asyncio

import pytest

from corpus import synthetic
from eventually import eventually

from .waiting import ids

COUNT = 3_000
CHANGES = [
    pytest.param({"window": 7}, True, id="window"),
    pytest.param({"connections": {"max": 3}}, False, id="connections"),
    pytest.param({"noCheck": {"enabled": False}}, True, id="noCheck"),
    pytest.param({"streaming": False}, True, id="ihave"),
    pytest.param({"queue": {"size": 30}}, False, id="queue"),
    pytest.param({"backlog": {"first": True}}, False, id="backlog first"),
    pytest.param({"reconnect": {"initial": "200ms"}}, False, id="reconnect"),
    pytest.param({"timeouts": {"response": "7s"}}, True, id="timeouts"),
    pytest.param({"pause": True}, True, id="pause"),
]
"""Options, and whether connections that there are have to make way for new ones."""


@pytest.fixture
async def peers(outfeed, recording_peer):
    """Three peers of a running outfeed; middle is the one to be changed."""
    peers = {name: await recording_peer() for name in ("first", "middle", "last")}
    for name, peer in peers.items():
        outfeed.peer(name, peer.port)
    await outfeed.start()
    for name in peers:
        await outfeed.connected(name)
    return peers


async def is_flowing(peers, least):
    return all(len(peer.articles) > least for peer in peers.values())


@pytest.mark.parametrize(("options", "anew"), CHANGES)
async def test_a_change_in_the_midst_of_the_flow_costs_no_article_and_no_connection_of_others(
    outfeed, peers, options, anew
):
    port = peers["middle"].port
    articles = list(synthetic(COUNT, 500))
    offering = asyncio.create_task(outfeed.offer(articles, batch=20))
    await eventually(lambda: is_flowing(peers, 100))
    outfeed.peer("middle", port, **options)
    response = await outfeed.apply()
    assert not any(result.violations for result in response.results)
    if anew:
        # What is in flight may be answered first.
        await eventually(lambda: peers["middle"].opened > 1 or not peers["middle"].connections)
    assert (await offering).confirmed == ids(articles)
    outfeed.peer("middle", port)
    await outfeed.apply()
    for name, peer in peers.items():
        counters = await outfeed.drained(name)
        assert (counters.accepted, counters.offered) == (COUNT, COUNT), name
        assert set(peer.articles) == set(ids(articles))
        assert not peer.repeats
    for name in ("first", "last"):
        assert peers[name].opened == 1
        assert peers[name].offered == ids(articles), "in order, each once"
        assert (await outfeed.counters(name)).requeued == 0
    assert (await outfeed.counters("middle")).requeued == 0, "what was on the connection was waited for"
    await outfeed.emptied()


async def test_changes_without_a_pause_cost_nothing_either(outfeed, peers):
    """The connection of the changed peer ends again and again with articles in flight."""
    articles = list(synthetic(COUNT, 500))
    offering = asyncio.create_task(outfeed.offer(articles, batch=20))
    for window in range(1, 30):
        outfeed.peer("middle", peers["middle"].port, window=10 + window)
        await outfeed.apply()
    assert (await offering).confirmed == ids(articles)
    for name, peer in peers.items():
        counters = await outfeed.drained(name)
        assert (counters.accepted, counters.offered) == (COUNT, COUNT), name
        assert set(peer.articles) == set(ids(articles))
        assert not peer.repeats
    assert [peers[name].opened for name in ("first", "last")] == [1, 1]
    await outfeed.emptied()


async def test_peers_that_come_and_go_are_nothing_to_those_that_stay(outfeed, peers, recording_peer):
    articles = list(synthetic(COUNT, 500))
    offering = asyncio.create_task(outfeed.offer(articles, batch=20))
    await eventually(lambda: is_flowing(peers, 100))
    late = await recording_peer()
    outfeed.peer("late", late.port)
    del outfeed.peer_options["middle"]
    await outfeed.apply()
    assert (await offering).confirmed == ids(articles)
    for name in ("first", "last"):
        assert (await outfeed.drained(name)).accepted == COUNT
        assert (peers[name].opened, peers[name].offered) == (1, ids(articles))
    counters = await outfeed.drained("late")
    assert counters.accepted == len(late.articles)
    assert list(late.articles) == ids(articles)[-len(late.articles) :]
    await outfeed.emptied()
