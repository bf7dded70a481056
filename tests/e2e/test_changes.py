"""Edits of a running feed."""

from e2e.news import News
from eventually import eventually


async def peers(news: News) -> dict:
    async with news.outfeed("hub") as client:
        return {peer.name: peer for peer in await client.peers()}


async def ages(news: News, name: str) -> list[tuple[int, int]]:
    """Number and age of a peer's connections."""
    peer = (await peers(news))[name]
    return [(each.id, each.connected_since.ToNanoseconds()) for each in peer.connections]


async def test_an_edit_is_live_and_other_connections_keep_their_age(news: News):
    with news.feeding("hub", 5, pod="west-outfeed-0") as feeding:
        feeding.rest()
    pods = news.pods()
    before = await eventually(lambda: ages(news, "east"))
    news.edit("peerfeed", "west", window=123)

    async def live() -> bool:
        return (await peers(news))["west"].window == 123

    await eventually(live, within=60, every=0.2)
    assert await ages(news, "east") == before
    assert news.pods() == pods
    news.until_ready()
