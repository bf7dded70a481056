"""What the reconcilers share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from forebay_operator.kube import KubeClient
from forebay_operator.pods import PodClients
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.authorities import Authorities
from forebay_operator.reconcile.dependents import Dependents
from forebay_operator.reconcile.objects import OwnedObjects
from forebay_operator.reconcile.secretstore import SecretStore
from forebay_operator.reconcile.statuses import Statuses
from forebay_operator.settings import Settings


class Put(Protocol):
    """Puts a resource into the work queue."""

    def __call__(self, key: Key, depth: Depth = ..., delay: float | None = ...) -> None:
        """Put it."""


@dataclass
class World:
    """The API server, the pods, and what is remembered of both."""

    kube: KubeClient
    pods: PodClients
    settings: Settings
    put: Put
    now: Callable[[], datetime]
    objects: OwnedObjects
    secrets: SecretStore
    authorities: Authorities
    statuses: Statuses
    dependents: Dependents
    known: set[Key] = field(default_factory=set)
    """The resources that are there, and those that are missing to others."""
    monitoring: bool = False
    """Whether the cluster knows ServiceMonitors."""

    def forget(self, key: Key) -> None:
        """Keep nothing of a resource that is gone."""
        self.known.discard(key)
        self.dependents.forget(key)
        self.objects.forget_all(key)
        self.secrets.forget(key)


def make_world(
    kube: KubeClient, pods: PodClients, settings: Settings, namespace: str, put: Put, now: Callable[[], datetime]
) -> World:
    """A world of which nothing is remembered yet; `namespace` is the operator's own."""
    secrets = SecretStore(kube)
    return World(
        kube=kube,
        pods=pods,
        settings=settings,
        put=put,
        now=now,
        objects=OwnedObjects(kube),
        secrets=secrets,
        authorities=Authorities(secrets, namespace, now),
        statuses=Statuses(kube, now),
        dependents=Dependents(),
    )
