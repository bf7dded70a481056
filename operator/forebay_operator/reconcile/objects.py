"""The objects that a resource owns: applied when they have to change or were changed by others, and only then."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body, Identity, identity_of
from forebay_operator.kube import Kind, KubeClient, kind_of
from forebay_operator.queue import Depth
from forebay_operator.reconcile.ownership import check_ours, controller_of
from forebay_operator.resources import digest

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Applied:
    """How an object was last applied."""

    owner: Identity
    """The resource that it belongs to."""
    wanted: str
    """Digest of what was sent."""
    seen: str
    """The fingerprint of what came of it."""


class OwnedObjects:
    """Applies objects and remembers what came of it."""

    def __init__(self, kube: KubeClient) -> None:
        self._kube = kube
        self._applied: dict[Identity, Applied] = {}

    async def ensure(self, body: Body, depth: Depth) -> None:
        """Bring an object about.

        Nothing is asked of the API server where the object was applied just so and no watch told of a change, unless
        it is to be verified. Raises `NameTakenError` when there is one of its name that is somebody else's.
        """
        identity, wanted = identity_of(body), digest(body)
        applied = self._applied.get(identity)
        unchanged = applied is not None and applied.wanted == wanted
        if unchanged and depth < Depth.VERIFY:
            return
        found = await self._kube.find(kind_of(body), body["metadata"]["namespace"], body["metadata"]["name"])
        if found is not None:
            check_ours(found, body)
            if unchanged and applied is not None and applied.seen == fingerprint(found):
                return
        seen = fingerprint(await self._kube.apply(body))
        self._applied[identity] = Applied(owner_of(body), wanted, seen)
        log.info("applied", object="/".join(identity))

    async def remove(self, kind: Kind, owner: Resource, name: str) -> None:
        """Delete an object that a resource no longer wants. What others have of that name stays."""
        found = await self._kube.find(kind, owner.metadata.namespace, name)
        if found is not None and controller_of(found).get("uid") == owner.metadata.uid:
            await self._kube.delete(found, "Background")
            self.forget(found)
            log.info("deleted", object="/".join(identity_of(found)))

    def notice(self, body: Mapping[str, Any], *, deleted: bool) -> bool:
        """A watch showed an object; whether it is no longer as it was applied."""
        applied = self._applied.get(identity_of(body))
        if applied is not None and not deleted and applied.seen == fingerprint(body):
            return False
        self._applied.pop(identity_of(body), None)
        return True

    def forget(self, body: Body) -> None:
        """Apply an object the next time, whatever is known of it."""
        self._applied.pop(identity_of(body), None)

    def forget_all(self, owner: Identity) -> None:
        """Forget the objects of a resource, which is gone."""
        self._applied = {identity: each for identity, each in self._applied.items() if each.owner != owner}


def owner_of(body: Mapping[str, Any]) -> Identity:
    """Kind, namespace and name of the resource that an object belongs to."""
    controller = controller_of(body)
    return controller["kind"], body["metadata"]["namespace"], controller["name"]


def fingerprint(body: Mapping[str, Any]) -> str:
    """What changes with an object, but for its status where the API server tells that apart."""
    metadata = body["metadata"]
    version = metadata.get("generation") or metadata.get("resourceVersion")
    names = ("uid", "labels", "annotations", "ownerReferences", "deletionTimestamp")
    return digest([version, *(metadata.get(name) for name in names)])
