"""Stores with their queues. What every kind of services has is tried with Outfeeds."""

import pytest

from forebay_operator.kube.kinds import SECRET, SERVICE, STATEFUL_SET, STORE, STORE_QUEUE
from forebay_operator.permissions import PERMISSIONS
from forebay_operator.queue import Depth, Key
from operatorworld import SHOP, outfeed, peerfeed, resource, spill, store, stored, storequeue

CONFIG = "shop-store-config"


@pytest.fixture
async def selling(world):
    """A Store with two queues that runs."""
    world.apply(store(), storequeue("orders"), storequeue("returns"))
    await world.settle()
    return world


def revision(world):
    return stored(world, CONFIG, "StoreQueue")[0]


def queues(world):
    """The queues that the service has."""
    return world.service("shop", "store").children("StoreQueue")


async def test_all_gets_ready(selling):
    assert selling.ready(STORE, "shop") == ("True", "Applied")
    assert selling.ready(STORE_QUEUE, "orders") == ("True", "Applied")
    assert queues(selling) == {"orders", "returns"}


async def test_only_rights_of_the_table_are_used(selling):
    granted = {(verb, right.resource) for right in PERMISSIONS for verb in right.verbs}
    assert set(selling.kube.requests) <= granted


async def test_nothing_is_written_when_nothing_has_changed(selling):
    await selling.verify()
    selling.kube.writes.clear()
    await selling.verify()
    await selling.reconciler.reconcile(SHOP, Depth.OBSERVE)
    assert selling.kube.writes == []


async def test_an_edit_of_a_queue_is_sent_and_restarts_nothing(selling):
    before, template = revision(selling), selling.kube.get(STATEFUL_SET, "shop-store")["spec"]["template"]
    selling.apply(storequeue("orders", maxLength=7))
    await selling.settle()
    document = selling.service("shop", "store").document
    assert document.revision == revision(selling) == before + 1
    manifest = next(each for each in document.manifests if each["metadata"]["name"] == "orders")
    assert manifest["spec"]["maxLength"] == 7
    assert selling.kube.get(STATEFUL_SET, "shop-store")["spec"]["template"] == template


async def test_a_refused_queue_tells_why_and_the_others_go_on(selling):
    selling.service("shop", "store").refused["orders"] = "is wrong; give another"
    selling.apply(storequeue("orders", implementation="own"))
    await selling.settle()
    assert selling.ready(STORE_QUEUE, "orders") == ("False", "Refused")
    assert selling.ready(STORE_QUEUE, "returns") == ("True", "Applied")
    assert selling.ready(STORE, "shop") == ("True", "Applied")


async def test_a_deleted_queue_leaves_the_configuration(selling):
    selling.delete(STORE_QUEUE, "orders")
    await selling.settle()
    assert queues(selling) == {"returns"}


async def test_a_queue_that_is_being_deleted_stays_until_it_is_gone(selling):
    body = selling.kube.get(STORE_QUEUE, "orders")
    body["metadata"]["deletionTimestamp"] = "2026-11-27T12:00:00Z"
    selling.told(body)
    await selling.settle()
    assert queues(selling) == {"orders", "returns"}


async def test_a_queue_of_another_store_is_not_of_this_one(selling):
    selling.apply(resource("StoreQueue", "lost", storeRef={"name": "other"}))
    await selling.settle()
    assert queues(selling) == {"orders", "returns"}
    assert selling.ready(STORE_QUEUE, "lost") == ("False", "ParentMissing")
    message = selling.kube.get(STORE_QUEUE, "lost")["status"]["conditions"][0]["message"]
    assert message == "there is no Store other; apply one, or correct spec.storeRef.name"


async def test_queues_of_a_store_that_comes_later_get_ready(world):
    world.apply(storequeue("orders"))
    await world.settle()
    assert world.ready(STORE_QUEUE, "orders") == ("False", "ParentMissing")
    world.apply(store())
    await world.settle()
    assert world.ready(STORE_QUEUE, "orders") == ("True", "Applied")


async def test_a_deleted_store_is_forgotten_with_all_that_was_made_for_it(selling):
    selling.delete(STORE, "shop")
    await selling.settle()
    owned = [each for each in selling.kube.objects.values() if each["metadata"].get("ownerReferences")]
    assert owned == []
    assert selling.ready(STORE_QUEUE, "orders") == ("False", "ParentMissing")
    assert selling.reconciler.stores.scenes == {}


async def test_a_queue_that_was_paused_stays_as_it_is(selling):
    selling.annotate(STORE_QUEUE, "orders", **{"forebay.dev/paused": "true"})
    selling.apply(storequeue("orders", maxLength=7))
    await selling.settle()
    manifests = selling.service("shop", "store").document.manifests
    assert "maxLength" not in next(each for each in manifests if each["metadata"]["name"] == "orders")["spec"]
    assert selling.condition(STORE_QUEUE, "orders", "Paused")[0] == "True"


async def test_an_object_that_somebody_deleted_is_made_again(selling):
    selling.delete(SERVICE, "shop-store")
    await selling.settle()
    assert selling.kube.get(SERVICE, "shop-store")["spec"]["selector"]["app.kubernetes.io/name"] == "store"


async def test_a_malformed_store_says_so_and_what_was_stays(selling):
    before = revision(selling)
    selling.apply(store(memory={"limit": "1MiB"}))
    await selling.settle()
    assert selling.ready(STORE, "shop") == ("False", "Invalid")
    assert revision(selling) == before
    assert queues(selling) == {"orders", "returns"}


async def test_its_clients_get_certificates(selling):
    selling.apply(store(clients=["till"]))
    await selling.settle()
    names = {name for kind, _, name in selling.kube.objects if kind == SECRET.kind}
    assert {"shop-store-tls", "shop-store-client-kubectl", "shop-store-client-till"} <= names


async def test_a_store_and_an_outfeed_of_one_name_are_two_services(world):
    world.apply(spill(), outfeed("shop"), peerfeed("east"), store(), storequeue("orders"))
    await world.settle()
    assert queues(world) == {"orders"}
    assert world.service("shop").children("StoreQueue") == set()
    assert set(world.reconciler.stores.scenes) == {SHOP}
    assert set(world.reconciler.outfeeds.scenes) == {Key("Outfeed", "news", "shop")}
