import pytest

from fakekube import FakeKube
from forebay.api.v1alpha1 import Outfeed
from forebay_operator.errors import NameTakenError, PendingError
from forebay_operator.kube.kinds import SERVICE
from forebay_operator.queue import Depth
from forebay_operator.reconcile.objects import OwnedObjects
from operatorworld import outfeed

OWNER = {"apiVersion": "forebay.dev/v1alpha1", "kind": "Outfeed", "name": "hub", "uid": "u1", "controller": True}
OURS = {"app.kubernetes.io/managed-by": "forebay-operator"}


def service(port=1, owner=OWNER, labels=OURS):
    metadata = {"name": "hub", "namespace": "news", "labels": labels, "ownerReferences": [owner] if owner else []}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"port": port}}


def resource_of(body, uid):
    return Outfeed.model_validate({**body, "metadata": {**body["metadata"], "uid": uid}}, by_name=False)


@pytest.fixture
def kube():
    return FakeKube()


@pytest.fixture
def objects(kube):
    return OwnedObjects(kube)


async def test_what_was_applied_is_not_asked_for_again(kube, objects):
    await objects.ensure(service(), Depth.RECONCILE)
    kube.requests.clear()
    await objects.ensure(service(), Depth.RECONCILE)
    assert not kube.requests


async def test_another_wish_is_applied(kube, objects):
    await objects.ensure(service(), Depth.RECONCILE)
    await objects.ensure(service(2), Depth.RECONCILE)
    assert kube.objects["Service", "news", "hub"]["spec"] == {"port": 2}


async def test_verified_it_is_read_and_not_written(kube, objects):
    await objects.ensure(service(), Depth.RECONCILE)
    kube.requests.clear()
    await objects.ensure(service(), Depth.VERIFY)
    assert dict(kube.requests) == {("get", "services"): 1}


async def test_verified_it_is_put_back(kube, objects):
    await objects.ensure(service(), Depth.RECONCILE)
    kube.put(service(7))
    await objects.ensure(service(), Depth.VERIFY)
    assert kube.objects["Service", "news", "hub"]["spec"] == {"port": 1}


async def test_a_watch_that_shows_what_was_applied_tells_nothing(kube, objects):
    await objects.ensure(service(), Depth.RECONCILE)
    assert not objects.notice(kube.objects["Service", "news", "hub"], deleted=False)


async def test_a_watch_that_shows_a_change_has_it_applied_again(kube, objects):
    await objects.ensure(service(), Depth.RECONCILE)
    assert objects.notice(kube.put(service(7)), deleted=False)
    await objects.ensure(service(), Depth.RECONCILE)
    assert kube.objects["Service", "news", "hub"]["spec"] == {"port": 1}


async def test_a_watch_that_shows_a_deletion_has_it_made_again(kube, objects):
    await objects.ensure(service(), Depth.RECONCILE)
    body = kube.objects["Service", "news", "hub"]
    kube.remove("Service", "news", "hub")
    assert objects.notice(body, deleted=True)
    await objects.ensure(service(), Depth.RECONCILE)
    assert ("Service", "news", "hub") in kube.objects


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(service(owner=None, labels={}), id="nobody's"),
        pytest.param(service(owner={**OWNER, "name": "other", "uid": "other"}), id="another's"),
        pytest.param(service(owner={**OWNER, "apiVersion": "other/v1", "uid": "other"}, labels={}), id="a stranger's"),
    ],
)
async def test_what_is_not_ours_is_left_alone(kube, objects, found):
    kube.put(found)
    with pytest.raises(NameTakenError, match="Service hub exists"):
        await objects.ensure(service(2), Depth.RECONCILE)
    assert kube.objects["Service", "news", "hub"]["spec"] == {"port": 1}


async def test_what_a_former_namesake_had_is_waited_for(kube, objects):
    kube.put(service(owner={**OWNER, "uid": "before"}))
    with pytest.raises(PendingError, match="of a former Outfeed hub"):
        await objects.ensure(service(2), Depth.RECONCILE)
    kube.remove("Service", "news", "hub")
    await objects.ensure(service(2), Depth.RECONCILE)
    assert kube.objects["Service", "news", "hub"]["spec"] == {"port": 2}


async def test_what_is_no_longer_wanted_is_deleted(kube, objects):
    hub = resource_of(outfeed(), uid=OWNER["uid"])
    await objects.ensure(service(), Depth.RECONCILE)
    for _ in range(2):
        await objects.remove(SERVICE, hub, "hub")
    assert ("Service", "news", "hub") not in kube.objects
    await objects.ensure(service(), Depth.RECONCILE)
    assert ("Service", "news", "hub") in kube.objects


async def test_but_not_what_others_have_of_that_name(kube, objects):
    kube.put(service(owner={**OWNER, "uid": "other"}))
    await objects.remove(SERVICE, resource_of(outfeed(), uid=OWNER["uid"]), "hub")
    assert ("Service", "news", "hub") in kube.objects


async def test_what_an_operator_left_is_adopted(kube, objects):
    kube.put(service(owner=None))
    await objects.ensure(service(2), Depth.RECONCILE)
    assert kube.objects["Service", "news", "hub"]["spec"] == {"port": 2}
