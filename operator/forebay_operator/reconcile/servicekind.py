"""A kind of services as data: what it has of its own. All else is the same for every kind."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from forebay.api.v1alpha1 import Announcer, ConduitNode, Outfeed, Router, Store
from forebay_operator.body import Body
from forebay_operator.conditions import Fault, Workload
from forebay_operator.configuration import Composition
from forebay_operator.kube import Kind
from forebay_operator.pods import PodView
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.freezing import Manifests
from forebay_operator.reconcile.world import World

S = TypeVar("S", Outfeed, Store, Announcer, Router, ConduitNode)


class Ingredients(Protocol):
    """What the configuration of a service is composed of."""

    def composition(self) -> Composition:
        """The configuration. Raises `ReconcileError` where it can't be stored, or nothing could be applied of it."""


@dataclass(frozen=True)
class ChildKind:
    """A kind of resources that belong to a service."""

    kind: Kind
    parent_field: str
    """The field of a child's spec that names its service."""
    status: Callable[[Body, Sequence[PodView], datetime, Fault | None], Body]
    """The new status of a child: by what the pods of its service say, the time, and what it lacks."""


def no_leftovers(_: object) -> list[tuple[Kind, str]]:
    """There are none."""
    return []


@dataclass(frozen=True)
class ServiceKind(Generic[S]):
    """One kind of services."""

    kind: Kind
    model: type[S]
    needs: Callable[[Key, S, Sequence[Body]], list[Key]]
    """The resources whose changes concern a service, by its key, itself and its children."""
    gather: Callable[[World, Key, Body, Sequence[Body], Manifests, Depth], Awaitable[Ingredients]]
    """Reads what a service (the Body) is made of beside its children. What of it is paused is as it is in what is
    stored. Raises `MissingError` while something of it is not ready to be used."""
    objects: Callable[[S, Composition, World], list[Body]]
    """All objects of a service but its Secrets, in the order to apply them."""
    status: Callable[[Body, Workload, Sequence[PodView], int, datetime, Fault | None], Body]
    """The new status of a service: by what runs it, what its pods say, the stored revision, the time, and what keeps it
    from being brought about."""
    child: ChildKind | None = None
    """What belongs to a service of the kind, and is reconciled with it; None: nothing does."""
    leftovers: Callable[[S], list[tuple[Kind, str]]] = no_leftovers
    """Kinds and names of objects that a service with another spec had, and does not want any more."""
