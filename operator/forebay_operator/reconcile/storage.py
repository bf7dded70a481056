"""Growth of volumes, which a StatefulSet can't do by itself: its claim templates never change."""

from forebay_operator.body import Body
from forebay_operator.errors import ForbiddenError, InvalidError, PendingError, ReconcileError
from forebay_operator.kube.kinds import STATEFUL_SET, VOLUME_CLAIM
from forebay_operator.queue import Depth
from forebay_operator.reconcile.ownership import check_ours
from forebay_operator.reconcile.world import World
from forebay_operator.resources import claim

UNITS = {
    unit: factor
    for power, prefix in enumerate("kMGTPE")
    for unit, factor in ((prefix, 1000 ** (power + 1)), (f"{prefix.upper()}i", 1024 ** (power + 1)))
}


async def ensure_stateful_set(world: World, body: Body, depth: Depth) -> None:
    """Bring a StatefulSet about; where its storage is to grow, its claims first, and itself made anew around its pods.

    Killed in between, the next pass goes on: the claims are patched again, or the StatefulSet made.
    Raises `ReconcileError` where storage would shrink or can't grow, `PendingError` until the old StatefulSet is gone.
    """
    found = await find_stateful_set(world, body)
    if not storage_of(body):
        # Its pods have no volume, and have nothing to be grown.
        await world.objects.ensure(body, depth)
        return
    if found is None:
        # Claims outlive a resource, and its namesake may want more.
        await grow(world, body)
    elif storage_of(found) != storage_of(body):
        check_growth(found, body)
        await grow(world, body)
        await world.kube.delete(found, "Orphan")
        world.objects.forget(body)
        await find_stateful_set(world, body)
    await world.objects.ensure(body, depth)


async def find_stateful_set(world: World, body: Body) -> Body | None:
    """The StatefulSet that is there, which is ours. Raises `PendingError` while it is being deleted."""
    metadata = body["metadata"]
    found = await world.kube.find(STATEFUL_SET, metadata["namespace"], metadata["name"])
    if found is not None:
        check_ours(found, body)
        if "deletionTimestamp" in found["metadata"]:
            raise PendingError(f"StatefulSet {metadata['name']} is being deleted, and made anew then")
    return found


def check_growth(found: Body, body: Body) -> None:
    """Raise `ReconcileError` where storage would shrink."""
    if storage_of(found) > storage_of(body):
        name, size = body["metadata"]["name"], storage_of(found)
        raise ReconcileError(
            "StorageShrunk", f"volumes never shrink, those of {name} have {size:,} octets; give no less"
        )


async def grow(world: World, body: Body) -> None:
    """Ask for larger claims of all pods."""
    namespace, name = body["metadata"]["namespace"], body["metadata"]["name"]
    size = template_of(body)["spec"]["resources"]["requests"]["storage"]
    for ordinal in range(body["spec"]["replicas"]):
        volume = await world.kube.find(VOLUME_CLAIM, namespace, claim(name, ordinal))
        if volume is None or octets(volume["spec"]["resources"]["requests"]["storage"]) >= octets(size):
            continue
        patch = {"spec": {"resources": {"requests": {"storage": size}}}}
        try:
            await world.kube.patch(VOLUME_CLAIM, namespace, claim(name, ordinal), patch)
        except (ForbiddenError, InvalidError) as error:
            raise ReconcileError(
                "StorageNotResizable", f"{error}; use a storage class that allows expansion"
            ) from error


def template_of(stateful_set: Body) -> Body:
    """The claim template of a StatefulSet."""
    template: Body = stateful_set["spec"]["volumeClaimTemplates"][0]
    return template


def storage_of(stateful_set: Body) -> int:
    """Octets that each pod of a StatefulSet claims; 0 where it claims none."""
    if not stateful_set["spec"].get("volumeClaimTemplates"):
        return 0
    return octets(template_of(stateful_set)["spec"]["resources"]["requests"]["storage"])


def octets(quantity: str) -> int:
    """A quantity of Kubernetes, as `20Gi`, in octets."""
    number = quantity.rstrip("kKMGTPEi")
    return int(float(number) * UNITS.get(quantity[len(number) :], 1))
