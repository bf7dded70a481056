"""What runs a resource: a StatefulSet, its pods, and the objects around them."""

from collections.abc import Mapping, Sequence

from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body
from forebay_operator.conditions import Workload
from forebay_operator.kube import kind_of
from forebay_operator.kube.kinds import POD, STATEFUL_SET
from forebay_operator.queue import Depth
from forebay_operator.reconcile.relations import name_of
from forebay_operator.reconcile.storage import ensure_stateful_set
from forebay_operator.reconcile.world import World
from forebay_operator.resources.labels import UID, selector


async def workload_of(world: World, owner: Resource, role: str, name: str) -> Workload:
    """The StatefulSet of that name, and its pods of this resource, as they are now."""
    namespace = owner.metadata.namespace
    labels = ",".join(f"{label}={value}" for label, value in selector(owner, role).items())
    found = await world.kube.find(STATEFUL_SET, namespace, name)
    pods = await world.kube.list_all(POD, namespace, labels)
    return Workload(found, [pod for pod in pods if is_member(pod, owner, name)])


def is_member(pod: Body, owner: Resource, name: str) -> bool:
    """Whether a pod with the labels is of the StatefulSet, and no copy of such a pod nor one of a former namesake."""
    stateful_set, _, ordinal = name_of(pod).rpartition("-")
    uid = pod["metadata"]["labels"].get(UID, owner.metadata.uid)
    return stateful_set == name and ordinal.isdecimal() and bool(uid == owner.metadata.uid)


def annotations_of(objects: Sequence[Body]) -> Mapping[str, str]:
    """Those of the template of the pods, among the objects of a resource."""
    templates = [body["spec"]["template"] for body in objects if kind_of(body) is STATEFUL_SET]
    return {name: text for each in templates for name, text in each["metadata"].get("annotations", {}).items()}


async def ensure_all(world: World, bodies: Sequence[Body], depth: Depth) -> None:
    """Bring the objects of a resource about, in their order. Raises `ReconcileError`."""
    for body in bodies:
        if kind_of(body) is STATEFUL_SET:
            await ensure_stateful_set(world, body, depth)
        else:
            await world.objects.ensure(body, depth)
