"""The operator is killed at any moment, and nothing of that is to be seen later."""

import asyncio
import random

import pytest

from eventually import eventually
from operatorsite import Site, hub, peerfeed

PEERS = 40


@pytest.mark.timeout(900)
async def test_killed_while_it_reconciles_all_gets_ready_in_the_end(site: Site, scale: int):
    chance = random.Random(7)
    await site.apply(*hub(), *(peerfeed(f"peer-{number}") for number in range(5)))
    for number in range(4 * scale):
        await asyncio.sleep(chance.uniform(0.3, 4))
        site.operator.kill()
        await site.apply(peerfeed(f"later-{number}"))
        site.operator.start()
    await site.until_ready(within=180)
    assert await known(site) == {name for kind, name in await site.resources() if kind == "Peerfeed"}
    assert not site.operator.faults()


async def known(site: Site) -> set[str]:
    """The peers that the service has."""
    async with site.outfeed("hub") as client:
        return {peer.name for peer in await client.peers()}


async def test_a_restart_never_drops_a_peer(site: Site, scale: int):
    """The first thing that a new operator reads is not always everything: a service must never hear of less."""
    names = {f"peer-{number}" for number in range(PEERS * scale)}
    await site.apply(*hub(), *map(peerfeed, sorted(names)))
    await site.until_ready(within=180)
    first = await ages(site)
    assert set(first) == names
    for _ in range(3):
        site.operator.kill()
        site.operator.start()
        await site.edit("Peerfeed", "peer-0", window=random.Random().randint(10, 1000))
        await site.until_ready(("Peerfeed", "peer-0"))
        assert await ages(site) == first


async def ages(site: Site) -> dict[str, str]:
    """The uid of each peer that the service has, and so whether it was ever another."""
    async with site.outfeed("hub") as client:
        return {peer.name: peer.uid for peer in await client.peers()}


async def test_of_two_operators_one_takes_over_when_the_other_is_gone(make_site):
    site = await make_site({"leaderElection": {"enabled": True}})
    other = site.another_operator("b")
    other.start()
    try:
        await site.apply(*hub())
        await site.until_ready()
        leases = await site.client.list("Lease", site.system)
        assert len(leases) == 1, leases
        holder = leases[0]["spec"]["holderIdentity"]
        (other if holder.startswith("operator-b") else site.operator).kill()
        await site.apply(peerfeed("after"))
        await site.until_ready(("Peerfeed", "after"))
    finally:
        other.kill()


async def test_at_a_polite_end_it_ends_well(site: Site):
    await site.apply(*hub())
    await eventually(lambda: site.client.find("StatefulSet", site.namespace, "hub-outfeed"))
    await asyncio.to_thread(site.operator.stop)
