"""What is deleted goes, whether the operator is there or not."""

from eventually import eventually
from operatorsite import Site, hub, peerfeed

GONE_SECONDS = 120
"""The goal is 60."""


async def test_a_namespace_goes_without_the_operator(site: Site):
    await site.apply(*hub(), peerfeed("one"))
    await site.until_ready()
    site.operator.kill()
    await site.client.delete("Namespace", "", site.namespace)

    async def gone():
        return await site.client.find("Namespace", "", site.namespace) is None

    await eventually(gone, within=GONE_SECONDS, every=0.5)


async def test_an_outfeed_takes_its_objects_with_it_and_leaves_its_volume(site: Site):
    await site.apply(*hub(), peerfeed("one"))
    await site.until_ready()
    await site.client.delete("Outfeed", site.namespace, "hub")

    async def gone():
        for kind in ("StatefulSet", "Service", "Secret", "PodDisruptionBudget", "NetworkPolicy", "ServiceAccount"):
            found = await site.client.list(kind, site.namespace, "app.kubernetes.io/instance=hub")
            assert not found, [body["metadata"]["name"] for body in found]
        return True

    await eventually(gone, within=GONE_SECONDS, every=0.2)
    claims = {body["metadata"]["name"] for body in await site.client.list("PersistentVolumeClaim", site.namespace)}
    assert "data-hub-outfeed-0" in claims
    found = await eventually(lambda: site.is_ready("Peerfeed", "one", "False"), within=60)
    assert found["reason"] == "ParentMissing"


async def test_the_keys_of_a_deleted_outfeed_are_purged_by_a_job(site: Site):
    await site.apply(*hub(), peerfeed("one"))
    await site.until_ready()
    uid = (await site.client.get("Outfeed", site.namespace, "hub"))["metadata"]["uid"]
    assert uid in await services(site)
    await site.client.delete("Outfeed", site.namespace, "hub")

    async def purged():
        return uid not in await services(site)

    await eventually(purged, within=GONE_SECONDS, every=0.2)
    jobs = await site.client.list("Job", site.namespace)
    assert [job["status"].get("succeeded") for job in jobs] == [1]


async def services(site: Site) -> set[str]:
    """The uids that the Spill knows."""
    spill = await site.client.get("Spill", site.namespace, "main")
    return {service["uid"] for service in spill["status"].get("services", [])}
