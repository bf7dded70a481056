import pytest

import corpus
from articles import without_path
from eventually import eventually
from nntp import NntpSender

pytestmark = pytest.mark.inn


@pytest.fixture
def articles():
    return list(corpus.articles(200))


async def test_stores_corpus_articles_as_they_were_sent(inn, articles):
    async with NntpSender(inn.port) as sender:
        replies = await sender.take_this(articles)
    assert replies == [b"239 " + article.message_id for article in articles]
    stored = inn.stored()
    assert {message_id: without_path(wire) for message_id, wire in stored.items()} == {
        article.message_id: without_path(article.wire) for article in articles
    }


async def test_tells_which_articles_it_has(inn, articles):
    async with NntpSender(inn.port) as sender:
        await sender.take_this(articles[:3])
    assert await inn.has(article.message_id for article in articles) == {a.message_id for a in articles[:3]}


async def test_logs_what_was_accepted_and_why_others_were_not(inn, articles):
    stranger = articles[1]._replace(content=articles[1].content.replace(b"test.feed", b"test.unknown"))
    async with NntpSender(inn.port) as sender:
        await sender.take_this([articles[0], stranger])
    lines = {line.message_id: line for line in await inn.log()}
    assert lines[articles[0].message_id].sign == "+"
    assert lines[stranger.message_id].sign == "-"
    assert "test.unknown" in lines[stranger.message_id].detail


async def test_defers_while_paused(inn):
    async with NntpSender(inn.port) as sender:
        await inn.pause()
        assert (await sender.command(b"CHECK <some@forebay.example>")).startswith(b"431")
        await inn.go()
        assert (await sender.command(b"CHECK <some@forebay.example>")).startswith(b"238")


async def test_keeps_articles_over_a_restart(inn, articles):
    async with NntpSender(inn.port) as sender:
        await sender.take_this(articles[:1])
    await inn.stop()
    await inn.start()
    assert await inn.has([articles[0].message_id]) == {articles[0].message_id}


async def test_streams_not_when_configured_so(inn):
    await inn.stop()
    inn.configure(streaming=False)
    await inn.start()
    async with NntpSender(inn.port) as sender:
        assert (await sender.command(b"MODE STREAM")).startswith(b"501")


@pytest.mark.parametrize("connections", [1, 2])
async def test_innfeed_delivers_its_spool(inn, inn_sender, articles, connections):
    inn_sender.spool(articles)
    await inn_sender.innfeed(inn.port, connections=connections)
    assert inn.stored().keys() == {article.message_id for article in articles}


async def test_innxmit_delivers_its_spool(inn, inn_sender, articles):
    inn_sender.spool(articles)
    await inn_sender.innxmit(inn.port)
    assert inn.stored().keys() == {article.message_id for article in articles}


async def test_scripted_peer_tells_what_it_saw(fake_peer, articles):
    peer = await fake_peer("take431", "--match", articles[0].message_id.decode())
    async with NntpSender(peer.port) as sender:
        replies = await sender.take_this(articles[:2])
    assert [reply[:3] for reply in replies] == [b"431", b"239"]
    await eventually(
        lambda: peer.replies("TAKETHIS") == [(articles[0].message_id, "431"), (articles[1].message_id, "239")]
    )
    await peer.stop()
    assert peer.have == {articles[1].message_id}
