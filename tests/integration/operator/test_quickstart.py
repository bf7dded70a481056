"""The example of the README, on a cluster."""

from eventually import eventually
from examples import example_articles
from operatorsite import Site

LIMIT = 500_000
"""Largest article that west wants."""


async def delivered(site: Site, counts: dict[str, int]) -> bool:
    async with site.outfeed("hub") as client:
        peers = {peer.name: peer.counters.accepted for peer in await client.peers()}
    assert peers == counts
    return True


async def warnings(site: Site) -> list[str]:
    """What the operator warned of, but for peers that could not be reached before their own pods were up."""
    events = await site.client.list("Event", site.namespace)
    return [
        f"{event['involvedObject']['name']}: {event['message']}"
        for event in events
        if event["type"] == "Warning" and event["source"].get("component") == "forebay-operator"
        if event["reason"] != "NotReached"
    ]


async def test_the_quick_start_gets_ready_and_feeds_its_peers(site: Site):
    await site.apply_quickstart()
    await site.until_ready()
    assert await warnings(site) == []
    articles = example_articles()
    verdicts = await site.offer("hub", [article.content for article in articles])
    assert {verdict.outcome for verdict in verdicts} == {1}, verdicts
    small = sum(len(article.wire) <= LIMIT for article in articles)
    await eventually(lambda: delivered(site, {"east": len(articles), "west": small}), within=120)
    assert not site.operator.faults()
