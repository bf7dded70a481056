"""The kinds of services, and what differs between them in how they are run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forebay.announcer.configuration import Surroundings as AnnouncerSurroundings
from forebay.announcer.service import AnnouncerService
from forebay.api import Manifests
from forebay.api.v1alpha1 import Announcer, Outfeed, Store
from forebay.api.v1alpha1 import Service as ServiceResource
from forebay.cli.storecluster import cluster_of
from forebay.outfeed import OutfeedService, Surroundings
from forebay.runtime import Service
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT, MESSAGE_LIMIT
from forebay.store.queueing.hub import open_hub
from forebay.store.service import StoreService


@dataclass(frozen=True)
class ServiceKind:
    """A kind of resource that runs a service."""

    title: str
    """Kind of the resource, as `Outfeed`."""
    model: type[ServiceResource]
    make: Callable[[tuple[str, str], Path, Surroundings], Service]
    """The service of a namespace and name, with its data in a folder."""
    message_limit: int
    """Octets of a gRPC message."""

    @property
    def word(self) -> str:
        """As in `forebay serve outfeed`, and in the names of folders and of Services."""
        return self.title.lower()


def make_store(identity: tuple[str, str], folder: Path, _: Surroundings) -> Service:
    """A Store; it needs nothing around it."""
    return StoreService(identity, folder, open_hub)


def make_announcer(identity: tuple[str, str], folder: Path, surroundings: Surroundings) -> Service:
    """An Announcer; clients reach it where NNTP peers reach an Outfeed."""
    around = AnnouncerSurroundings(surroundings.managed_url, surroundings.nntp_address)
    return AnnouncerService(identity, folder, around)


def make_pod(
    resource: ServiceResource, service: str, folder: Path, surroundings: Surroundings, tls: Path | None
) -> Service:
    """The service of a pod. service: DNS name of its Service. Raises `SettingsError`."""
    identity = resource.metadata.namespace, resource.metadata.name
    if isinstance(resource, Store) and resource.spec.mirrors:
        return StoreService(identity, folder, open_hub, cluster=cluster_of(resource, service, tls))
    return kind_of(resource).make(identity, folder, surroundings)


OUTFEED = ServiceKind("Outfeed", Outfeed, OutfeedService, MESSAGE_LIMIT)
STORE = ServiceKind("Store", Store, make_store, LARGE_MESSAGE_LIMIT)
ANNOUNCER = ServiceKind("Announcer", Announcer, make_announcer, MESSAGE_LIMIT)
KINDS = {kind.title: kind for kind in (OUTFEED, STORE, ANNOUNCER)}
"""By the kind of their resources."""


def kind_of(resource: ServiceResource) -> ServiceKind:
    """The kind of a resource."""
    return KINDS[resource.kind]


def services_of(manifests: Manifests) -> tuple[ServiceResource, ...]:
    """All resources that run services."""
    return tuple(resource for kind in KINDS.values() for resource in manifests.of(kind.model))
