"""Input that is no article, over gRPC and over NNTP: refused with a reason, and nothing else suffers."""

import asyncio

import pytest

from articles import stuff
from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from nntp import NntpSender

from .waiting import ids

GOOD = next(synthetic(1, 500))
LIMIT = 20_000
LONG_ID = b"<" + b"x" * 240 + b"@example.com>"

BAD = {
    "no message-id": (GOOD.content.replace(b"Message-ID:", b"X-Id:"), "Message-ID"),
    "long message-id": (GOOD.content.replace(GOOD.message_id, LONG_ID), "Message-ID"),
    "NUL in the header": (GOOD.content.replace(b"Subject: ", b"Subject: \0"), "NUL"),
    "NUL in the body": (GOOD.content + b"\0\r\n", "NUL"),
    "bare LF": (GOOD.content + b"a\nb\r\n", "bare LF"),
    "header without a colon": (GOOD.content.replace(b"Subject: ", b"Subject "), "without a colon"),
    "too large": (next(synthetic(1, LIMIT + 1)).content, f"limit of {LIMIT}"),
    "no body": (GOOD.content.partition(b"\r\n\r\n")[0] + b"\r\n", "no body"),
}


@pytest.fixture
async def limited(make_outfeed, redis, peer):
    """A running outfeed that takes articles of up to 20 KB, with one peer."""
    outfeed = make_outfeed(redis, outfeed={"articles": {"maxSize": LIMIT, "maxHeaderSize": 5000}})
    outfeed.peer("east", peer.port)
    await outfeed.start()
    return outfeed


async def only_arrived(outfeed, peer, articles):
    await outfeed.drained("east")
    assert set(peer.articles) == set(ids(articles))


async def test_bad_articles_over_grpc_are_rejected_with_a_reason_and_the_good_ones_taken(limited, peer):
    good = list(synthetic(2, 600))
    contents = [good[0].content, *(content for content, _ in BAD.values()), good[1].content]

    async def requests():
        yield pb.OfferRequest(first=10, articles=[pb.Article(content=content) for content in contents])

    (response,) = [response async for response in limited.stub.Offer(requests())]
    first, *rejections, last = response.verdicts
    assert (first.first, first.outcome) == (10, pb.OUTCOME_ACCEPTED)
    assert (last.first, last.outcome) == (10 + len(BAD) + 1, pb.OUTCOME_ACCEPTED)
    assert [(verdict.outcome, verdict.count) for verdict in rejections] == [(pb.OUTCOME_REJECTED, 1)] * len(BAD)
    for verdict, (name, (_, reason)) in zip(rejections, BAD.items(), strict=True):
        assert reason in verdict.reason, name
    await only_arrived(limited, peer, good)


async def test_bad_articles_over_nntp_are_rejected_with_a_reason_and_the_connection_goes_on(limited, peer):
    good = next(synthetic(1, 600))
    async with NntpSender(limited.nntp_port) as sender:
        for number, (name, (content, reason)) in enumerate(BAD.items()):
            message_id = b"<%d@bad.example>" % number
            content = content.replace(GOOD.message_id, message_id)
            reply = await sender.command(b"TAKETHIS " + message_id + b"\r\n" + stuff(content)[:-2])
            assert reply.startswith(b"439 " + message_id), name
            assert reason in reply.decode(), name
        assert await sender.take_this([good]) == [b"239 " + good.message_id]
    await only_arrived(limited, peer, [good])


@pytest.mark.parametrize("ending", ["close", "reset"])
async def test_a_truncated_article_ends_its_own_connection_with_nothing_stored(limited, peer, ending):
    good = next(synthetic(1, 600))
    async with NntpSender(limited.nntp_port) as other:
        _, writer = await asyncio.open_connection("127.0.0.1", limited.nntp_port)
        writer.write(b"TAKETHIS " + GOOD.message_id + b"\r\n" + GOOD.wire[:-10])
        await writer.drain()
        if ending == "close":
            writer.close()
            await writer.wait_closed()
        else:
            writer.transport.abort()
        await eventually(lambda: any(entry["within_article"] for entry in limited.logged("feeder gone")))
        assert (await limited.metrics())["forebay_outfeed_store_messages"] == 0
        assert await other.take_this([good]) == [b"239 " + good.message_id]
    # It was not kept, so it can be offered again.
    assert (await limited.offer([GOOD])).confirmed == [GOOD.message_id]
    await only_arrived(limited, peer, [good, GOOD])


async def test_an_offer_that_is_cut_off_stores_whole_batches_alone(limited, peer):
    articles = list(synthetic(1000, 600))
    offering = asyncio.create_task(limited.offer(articles, batch=50))
    await eventually(lambda: len(peer.articles) > 50, every=0.001)
    offering.cancel()
    await asyncio.gather(offering, return_exceptions=True)
    counters = await limited.drained("east")
    assert counters.accepted == len(peer.articles)
    assert all(
        peer.articles[article.message_id] == article.wire for article in articles if article.message_id in peer.articles
    )
    await limited.emptied()
