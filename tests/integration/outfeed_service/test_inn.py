"""The service between real INNs: fed by innxmit and innfeed, feeding innd."""

import pytest

import corpus
from articles import Article, without_path
from corpus import synthetic
from eventually import eventually
from examples import example_articles
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import has_deferred, ids

pytestmark = pytest.mark.inn


@pytest.fixture
def articles():
    return [*example_articles(), *corpus.articles(300)]


async def arrived(inn, articles):
    """Assert that innd has every article octet for octet, but for Path and Xref, which it writes itself."""
    stored = inn.stored()
    assert stored.keys() == set(ids(articles))
    for article in articles:
        assert without_path(stored[article.message_id]) == without_path(article.wire), article.message_id


async def test_every_article_reaches_innd_as_it_is_and_none_twice(outfeed, inn, articles):
    outfeed.peer("inn", inn.port)
    await outfeed.start()
    assert len((await outfeed.offer(articles)).confirmed) == len(articles)
    counters = await outfeed.drained("inn")
    assert (counters.accepted, counters.offered) == (len(articles), len(articles))
    await arrived(inn, articles)
    again = await outfeed.offer(articles)
    assert again.duplicates == ids(articles)
    assert (await outfeed.counters("inn")).offered == len(articles)
    assert [line.sign for line in await inn.log()] == ["+"] * len(articles)
    await outfeed.emptied()


@pytest.mark.parametrize("sender", ["innxmit", "innfeed"])
async def test_what_inn_feeds_us_goes_on_to_innd(outfeed, inn, inn_sender, articles, sender):
    outfeed.peer("inn", inn.port)
    await outfeed.start()
    inn_sender.spool(articles)
    await getattr(inn_sender, sender)(outfeed.nntp_port)
    assert (await outfeed.drained("inn")).accepted == len(articles)
    await arrived(inn, articles)


async def test_what_a_paused_innd_puts_off_is_offered_again_in_order(outfeed, inn):
    # Where CHECK comes to be left out, what was just checked is overtaken.
    outfeed.peer("inn", inn.port, noCheck={"enabled": False})
    await inn.pause()
    await outfeed.start()
    articles = list(corpus.articles(300))
    await outfeed.offer(articles)
    await eventually(lambda: has_deferred(outfeed, "inn", 300))
    await inn.go()
    assert (await outfeed.drained("inn")).accepted == 300
    assert [line.message_id for line in await inn.log()] == ids(articles)
    await outfeed.emptied()


async def test_a_stop_while_innd_puts_all_off_loses_nothing(outfeed, inn):
    outfeed.peer("inn", inn.port)
    await inn.pause()
    await outfeed.start()
    articles = list(corpus.articles(300))
    await outfeed.offer(articles)
    await eventually(lambda: has_deferred(outfeed, "inn", 300))
    await outfeed.stop()
    await inn.go()
    await outfeed.start()
    assert (await outfeed.drained("inn")).accepted == 300
    await arrived(inn, articles)


async def test_a_throttled_innd_gets_all_once_it_is_open_again(outfeed, inn):
    await inn.throttle()
    outfeed.peer("inn", inn.port)
    await outfeed.start()
    articles = list(corpus.articles(100))
    await outfeed.offer(articles)
    await eventually(lambda: tells_error(outfeed, "400"))
    await inn.go()
    assert (await outfeed.drained("inn")).accepted == 100
    await arrived(inn, articles)


async def tells_error(outfeed, text):
    return text in (await outfeed.peers())["inn"].last_error


async def test_what_innd_does_not_take_is_counted_by_its_words(outfeed, inn):
    outfeed.peer("inn", inn.port, noCheck={"enabled": False})
    outfeed.peer("again", inn.port, noCheck={"enabled": False}, pause=True)
    await outfeed.start()
    articles = list(corpus.articles(20))
    await outfeed.offer([*articles, *of_no_group(5)])
    counters = await outfeed.drained("inn")
    assert (counters.accepted, counters.rejected) == (20, 5)
    outfeed.peer("again", inn.port, noCheck={"enabled": False})
    await outfeed.apply()
    # innd remembers what it rejected, too.
    assert (await outfeed.drained("again")).refused == 25
    found = (await outfeed.stub.ListRefusals(pb.ListRefusalsRequest())).peers
    told = {each.peer: [(refusal.text[:3], refusal.articles) for refusal in each.refusals] for each in found}
    assert told == {"again": [("438", 25)], "inn": [("439", 5)]}


def of_no_group(count):
    """Articles of a group that innd does not have."""
    for article in synthetic(count, 500):
        yield Article(article.message_id, article.content.replace(b"test.feed", b"no.such.group"))


async def test_check_is_left_out_after_as_many_articles_as_with_innfeed(outfeed, fake_peer):
    peer = await fake_peer("ok")
    outfeed.peer("takes-all", peer.port, window=20)
    await outfeed.start()
    await outfeed.connected("takes-all")
    await outfeed.offer(corpus.articles(400))
    assert (await outfeed.drained("takes-all")).accepted == 400
    # The 149th acceptance ends CHECK. innfeed with this window was seen to send 172 and 400.
    assert 149 <= len(peer.replies("CHECK")) <= 189
    assert len(peer.replies("TAKETHIS")) == 400
