"""An operator with nothing to do writes nothing."""

import asyncio

import pytest

from kubeclient import Body
from operatorsite import API, Site

QUIET_SECONDS = 60
SEEN = (
    *("Spill", "Outfeed", "Peerfeed", "StatefulSet", "Service", "Secret", "ServiceAccount", "PodDisruptionBudget"),
    *("NetworkPolicy", "Pod", "Job", "PersistentVolumeClaim", "Event"),
)
"""Kinds whose objects have to stay as they are. Leases may change, and so may the events of others' objects."""


async def versions(site: Site) -> dict[tuple[str, str], str]:
    """The resourceVersion of every object of both namespaces."""
    found = {}
    for kind in SEEN:
        for namespace in (site.namespace, site.system):
            for body in filter(counts, await site.client.list(kind, namespace)):
                metadata = body["metadata"]
                found[kind, f"{namespace}/{metadata['name']}"] = metadata["resourceVersion"]
    return found


def counts(body: Body) -> bool:
    """Whether an object is none of the events that Kubernetes' own controllers write about theirs."""
    about = body.get("involvedObject", {})
    return not about or about.get("apiVersion") == API


async def settled(site: Site) -> dict[tuple[str, str], str]:
    """The versions once nothing changed for some seconds: the last figures of a start are written late."""
    before: dict[tuple[str, str], str] = {}
    for _ in range(30):
        after = await versions(site)
        if after == before:
            return after
        before = after
        await asyncio.sleep(5)
    raise AssertionError("it never came to rest")


@pytest.mark.timeout(900)
async def test_nothing_is_written_while_nothing_happens(site: Site, scale: int):
    await site.apply_quickstart()
    await site.until_ready()
    before = await settled(site)
    await asyncio.sleep(QUIET_SECONDS if scale == 1 else 300)
    assert await versions(site) == before
