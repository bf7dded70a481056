"""What is changed by hand comes back."""

import asyncio

import pytest
import pytest_asyncio

from eventually import eventually
from operatorsite import Site, hub

pytestmark = pytest.mark.asyncio(loop_scope="module")
OWNED = (
    ("StatefulSet", "hub-outfeed"),
    ("StatefulSet", "main-valkey"),
    ("Service", "hub-outfeed"),
    ("Service", "hub-outfeed-pods"),
    ("Service", "main-valkey"),
    ("ServiceAccount", "hub-outfeed"),
    ("PodDisruptionBudget", "hub-outfeed"),
    ("NetworkPolicy", "hub-outfeed"),
    ("NetworkPolicy", "main-valkey"),
    ("Secret", "hub-outfeed-config"),
    ("Secret", "hub-outfeed-tls"),
    ("Secret", "hub-outfeed-client-kubectl"),
    ("Secret", "main-valkey"),
)
each_owned = pytest.mark.parametrize(("kind", "name"), OWNED, ids=lambda part: part)
SLOW = 90
"""Seconds: some kinds are looked at by a slow timer alone."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(shared_site):
    await shared_site.apply(*hub())
    await shared_site.until_ready()
    return shared_site


@each_owned
async def test_it_belongs_to_its_resource(running: Site, kind, name):
    body = await running.client.get(kind, running.namespace, name)
    (owner,) = body["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["controller"]) in {("Outfeed", True), ("Spill", True)}


@each_owned
async def test_it_has_no_finalizer(running: Site, kind, name):
    body = await running.client.get(kind, running.namespace, name)
    assert "finalizers" not in body["metadata"]


async def test_resources_have_no_finalizer_and_no_notes(running: Site):
    for kind, name in await running.resources():
        metadata = (await running.client.get(kind, running.namespace, name))["metadata"]
        assert metadata.keys().isdisjoint({"finalizers", "annotations"})


async def test_what_is_deleted_comes_back(running: Site):
    before = {}
    for kind, name in OWNED:
        before[kind, name] = (await running.client.get(kind, running.namespace, name))["metadata"]["uid"]
        await running.client.delete(kind, running.namespace, name)

    async def back():
        for (kind, name), uid in before.items():
            body = await running.client.find(kind, running.namespace, name)
            assert body, f"{kind} {name}"
            assert body["metadata"]["uid"] != uid, f"{kind} {name}"
        return True

    await eventually(back, within=SLOW, every=0.5)
    await running.until_ready()


EDITS = {
    ("StatefulSet", "hub-outfeed"): {"spec": {"replicas": 0}},
    ("StatefulSet", "main-valkey"): {"spec": {"replicas": 0}},
    ("Service", "hub-outfeed"): {"spec": {"selector": {"app": "mine"}}},
    ("PodDisruptionBudget", "hub-outfeed"): {"spec": {"maxUnavailable": 0}},
    ("NetworkPolicy", "hub-outfeed"): {"spec": {"ingress": [{}]}},
    ("ServiceAccount", "hub-outfeed"): {"automountServiceAccountToken": True},
    ("Service", "hub-outfeed-pods"): {"metadata": {"ownerReferences": None}},
    ("NetworkPolicy", "main-valkey"): {"metadata": {"labels": {"app.kubernetes.io/managed-by": None}}},
    ("Secret", "hub-outfeed-config"): {"data": {"document": "AA==", "mine": "AA=="}},
    ("Secret", "hub-outfeed-client-kubectl"): {"metadata": {"labels": {"forebay.dev/uid": None}}},
    ("Secret", "hub-outfeed-tls"): {"data": {"tls.crt": "AA=="}},
    ("Secret", "main-valkey"): {"data": {"valkey.conf": "AA=="}},
}


def differs(body, edit) -> bool:
    """Whether nothing is left of an edit."""
    return all(
        differs(body.get(key), value) if isinstance(value, dict) else body.get(key) != value
        for key, value in edit.items()
    )


async def test_what_is_edited_is_put_back(running: Site):
    for (kind, name), edit in EDITS.items():
        await running.client.patch(kind, running.namespace, name, edit)

    async def restored():
        for (kind, name), edit in EDITS.items():
            assert differs(await running.client.get(kind, running.namespace, name), edit), f"{kind} {name}"
        return True

    await eventually(restored, within=SLOW, every=0.5)
    await running.until_ready()


async def test_a_selector_that_somebody_added_to_is_as_before(running: Site):
    """A merge leaves what others added to a mapping; the Service would lead nowhere."""
    service = await running.client.get("Service", running.namespace, "hub-outfeed")
    assert "app" not in service["spec"]["selector"]


async def test_a_paused_resource_is_left_alone(running: Site):
    place = ("PodDisruptionBudget", running.namespace, "hub-outfeed")
    await annotate(running, "true")

    async def paused():
        return (await running.condition("Outfeed", "hub", "Paused"))["status"] == "True"

    await eventually(paused)
    await running.client.delete(*place)
    await asyncio.sleep(3)
    assert await running.client.find(*place) is None
    await annotate(running, None)
    await eventually(lambda: running.client.find(*place), within=60)


async def annotate(site: Site, value):
    annotations = {"forebay.dev/paused": value}
    await site.client.patch("Outfeed", site.namespace, "hub", {"metadata": {"annotations": annotations}})
