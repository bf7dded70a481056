import pytest

from fakekube import merged
from forebay_operator.errors import ForbiddenError, PendingError
from forebay_operator.kube.kinds import OUTFEED, STATEFUL_SET, VOLUME_CLAIM
from forebay_operator.reconcile.storage import octets, storage_of
from operatorworld import OperatorWorld, outfeed, spill


@pytest.fixture
async def world():
    """An Outfeed with a volume of 20 GiB."""
    world = OperatorWorld()
    world.apply(spill(), outfeed())
    await world.settle()
    metadata = {"name": "data-hub-outfeed-0", "namespace": "news"}
    spec = {"resources": {"requests": {"storage": "20Gi"}}}
    world.kube.put({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
    world.kube.writes.clear()
    return world


def claimed(world):
    return world.kube.get(VOLUME_CLAIM, "data-hub-outfeed-0")["spec"]["resources"]["requests"]["storage"]


async def resize(world, size):
    world.apply(outfeed(storage={"size": size}))
    await world.settle()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20Gi", 20 * 2**30),
        ("1k", 1000),
        ("3M", 3_000_000),
        ("1.5Ki", 1536),
        ("7", 7),
        ("1Ti", 2**40),
        ("2E", 2 * 10**18),
    ],
)
def test_quantities_are_read(text, value):
    assert octets(text) == value


async def test_growth_asks_for_more_and_makes_the_stateful_set_anew(world):
    await resize(world, "40GiB")
    assert claimed(world) == "40Gi"
    writes = [write for write in world.kube.writes if "by hand" not in write]
    steps = [write for write in writes if "Claim" in write or "StatefulSet" in write]
    assert steps == [
        "patch PersistentVolumeClaim/news/data-hub-outfeed-0",
        "delete StatefulSet/news/hub-outfeed Orphan",
        "patch StatefulSet/news/hub-outfeed",
    ]
    assert world.ready(OUTFEED, "hub")[0] == "True"


async def test_killed_after_the_claim_was_patched_it_goes_on(world):
    body = world.kube.get(VOLUME_CLAIM, "data-hub-outfeed-0")
    world.kube.put(merged(body, {"spec": {"resources": {"requests": {"storage": "40Gi"}}}}))
    world.restart()
    await resize(world, "40GiB")
    assert "delete StatefulSet/news/hub-outfeed Orphan" in world.kube.writes
    assert world.ready(OUTFEED, "hub")[0] == "True"


async def test_killed_after_the_stateful_set_was_deleted_it_goes_on(world):
    world.kube.remove(STATEFUL_SET.kind, "news", "hub-outfeed")
    world.restart()
    await resize(world, "40GiB")
    assert world.kube.get(STATEFUL_SET, "hub-outfeed")
    assert world.ready(OUTFEED, "hub")[0] == "True"


async def test_it_waits_until_the_old_stateful_set_is_gone(world):
    world.kube.slow.add(STATEFUL_SET.kind)
    world.kube.writes.clear()
    world.apply(outfeed(storage={"size": "40GiB"}))
    for _ in range(2):
        with pytest.raises(PendingError):
            await world.settle()
    assert "patch StatefulSet/news/hub-outfeed" not in world.kube.writes
    assert world.ready(OUTFEED, "hub")[0] == "True"
    world.kube.remove(STATEFUL_SET.kind, "news", "hub-outfeed")
    await world.settle()
    assert storage_of(world.kube.get(STATEFUL_SET, "hub-outfeed")) == 40 * 2**30


async def test_a_namesake_that_wants_more_gets_it_of_the_volume_that_is_there(world):
    world.delete(OUTFEED, "hub")
    await resize(world, "40GiB")
    assert claimed(world) == "40Gi"


async def test_hand_edited_replicas_hold_no_growth_up(world):
    body = world.kube.get(STATEFUL_SET, "hub-outfeed")
    body["spec"]["replicas"] = 0
    await resize(world, "40GiB")
    assert claimed(world) == "40Gi"


async def test_a_foreign_stateful_set_without_volumes_is_told():
    world = OperatorWorld()
    metadata = {"name": "hub-outfeed", "namespace": "news"}
    world.kube.put(
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": {"template": {"metadata": {}}}}
    )
    world.apply(spill(), outfeed())
    await world.settle()
    assert world.ready(OUTFEED, "hub") == ("False", "NameTaken")


async def test_volumes_never_shrink(world):
    await resize(world, "10GiB")
    assert world.ready(OUTFEED, "hub") == ("False", "StorageShrunk")
    assert claimed(world) == "20Gi"


async def test_a_storage_class_that_can_not_grow_is_told(world):
    world.kube.fail("patch", VOLUME_CLAIM, ForbiddenError, 403)
    world.apply(outfeed(storage={"size": "40GiB"}))
    await world.settle()
    assert world.ready(OUTFEED, "hub") == ("False", "StorageNotResizable")
    assert world.kube.get(STATEFUL_SET, "hub-outfeed")
