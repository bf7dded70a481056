"""The rights that the operator uses at the API server, as data: the chart grants these and no others."""

from enum import StrEnum
from typing import NamedTuple

from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import (
    ANNOUNCER,
    COMPACTION,
    CONDUIT_NODE,
    DISRUPTION_BUDGET,
    EVENT,
    FORWARDER,
    JOB,
    NETWORK_POLICY,
    OUTFEED,
    PEERFEED,
    POD,
    ROLE,
    ROLE_BINDING,
    ROUTER,
    ROUTER_LINK,
    SECRET,
    SERVICE,
    SERVICE_ACCOUNT,
    SERVICE_MONITOR,
    SPARK_APPLICATION,
    SPILL,
    STATEFUL_SET,
    STORE,
    STORE_QUEUE,
    VOLUME_CLAIM,
)


class Scope(StrEnum):
    """Where a right is used."""

    WATCHED = "watched"
    """In all that is watched: the whole cluster, or else the listed namespaces."""
    LISTED = "listed"
    """In the listed namespaces, where Secrets are reached."""
    OWN = "own"
    """In the operator's own namespace."""


class Permission(NamedTuple):
    """Verbs on one resource."""

    scope: Scope
    group: str
    """API group; empty for the core."""
    resource: str
    """Plural, with the subresource if it is one: `outfeeds/status`."""
    verbs: tuple[str, ...]


def permission(scope: Scope, kind: Kind, *verbs: str, subresource: str = "") -> Permission:
    """Verbs on the objects of a kind."""
    return Permission(scope, kind.group, f"{kind.plural}/{subresource}".rstrip("/"), verbs)


# To apply on the server's side is to patch, and to create where there is nothing yet.
PERMISSIONS = (
    permission(Scope.WATCHED, SPILL, "get", "list", "watch"),
    permission(Scope.WATCHED, OUTFEED, "get", "list", "watch"),
    permission(Scope.WATCHED, PEERFEED, "list", "watch"),
    permission(Scope.WATCHED, COMPACTION, "get", "list", "watch"),
    permission(Scope.WATCHED, STORE, "get", "list", "watch"),
    permission(Scope.WATCHED, STORE_QUEUE, "list", "watch"),
    permission(Scope.WATCHED, ANNOUNCER, "get", "list", "watch"),
    permission(Scope.WATCHED, FORWARDER, "list", "watch"),
    permission(Scope.WATCHED, ROUTER, "get", "list", "watch"),
    permission(Scope.WATCHED, ROUTER_LINK, "list", "watch"),
    permission(Scope.WATCHED, CONDUIT_NODE, "get", "list", "watch"),
    permission(Scope.WATCHED, SPILL, "patch", subresource="status"),
    permission(Scope.WATCHED, OUTFEED, "patch", subresource="status"),
    permission(Scope.WATCHED, PEERFEED, "patch", subresource="status"),
    permission(Scope.WATCHED, COMPACTION, "patch", subresource="status"),
    permission(Scope.WATCHED, STORE, "patch", subresource="status"),
    permission(Scope.WATCHED, STORE_QUEUE, "patch", subresource="status"),
    permission(Scope.WATCHED, ANNOUNCER, "patch", subresource="status"),
    permission(Scope.WATCHED, FORWARDER, "patch", subresource="status"),
    permission(Scope.WATCHED, ROUTER, "patch", subresource="status"),
    permission(Scope.WATCHED, ROUTER_LINK, "patch", subresource="status"),
    permission(Scope.WATCHED, CONDUIT_NODE, "patch", subresource="status"),
    permission(Scope.WATCHED, EVENT, "create"),
    permission(Scope.WATCHED, POD, "list", "watch"),
    permission(Scope.WATCHED, SERVICE, "list", "watch"),
    permission(Scope.WATCHED, STATEFUL_SET, "list", "watch"),
    permission(Scope.WATCHED, JOB, "list", "watch"),
    permission(Scope.WATCHED, SPARK_APPLICATION, "list", "watch"),
    permission(Scope.WATCHED, NETWORK_POLICY, "list", "watch"),
    permission(Scope.WATCHED, DISRUPTION_BUDGET, "list", "watch"),
    permission(Scope.LISTED, SECRET, "get", "create", "patch", "delete"),
    permission(Scope.LISTED, SERVICE, "get", "create", "patch", "delete"),
    permission(Scope.LISTED, SERVICE_ACCOUNT, "get", "create", "patch"),
    permission(Scope.LISTED, ROLE, "get", "create", "patch"),
    permission(Scope.LISTED, ROLE_BINDING, "get", "create", "patch"),
    # Only who has a right can give it: these are for the pods of Stores with mirrors.
    Permission(Scope.LISTED, "coordination.k8s.io", "leases", ("get", "create", "update")),
    permission(Scope.LISTED, VOLUME_CLAIM, "get", "patch"),
    permission(Scope.LISTED, STATEFUL_SET, "get", "create", "patch", "delete"),
    permission(Scope.LISTED, JOB, "get", "create", "delete"),
    permission(Scope.LISTED, SPARK_APPLICATION, "get", "create", "delete"),
    permission(Scope.LISTED, NETWORK_POLICY, "get", "create", "patch"),
    permission(Scope.LISTED, DISRUPTION_BUDGET, "get", "create", "patch"),
    permission(Scope.LISTED, SERVICE_MONITOR, "get", "create", "patch", "delete"),
    permission(Scope.OWN, SECRET, "get", "create", "patch"),
    Permission(Scope.OWN, "coordination.k8s.io", "leases", ("get", "create", "update")),
)
