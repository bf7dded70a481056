"""What an operator sees of a running outfeed, and does with it."""

import json

import aiohttp
import pytest
from grpc.aio import AioRpcError

from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


async def page(outfeed, query=""):
    async with aiohttp.ClientSession() as session, session.get(outfeed._url(f"status{query}")) as response:
        return response.status, response.headers, await response.text()


async def dead_letters(outfeed, **choice):
    return list((await outfeed.stub.ListDeadLetters(pb.ListDeadLettersRequest(peer="west", **choice))).dead_letters)


async def has_dead_letters(outfeed, count):
    return len(await dead_letters(outfeed)) == count


async def test_refusals_of_a_real_connection_are_counted_by_text(outfeed, peer):
    peer.check_reply = b"438"
    outfeed.peer("west", peer.port)
    await outfeed.start()
    await outfeed.offer(synthetic(20, 500))
    assert (await outfeed.drained("west")).refused == 20
    (found,) = (await outfeed.stub.ListRefusals(pb.ListRefusalsRequest(peers=["west"]))).peers
    assert sum(each.articles for each in found.refusals) == 20
    assert {(each.outcome, each.text[:3]) for each in found.refusals} == {(pb.REFUSED_UNWANTED, "438")}
    with pytest.raises(AioRpcError, match="NOT_FOUND"):
        await outfeed.stub.ListRefusals(pb.ListRefusalsRequest(peers=["north"]))


async def test_the_status_page_is_served_with_its_figures(outfeed, peer):
    outfeed.peer("west", peer.port)
    outfeed.peer("gone", 1)
    await outfeed.start()
    await outfeed.offer(synthetic(20, 500))
    counters = await outfeed.drained("west")
    status, headers, text = await page(outfeed, "?format=json&peer=west")
    assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    (shown,) = json.loads(text)["peers"]
    assert (shown["offered"], shown["accepted_bytes"]) == (20, counters.accepted_bytes)
    assert shown["offered_bytes"] == shown["accepted_bytes"]
    status, headers, text = await page(outfeed)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "gone" in text
    assert "<script" not in text
    assert (await page(outfeed, "?peer=north"))[0] == 404
    assert (await page(outfeed, "?format=xml"))[0] == 400


async def test_the_oldest_age_of_a_peer_that_is_away_grows(outfeed):
    outfeed.peer("gone", 1)
    await outfeed.start()
    await outfeed.offer(synthetic(5, 500))

    async def age():
        status = (await outfeed.peers())["gone"]
        places = {each.place for each in status.waiting_ages}
        return status.oldest_queued_age.ToMilliseconds() if places == {pb.WAITING_PLACE_BACKLOG} else 0

    first = await eventually(age)
    assert await eventually(lambda: is_more(age, first))


async def is_more(ask, than):
    return await ask() > than


async def test_an_article_that_waits_is_explained_by_its_message_id(outfeed, peer):
    outfeed.peer("gone", 1)
    outfeed.peer("paused", 1, pause=True)
    outfeed.peer("small", 1, maxSize=10)
    await outfeed.start()
    (article,) = synthetic(1, 500)
    await outfeed.offer([article])
    message_id = article.message_id.decode()
    response = await outfeed.stub.Explain(pb.ExplainRequest(message_id=message_id))
    assert (response.message_id, response.outcome) == (message_id, pb.OUTCOME_DUPLICATE)
    rules = {each.peer: (each.wanted, each.rule) for each in response.peers}
    assert rules == {"gone": (True, ""), "paused": (True, "pause"), "small": (False, "maxSize")}
    with pytest.raises(AioRpcError, match="explain its headers instead"):
        await outfeed.stub.Explain(pb.ExplainRequest(message_id="<unknown@example.org>"))


async def test_dead_letters_are_chosen_and_replayed_by_reason(outfeed, peer):
    peer.check_reply = b"501"
    outfeed.peer("west", peer.port, deadLetter={"maxTries": 1})
    await outfeed.start()
    articles = list(synthetic(5, 500))
    await outfeed.offer(articles)
    await eventually(lambda: has_dead_letters(outfeed, 5))
    assert not await dead_letters(outfeed, reason="quota")
    (letter,) = await dead_letters(outfeed, reason="501", message_ids=[articles[2].message_id.decode()])
    assert letter.message_id == articles[2].message_id.decode()
    peer.check_reply = b""
    replay = outfeed.stub.ReplayDeadLetters
    assert (await replay(pb.ReplayDeadLettersRequest(peer="west", reason="quota"))).entries == 0
    assert (await replay(pb.ReplayDeadLettersRequest(peer="west", reason="501"))).entries == 5
    assert (await outfeed.drained("west")).accepted == 5
    await outfeed.emptied()
