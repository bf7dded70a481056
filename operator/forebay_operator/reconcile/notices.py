"""What watches tell, and which resources have to be looked at for it. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from forebay_operator.body import Identity, identity_of
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import (
    ANNOUNCER,
    COMPACTION,
    CONDUIT_NODE,
    FORWARDER,
    JOB,
    OUTFEED,
    PEERFEED,
    POD,
    RESOURCES,
    ROUTER,
    ROUTER_LINK,
    SPARK_APPLICATION,
    SPILL,
    STATEFUL_SET,
    STORE,
    STORE_QUEUE,
)
from forebay_operator.queue import Key
from forebay_operator.reconcile.dependents import Dependents
from forebay_operator.reconcile.objects import OwnedObjects, fingerprint
from forebay_operator.reconcile.relations import referred
from forebay_operator.resources.labels import INSTANCE, NAME

Seen = Mapping[str, Any]
OWNERS = {
    "outfeed": OUTFEED.kind,
    "store": STORE.kind,
    "announcer": ANNOUNCER.kind,
    "router": ROUTER.kind,
    "conduitnode": CONDUIT_NODE.kind,
    "valkey": SPILL.kind,
    "purge": SPILL.kind,
    "compaction": COMPACTION.kind,
}
"""Whose object it is, by its label `app.kubernetes.io/name`."""
TELLING = {STATEFUL_SET.kind, POD.kind, JOB.kind, SPARK_APPLICATION.kind}
"""Kinds whose statuses say how their resource fares."""
CHILDREN = {PEERFEED.kind, STORE_QUEUE.kind, FORWARDER.kind, ROUTER_LINK.kind}
"""Kinds that are reconciled with their parents."""
PARENTS = {
    OUTFEED.kind: ("spillRef", SPILL),
    PEERFEED.kind: ("outfeedRef", OUTFEED),
    STORE_QUEUE.kind: ("storeRef", STORE),
    ANNOUNCER.kind: ("spillRef", SPILL),
    FORWARDER.kind: ("announcerRef", ANNOUNCER),
    ROUTER.kind: ("spillRef", SPILL),
    ROUTER_LINK.kind: ("routerRef", ROUTER),
    CONDUIT_NODE.kind: ("spillRef", SPILL),
}
"""The field of a spec that names the resource that a kind has its effect through, and the kind of that."""


class Notices:
    """Turns what was seen into keys."""

    def __init__(self, dependents: Dependents, objects: OwnedObjects) -> None:
        self._dependents = dependents
        self._objects = objects
        self._seen: dict[Identity, str] = {}

    def take(self, kind: Kind, body: Seen, *, deleted: bool) -> set[Key]:
        """The resources to look at, since an object was added, changed or deleted."""
        if kind in RESOURCES:
            return self._concerned(body) if self._is_new(body, deleted) else set()
        changed = self._objects.notice(body, deleted=deleted)
        return set(owner_of(body)) if changed or kind.kind in TELLING else set()

    def _is_new(self, body: Seen, deleted: bool) -> bool:
        """Whether more than the status has changed: that comes from us."""
        before, now = self._seen.get(identity_of(body)), fingerprint(body)
        self._seen[identity_of(body)] = now
        if deleted:
            del self._seen[identity_of(body)]
        return deleted or before != now

    def _concerned(self, body: Seen) -> set[Key]:
        key = Key(*identity_of(body))
        own = {key} if key.kind not in CHILDREN else set()
        return own | set(parents_of(body)) | self._dependents.of(key)


def parents_of(body: Seen) -> Iterator[Key]:
    """The resources that a resource has its effect through."""
    kind, namespace, _ = identity_of(body)
    if kind in PARENTS:
        field, parent = PARENTS[kind]
        if name := referred(body, field):
            yield Key(parent.kind, namespace, name)


def owner_of(body: Seen) -> Iterator[Key]:
    """The resource that an object was made for, by its labels."""
    labels = body["metadata"].get("labels") or {}
    if (kind := OWNERS.get(labels.get(NAME, ""))) and (name := labels.get(INSTANCE)):
        yield Key(kind, body["metadata"]["namespace"], name)
