"""Labels: what an object is, of which resource, and who made it."""

from forebay.api.v1alpha1 import Resource

NAME = "app.kubernetes.io/name"
INSTANCE = "app.kubernetes.io/instance"
PART_OF = "app.kubernetes.io/part-of"
MANAGED_BY = "app.kubernetes.io/managed-by"
UID = "forebay.dev/uid"

MANAGER = "forebay-operator"
OURS = {PART_OF: "forebay", MANAGED_BY: MANAGER}
"""Labels of everything that the operator makes, and of nothing else of Forebay."""


def kindred(role: str) -> dict[str, str]:
    """What selects the pods of one role, whatever resource they are of."""
    return {NAME: role, PART_OF: OURS[PART_OF]}


def selector(owner: Resource, role: str) -> dict[str, str]:
    """What selects the pods of a resource.

    A StatefulSet never changes it, and a re-created resource takes over what its namesake left: no uid is in it.
    `part-of` keeps out the pods of others' charts that are named alike.
    """
    return {**kindred(role), INSTANCE: owner.metadata.name}


def labels(owner: Resource, role: str) -> dict[str, str]:
    """All labels of an object; `role` is what it has a part in, as `outfeed`."""
    return {**selector(owner, role), **OURS, UID: owner.metadata.uid}
