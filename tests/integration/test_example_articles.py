import pytest

from articles import without_path
from examples import example_articles
from nntp import NntpSender

pytestmark = pytest.mark.inn


async def test_innd_accepts_every_example_and_keeps_it_as_it_is(inn):
    articles = example_articles()
    async with NntpSender(inn.port) as sender:
        replies = await sender.take_this(articles)
    refused = [reply for reply, article in zip(replies, articles, strict=True) if reply != b"239 " + article.message_id]
    assert not refused, await inn.log()
    stored = inn.stored()
    assert stored.keys() == {article.message_id for article in articles}
    for article in articles:
        assert without_path(stored[article.message_id]) == without_path(article.wire), article.message_id
