"""What innd does not take is counted by innd's own words; no one article of it holds up the others."""

import pytest

from articles import Article
from corpus import synthetic
from eventually import eventually
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import has_deferred, ids

pytestmark = pytest.mark.inn


async def refusals(outfeed, peer):
    """How many articles got which text, by text."""
    (found,) = (await outfeed.stub.ListRefusals(pb.ListRefusalsRequest(peers=[peer]))).peers
    return {refusal.text: refusal.articles for refusal in found.refusals}


def changed(article, old, new):
    assert old in article.content
    return Article(article.message_id, article.content.replace(old, new))


@pytest.fixture
def turned_down():
    """Articles that innd does not want, by what it says of them where it says anything."""
    made = synthetic(12, 500, start=1000)
    groups = b"Newsgroups: test.feed"
    date = b"Date: Wed, 1 Jan 2025 00:00:00 +0000"
    return {
        'Unwanted newsgroup "..."': [changed(next(made), groups, b"Newsgroups: no.such.group") for _ in range(5)],
        "Article injected or posted in the future": [
            changed(next(made), date, b"Date: Fri, 1 Jan 2100 00:00:00 +0000") for _ in range(4)
        ],
        'Bad "Date" header field': [changed(next(made), date, b"Date: some day") for _ in range(2)],
        "Article of # bytes exceeds local limit of # bytes": list(synthetic(1, 1_100_000)),
    }


@pytest.fixture
def outfeed(make_outfeed, redis):
    """It takes larger articles than innd."""
    return make_outfeed(redis, outfeed={"articles": {"maxSize": "2MB"}})


@pytest.fixture
def good():
    return list(synthetic(40, 500))


def mixed(good, turned_down):
    bad = [article for articles in turned_down.values() for article in articles]
    both = good.copy()
    for place, article in enumerate(bad):
        both.insert(3 * place, article)
    return both


async def test_over_ihave_each_reason_is_counted_in_the_words_of_innd(outfeed, inn, good, turned_down):
    outfeed.peer("inn", inn.port, streaming=False)
    await outfeed.start()
    offered = await outfeed.offer(mixed(good, turned_down))
    assert not offered.reasons
    counters = await outfeed.drained("inn")
    assert (counters.accepted, counters.rejected) == (len(good), 12)
    found = await refusals(outfeed, "inn")
    for words, articles in turned_down.items():
        (text,) = [text for text in found if text.startswith(f"437 {words}")]
        assert found.pop(text) == len(articles)
    assert not found
    assert await inn.has(ids(good)) == set(ids(good))


async def test_over_takethis_innd_says_no_more_than_no(outfeed, inn, good, turned_down):
    outfeed.peer("inn", inn.port, noCheck={"enabled": False})
    await outfeed.start()
    await outfeed.offer(mixed(good, turned_down))
    assert (await outfeed.drained("inn")).accepted == len(good)
    assert await refusals(outfeed, "inn") == {"439": 12}
    logged = [line.detail for line in await inn.log() if line.sign == "-"]
    assert len(logged) == 12, "the reasons are in its log"


async def test_what_innd_has_and_what_it_puts_off_are_counted_apart(outfeed, inn, good):
    outfeed.peer("first", inn.port, noCheck={"enabled": False})
    outfeed.peer("second", inn.port, noCheck={"enabled": False}, pause=True)
    await outfeed.start()
    await outfeed.offer(good)
    assert (await outfeed.drained("first")).accepted == len(good)
    outfeed.peer("second", inn.port, noCheck={"enabled": False})
    await outfeed.apply()
    assert (await outfeed.drained("second")).refused == len(good)
    assert await refusals(outfeed, "second") == {"438 Duplicate": len(good)}
    await inn.pause()
    later = list(synthetic(15, 500, start=500))
    outfeed.peer("second", inn.port, groups=["none.at.all"])
    await outfeed.apply()
    await outfeed.offer(later)
    await eventually(lambda: has_deferred(outfeed, "first", len(later)))
    (text,) = await refusals(outfeed, "first")
    assert text.startswith("431 ")
    assert (await refusals(outfeed, "first"))[text] >= len(later)


@pytest.mark.parametrize("streaming", [True, False], ids=["check", "ihave"])
async def test_message_ids_that_innd_finds_bad_are_refused_and_all_others_arrive(outfeed, inn, good, streaming):
    """The complaint about INN's own feeder: one such message-id, and nothing moves any more."""
    bad_ids = [b"<a..b@bad.example>", b"<a.@bad.example>", b"<a:b@bad.example>", b"<a@bad..example>", b"<a(b)@c.d>"]
    bad = [changed(article, article.message_id, bad_id) for article, bad_id in zip(good, bad_ids, strict=False)]
    bad = [article._replace(message_id=bad_id) for article, bad_id in zip(bad, bad_ids, strict=True)]
    articles = [*bad, *good[len(bad) :]]
    outfeed.peer("inn", inn.port, streaming=streaming, noCheck={"enabled": False})
    await outfeed.start()
    assert (await outfeed.offer(articles)).confirmed == ids(articles)
    counters = await outfeed.drained("inn")
    assert (counters.accepted, counters.refused, counters.offered) == (35, 5, 40)
    code = "438" if streaming else "435"
    assert await refusals(outfeed, "inn") == {f"{code} Syntax error in message-ID": 5}
    assert (await outfeed.peers())["inn"].last_error == ""
    assert await inn.has(ids(good)) == set(ids(good)[5:])
    await outfeed.emptied()
