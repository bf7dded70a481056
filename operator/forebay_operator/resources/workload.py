"""What runs pods and keeps their volumes: StatefulSets and disruption budgets."""

from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body
from forebay_operator.resources.body import given, quantity
from forebay_operator.resources.labels import selector
from forebay_operator.resources.ownership import owned

VOLUME = "data"
"""Name of the claims of a StatefulSet."""


def stateful_set(
    owner: Resource,
    role: str,
    name: str,
    *,
    service: str,
    template: Body,
    storage: int,
    storage_class: str,
    replicas: int = 1,
) -> Body:
    """A StatefulSet of pods with a volume of `storage` octets each, which outlives them and the resource.

    With 0 they have none.
    """
    spec: Body = {
        "replicas": replicas,
        "serviceName": service,
        # OrderedReady never replaces a pod that is not ready: a wrong image would stay for ever.
        "podManagementPolicy": "Parallel",
        "updateStrategy": {"type": "RollingUpdate"},
        "selector": {"matchLabels": selector(owner, role)},
        "template": template,
    }
    if storage:
        spec["persistentVolumeClaimRetentionPolicy"] = {"whenDeleted": "Retain", "whenScaled": "Retain"}
        spec["volumeClaimTemplates"] = [claim_template(storage, storage_class)]
    return owned(owner, role, "apps/v1", "StatefulSet", name, spec=spec)


def claim_template(storage: int, storage_class: str) -> Body:
    """The claim of each pod."""
    return {
        "metadata": {"name": VOLUME},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": quantity(storage)}},
            **given(storageClassName=storage_class),
        },
    }


def claim(stateful_set: str, ordinal: int) -> str:
    """The name of the PersistentVolumeClaim of one pod of a StatefulSet."""
    return f"{VOLUME}-{stateful_set}-{ordinal}"


def disruption_budget(owner: Resource, role: str, name: str) -> Body:
    """At most one pod is evicted at a time, and a drain is never held up.

    With one pod, a stricter budget would hold up every drain for ever, and protect nothing: an eviction ends a pod as
    gracefully as a roll does, and what it has not sent yet is on its volume.
    """
    spec = {
        "maxUnavailable": 1,
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
        "selector": {"matchLabels": selector(owner, role)},
    }
    return owned(owner, role, "policy/v1", "PodDisruptionBudget", name, spec=spec)
