"""INN's own feeders feed the listener."""

import pytest

import corpus
from forebay.outfeed.errors import ArticleError
from forebay.outfeed.incoming.article import ArticleLimits, parse
from forebay.outfeed.incoming.feeder import ListenerSettings
from forebay.outfeed.incoming.intake import Judged, Verdict, Want
from forebay.outfeed.incoming.listener import Listener

pytestmark = pytest.mark.inn


class Collector:
    """Keeps every good article, by its message-id."""

    def __init__(self):
        self.kept = {}

    def wanted(self, message_ids):
        return [Want.HAVE if message_id in self.kept else Want.SEND for message_id in message_ids]

    async def take(self, articles):
        return [self.judge(article) for article in articles]

    def judge(self, wire):
        try:
            article = parse(wire, limits=ArticleLimits(), wire=True)
        except ArticleError as error:
            return Judged(Verdict.REJECTED, error.reason)
        if article.message_id in self.kept:
            return Judged(Verdict.DUPLICATE)
        self.kept[article.message_id] = article.wire
        return Judged(Verdict.ACCEPTED)


@pytest.fixture
async def collector():
    return Collector()


@pytest.fixture
async def listener(collector):
    listener = Listener(collector, ListenerSettings(port=0))
    await listener.start()
    yield listener
    await listener.drain("end of test")


@pytest.fixture
def articles(inn_sender):
    spooled = list(corpus.articles(500))
    inn_sender.spool(spooled)
    return {article.message_id: article.wire for article in spooled}


async def test_innxmit_feeds_everything_unchanged(inn_sender, articles, listener, collector):
    await inn_sender.innxmit(listener.port)
    assert collector.kept == articles


async def test_innxmit_sends_nothing_twice(inn_sender, articles, listener, collector):
    await inn_sender.innxmit(listener.port)
    await inn_sender.innxmit(listener.port)
    assert collector.kept == articles
    assert listener.counts.answers[b"438"] == len(articles)
    assert listener.counts.answers[b"239"] == len(articles)


@pytest.mark.parametrize("connections", [1, 3])
async def test_innfeed_feeds_everything_unchanged(inn_sender, articles, listener, collector, connections):
    await inn_sender.innfeed(listener.port, connections=connections)
    assert collector.kept == articles
