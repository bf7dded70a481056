"""What nobody needs any more is let go, and nothing before that."""

from corpus import synthetic


async def test_bodies_are_released_when_every_peer_has_them(outfeed, recording_peer):
    peers = [await recording_peer(), await recording_peer()]
    for name, peer in zip(("east", "west"), peers, strict=True):
        outfeed.peer(name, peer.port)
    await outfeed.start()
    articles = list(synthetic(1000, 2000))
    offered = await outfeed.offer(articles)
    assert len(offered.confirmed) == 1000
    for name, peer in zip(("east", "west"), peers, strict=True):
        assert (await outfeed.drained(name)).accepted == 1000
        assert peer.articles == {article.message_id: article.wire for article in articles}
    await outfeed.emptied()
