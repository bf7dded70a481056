"""Whether an object is ours. Pure."""

from collections.abc import Mapping
from typing import Any

from forebay_operator.body import Body
from forebay_operator.errors import NameTakenError, PendingError
from forebay_operator.resources.labels import MANAGED_BY, MANAGER


def check_ours(found: Body, wanted: Body) -> None:
    """Raise `NameTakenError` unless an object that was found may become the one that is wanted.

    It may when its controller is the same resource. One without a controller may when we made it: it was left by an
    operator, or by a resource that was deleted without its objects. One of a namesake that was there before goes with
    it: it raises `PendingError`.
    """
    controller, ours = controller_of(found), controller_of(wanted)
    made_by_us = found["metadata"].get("labels", {}).get(MANAGED_BY) == MANAGER
    if controller.get("uid") == ours.get("uid") or (not controller and made_by_us):
        return
    kind, name = wanted["kind"], wanted["metadata"]["name"]
    if controller and all(controller.get(field) == ours.get(field) for field in ("apiVersion", "kind", "name")):
        raise PendingError(f"{kind} {name} is of a former {ours['kind']} {ours['name']}, and goes with it")
    raise NameTakenError(kind, name)


def controller_of(body: Mapping[str, Any]) -> Body:
    """The reference to the resource that controls an object; empty when none does."""
    owners = body["metadata"].get("ownerReferences", [])
    return next((owner for owner in owners if owner.get("controller")), {})
