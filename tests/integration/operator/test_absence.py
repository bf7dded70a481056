"""The API server goes away, falls silent, or is too busy, and comes back."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from apiserver import ApiServer
from eventually import eventually
from kubeaccess import in_thread
from kubeclient import TOO_MANY, Body, KubeClient, path
from operatorsite import Site, hub, peerfeed

HANDLED_SECONDS = 90
"""The goal is for an edit after the absence; the deadline is twice that."""


def absence(scale: int) -> int:
    """Seconds."""
    return 60 if scale == 1 else 120


async def edited(site: Site) -> None:
    """Add a peer, and wait until it is served."""
    await site.apply(peerfeed("after"))
    await site.until_ready(("Peerfeed", "after"), within=2 * HANDLED_SECONDS)
    assert site.operator.alive


async def ready_with_a_peer(site: Site) -> None:
    await site.apply(*hub(), peerfeed("before"))
    await site.until_ready()


async def test_an_api_server_that_was_stopped(site: Site, apiserver: ApiServer, scale: int):
    await ready_with_a_peer(site)
    pods = await site.pods()
    with apiserver.stopped():
        await asyncio.sleep(absence(scale))
    await edited(site)
    assert await site.pods() == pods


async def test_watches_that_were_frozen(site: Site, apiserver: ApiServer, scale: int):
    await ready_with_a_peer(site)
    with apiserver.frozen():
        await asyncio.sleep(absence(scale))
    await edited(site)


async def test_an_api_server_that_is_too_busy(site: Site, apiserver: ApiServer):
    """Its own flow control serves one request of the operator's account at a time, and answers 429 to all others."""
    await ready_with_a_peer(site)
    user = f"system:serviceaccount:{site.system}:forebay"
    await in_thread(apiserver.admin.apply, no_capacity(), flow_of(user))
    try:
        async with crowded(site):
            for number in range(5):
                await site.apply(peerfeed(f"meanwhile-{number}"))
            await eventually(lambda: refusals(apiserver, user), within=60, every=1)
    finally:
        await in_thread(apiserver.admin.kubectl, "delete", "flowschema,prioritylevelconfiguration", "forebay-test")
    await edited(site)
    await site.until_ready()


@asynccontextmanager
async def crowded(site: Site) -> AsyncIterator[None]:
    """Others read with the operator's account, without a pause."""

    async def read(client: KubeClient) -> None:
        while True:
            await client.once("GET", path("Secret", site.namespace, "hub-outfeed-config"))

    async with KubeClient(site.operator.access) as client:
        tasks = [asyncio.create_task(read(client)) for _ in range(8)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def refusals(apiserver: ApiServer, user: str) -> list[str]:
    """What the operator wanted to write and got 429 for."""
    events = map(json.loads, apiserver.audit_log.read_text().splitlines())
    refused = [event for event in events if event["user"]["username"] == user and code(event) == TOO_MANY]
    return [event["requestURI"] for event in refused if event["verb"] in ("patch", "create")]


def code(event: Body) -> int:
    return int(event.get("responseStatus", {}).get("code", 0))


def no_capacity() -> dict:
    """A priority level for one request at a time."""
    limited = {"nominalConcurrencyShares": 0, "lendablePercent": 0, "limitResponse": {"type": "Reject"}}
    return {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "forebay-test"},
        "spec": {"type": "Limited", "limited": {**limited, "borrowingLimitPercent": 0}},
    }


def flow_of(user: str) -> dict:
    """All requests of a user, at that level."""
    rule = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": True}
    return {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": "forebay-test"},
        "spec": {
            "priorityLevelConfiguration": {"name": "forebay-test"},
            "matchingPrecedence": 2,
            "rules": [
                {
                    "subjects": [{"kind": "User", "user": {"name": user}}],
                    "resourceRules": [rule],
                    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                }
            ],
        },
    }
