"""A Store and its queues, from the manifests to messages that outlive the pod."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from eventually import eventually
from forebay.pb.store.v1 import store_pb2 as pb
from operatorsite import Site, shop, storequeue
from storecalls import numbered, publish, queues, take

pytestmark = pytest.mark.asyncio(loop_scope="module")
CONFIRMED, REFUSED = pb.OUTCOME_CONFIRMED, pb.OUTCOME_REFUSED


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def selling(shared_site):
    """The site with a Store that has two queues."""
    await shared_site.apply(shop(), storequeue("orders"), storequeue("returns", maxPriority=3))
    await shared_site.until_ready()
    return shared_site


@pytest_asyncio.fixture(loop_scope="module")
async def undisturbed(selling):
    """No pod may be another after the test."""
    pods = await selling.pods()
    yield selling
    assert await selling.pods() == pods


async def taken(site: Site, queue: str) -> list[bytes]:
    async with site.store("shop") as channel:
        return await take(channel, queue)


async def published(site: Site, queue: str, bodies: list[bytes], **fields) -> list[int]:
    async with site.store("shop") as channel:
        return await publish(channel, queue, bodies, **fields)


async def figures(site: Site, kind: str, name: str, *names: str) -> list:
    status = (await site.client.get(kind, site.namespace, name))["status"]
    return [status.get(each) for each in names]


@asynccontextmanager
async def replaced(site: Site) -> AsyncIterator[None]:
    """Wait until the pod is another, and takes requests."""
    before = (await site.pods())["shop-store-0"]
    yield

    async def is_another():
        pod = await site.client.find("Pod", site.namespace, "shop-store-0") or {"metadata": {"uid": before}}
        conditions = pod.get("status", {}).get("conditions", [])
        ready = [each["status"] for each in conditions if each["type"] == "Ready"]
        return pod["metadata"]["uid"] != before and ready == ["True"]

    await eventually(is_another, within=120)
    await site.until_ready(("Store", "shop"), ("StoreQueue", "orders"))


async def test_what_is_published_can_be_taken(undisturbed):
    assert await published(undisturbed, "orders", numbered(10)) == [CONFIRMED] * 10
    assert await taken(undisturbed, "orders") == numbered(10)
    assert await taken(undisturbed, "orders") == []


async def test_statuses_tell_what_is_in_the_queues(undisturbed):
    await published(undisturbed, "returns", numbered(7))
    # Figures alone are written once a minute, but at once with what an edit brings.
    await undisturbed.edit("StoreQueue", "returns", ttl="1d")
    await undisturbed.edit("Store", "shop", clients=["till"])

    async def told():
        assert await figures(undisturbed, "StoreQueue", "returns", "ready", "unacknowledged", "consumers") == [7, 0, 0]
        assert await figures(undisturbed, "Store", "shop", "queues", "messages") == ["2/2", 7]
        return True

    await eventually(told, within=150, every=0.5)
    assert await taken(undisturbed, "returns") == numbered(7)


async def test_an_edit_of_a_queue_is_live(undisturbed):
    await published(undisturbed, "orders", numbered(3))
    await undisturbed.edit("StoreQueue", "orders", maxLength=5, overflow="RejectPublish")
    await undisturbed.until_ready(("StoreQueue", "orders"))
    outcomes = await published(undisturbed, "orders", numbered(4, first=3))
    assert outcomes == [CONFIRMED, CONFIRMED, REFUSED, REFUSED]
    await undisturbed.edit("StoreQueue", "orders", maxLength=None, overflow=None)
    await undisturbed.until_ready(("StoreQueue", "orders"))
    assert await published(undisturbed, "orders", numbered(2, first=5)) == [CONFIRMED, CONFIRMED]
    assert await taken(undisturbed, "orders") == numbered(7)


async def test_a_queue_that_the_service_refuses_says_why_while_others_go_on(undisturbed):
    await undisturbed.apply(storequeue("wrong", implementation="own"))
    found = await eventually(lambda: undisturbed.is_ready("StoreQueue", "wrong", "False"), within=60)
    assert found["reason"] == "Refused"
    assert "spec.implementation" in found["message"]
    assert await published(undisturbed, "orders", numbered(1)) == [CONFIRMED]
    assert await taken(undisturbed, "orders") == numbered(1)
    store = await undisturbed.is_ready("Store", "shop")
    assert "wrong" in store["message"]
    await undisturbed.client.delete("StoreQueue", undisturbed.namespace, "wrong")


async def test_a_queue_that_is_deleted_goes_with_its_messages(undisturbed):
    await undisturbed.apply(storequeue("passing"))
    await undisturbed.until_ready(("StoreQueue", "passing"))
    await published(undisturbed, "passing", numbered(5))
    await undisturbed.client.delete("StoreQueue", undisturbed.namespace, "passing")

    async def gone():
        async with undisturbed.store("shop") as channel:
            return "passing" not in await queues(channel)

    await eventually(gone, within=60)
    await undisturbed.apply(storequeue("passing"))
    await undisturbed.until_ready(("StoreQueue", "passing"))
    assert await taken(undisturbed, "passing") == []
    await undisturbed.client.delete("StoreQueue", undisturbed.namespace, "passing")


async def test_messages_outlive_their_pod(selling):
    assert await published(selling, "orders", numbered(100)) == [CONFIRMED] * 100
    async with replaced(selling):
        await selling.client.delete("Pod", selling.namespace, "shop-store-0", gracePeriodSeconds=0)
    assert await taken(selling, "orders") == numbered(100)


async def test_another_place_of_the_index_restarts_the_pod_and_keeps_the_messages(selling):
    assert await published(selling, "orders", numbered(10)) == [CONFIRMED] * 10
    async with replaced(selling):
        await selling.edit("Store", "shop", index="disk")
    assert await taken(selling, "orders") == numbered(10)


async def test_a_store_takes_its_objects_with_it_and_leaves_its_volume(selling):
    await selling.apply(shop("leaving"), storequeue("left", "leaving"))
    await selling.until_ready(("Store", "leaving"), ("StoreQueue", "left"))
    async with selling.store("leaving") as channel:
        assert await publish(channel, "left", numbered(3)) == [CONFIRMED] * 3
    await selling.client.delete("Store", selling.namespace, "leaving")

    async def gone():
        for kind in ("StatefulSet", "Service", "Secret", "PodDisruptionBudget", "NetworkPolicy", "ServiceAccount"):
            found = await selling.client.list(kind, selling.namespace, "app.kubernetes.io/instance=leaving")
            assert not found, [body["metadata"]["name"] for body in found]
        return True

    await eventually(gone, within=120, every=0.2)
    found = await eventually(lambda: selling.is_ready("StoreQueue", "left", "False"), within=60)
    assert found["reason"] == "ParentMissing"
    await selling.apply(shop("leaving"))
    await selling.until_ready(("Store", "leaving"), ("StoreQueue", "left"))
    async with selling.store("leaving") as channel:
        assert await take(channel, "left") == numbered(3)
