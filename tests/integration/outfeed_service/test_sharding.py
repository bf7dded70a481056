"""Several Outfeeds share one feed by hashfeed, as examples/sharding has it: each article goes out once."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest
import yaml

from corpus import synthetic
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

from .waiting import ids

EXAMPLE = Path(__file__).parents[3] / "examples" / "sharding"
MANIFESTS = [manifest for path in sorted(EXAMPLE.glob("*.yaml")) for manifest in yaml.safe_load_all(path.read_text())]
PEERFEEDS = {
    manifest["spec"]["outfeedRef"]["name"]: manifest for manifest in MANIFESTS if manifest["kind"] == "Peerfeed"
}
SHARES = [PEERFEEDS[name]["spec"]["hashfeed"] for name in sorted(PEERFEEDS)]


@pytest.fixture
def shards(make_outfeed, redis, peer):
    """The example's shards, in front of one peer. Not started."""
    made = []
    for share in SHARES:
        shard = make_outfeed(redis)
        # Without CHECK, what a killed shard had on its connection would come once more, and be rejected.
        shard.peer("west", peer.port, hashfeed=share, noCheck={"enabled": False})
        made.append(shard)
    return made


def test_the_shards_of_the_example_have_one_peer_and_all_shares():
    shards = {manifest["metadata"]["name"] for manifest in MANIFESTS if manifest["kind"] == "Outfeed"} - {"west"}
    assert set(PEERFEEDS) == shards
    assert {manifest["spec"]["target"]["name"] for manifest in PEERFEEDS.values()} == {"west"}
    assert {share["modulus"] for share in SHARES} == {len(SHARES)}
    shares = Counter(number for share in SHARES for number in range(share["first"], share["last"] + 1))
    assert shares == dict.fromkeys(range(1, len(SHARES) + 1), 1)


async def test_each_article_goes_out_once_over_all_shards(shards, peer):
    articles = list(synthetic(600, 800))
    await asyncio.gather(*(shard.start() for shard in shards))
    offered = await asyncio.gather(*(shard.offer(articles) for shard in shards))
    counters = await asyncio.gather(*(shard.drained("west") for shard in shards))
    assert sorted(peer.offered) == sorted(ids(articles))
    assert sorted(peer.articles) == sorted(ids(articles))
    assert [each.accepted for each in counters] == [len(each.confirmed) for each in offered]
    assert all(each.outcomes[pb.OUTCOME_NO_PEER] == len(articles) - len(each.confirmed) for each in offered)
    assert min(each.accepted for each in counters) > len(articles) // len(shards) // 2
    await asyncio.gather(*(shard.emptied() for shard in shards))


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_each_article_goes_out_once_while_a_shard_restarts(shards, peer, end):
    articles = list(synthetic(1_500, 800))
    await asyncio.gather(*(shard.start() for shard in shards))
    first, *others = shards
    going = [asyncio.create_task(shard.offer(articles, batch=20)) for shard in others]
    await first.offer(articles[:900], batch=20)
    await getattr(first, end)()
    await asyncio.gather(*going)
    await asyncio.gather(*(shard.drained("west") for shard in others))
    # Who offers does not know what was taken before the end, and offers all of it again.
    await first.start()
    again = await first.offer(articles)
    assert not again.failure
    await first.drained("west")
    assert sorted(peer.articles) == sorted(ids(articles))
    assert not peer.repeats
    await asyncio.gather(*(shard.emptied() for shard in shards))
