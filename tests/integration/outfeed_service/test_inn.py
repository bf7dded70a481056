"""The service between real INNs: fed by innxmit and innfeed, feeding innd."""

import pytest

import corpus
from articles import without_path
from eventually import eventually
from examples import example_articles

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
