"""The kinds of services, and what differs between them in how they are run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forebay.announcer.configuration import Surroundings as AnnouncerSurroundings
from forebay.announcer.service import AnnouncerService
from forebay.api import Manifests
from forebay.api.v1alpha1 import Announcer, ConduitNode, Outfeed, Router, Store
from forebay.api.v1alpha1 import Service as ServiceResource
from forebay.cli.conduitpods import conduit_pod
from forebay.cli.routerdomain import domain_of
from forebay.cli.storecluster import cluster_of
from forebay.conduit.configuration import Surroundings as ConduitSurroundings
from forebay.conduit.service import ConduitNodeService
from forebay.outfeed import OutfeedService, Surroundings
from forebay.router.configuration import Surroundings as RouterSurroundings
from forebay.router.service import RouterService
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
    make: Callable[[tuple[str, str], Path, Surroundings, Path | None], Service]
    """The service of a namespace and name, with its data in a folder, and its certificates in another."""
    message_limit: int
    """Octets of a gRPC message."""
    concurrent_calls: int = 1000
    """Calls at once, streams included."""

    @property
    def word(self) -> str:
        """As in `forebay serve outfeed`, and in the names of folders and of Services."""
        return self.title.lower()


def make_outfeed(identity: tuple[str, str], folder: Path, surroundings: Surroundings, _: Path | None) -> Service:
    """An Outfeed."""
    return OutfeedService(identity, folder, surroundings)


def make_store(identity: tuple[str, str], folder: Path, _: Surroundings, __: Path | None) -> Service:
    """A Store; it needs nothing around it."""
    return StoreService(identity, folder, open_hub)


def make_router(identity: tuple[str, str], folder: Path, surroundings: Surroundings, tls: Path | None) -> Service:
    """A Router; it listens over UDP where an Outfeed takes NNTP, and shows other routers its certificate."""
    around = RouterSurroundings(surroundings.managed_url, surroundings.nntp_address, tls=tls)
    return RouterService(identity, folder, around)


def make_announcer(identity: tuple[str, str], folder: Path, surroundings: Surroundings, _: Path | None) -> Service:
    """An Announcer; clients reach it where NNTP peers reach an Outfeed."""
    around = AnnouncerSurroundings(surroundings.managed_url, surroundings.nntp_address)
    return AnnouncerService(identity, folder, around)


def make_conduitnode(identity: tuple[str, str], folder: Path, surroundings: Surroundings, _: Path | None) -> Service:
    """A ConduitNode; peers reach it where NNTP peers reach an Outfeed."""
    around = ConduitSurroundings(surroundings.managed_url, surroundings.nntp_address)
    return ConduitNodeService(identity, folder, around)


def make_pod(
    resource: ServiceResource, service: str, folder: Path, surroundings: Surroundings, tls: Path | None
) -> Service:
    """The service of a pod. service: DNS name of its Service. Raises `SettingsError`."""
    identity = resource.metadata.namespace, resource.metadata.name
    if isinstance(resource, Store) and resource.spec.mirrors:
        return StoreService(identity, folder, open_hub, cluster=cluster_of(resource, service, tls))
    if isinstance(resource, Router):
        around = domain_of(service, surroundings.nntp_address, surroundings.managed_url, tls)
        return RouterService(identity, folder, around)
    if isinstance(resource, ConduitNode):
        return conduit_pod(identity, folder, service, surroundings.nntp_address, surroundings.managed_url)
    return kind_of(resource).make(identity, folder, surroundings, tls)


OUTFEED = ServiceKind("Outfeed", Outfeed, make_outfeed, MESSAGE_LIMIT)
STORE = ServiceKind("Store", Store, make_store, LARGE_MESSAGE_LIMIT)
ANNOUNCER = ServiceKind("Announcer", Announcer, make_announcer, MESSAGE_LIMIT)
ROUTER = ServiceKind("Router", Router, make_router, LARGE_MESSAGE_LIMIT, concurrent_calls=200_000)
CONDUITNODE = ServiceKind("ConduitNode", ConduitNode, make_conduitnode, LARGE_MESSAGE_LIMIT, concurrent_calls=50_000)
KINDS = {kind.title: kind for kind in (OUTFEED, STORE, ANNOUNCER, ROUTER, CONDUITNODE)}
"""By the kind of their resources."""


def kind_of(resource: ServiceResource) -> ServiceKind:
    """The kind of a resource."""
    return KINDS[resource.kind]


def services_of(manifests: Manifests) -> tuple[ServiceResource, ...]:
    """All resources that run services."""
    return tuple(resource for kind in KINDS.values() for resource in manifests.of(kind.model))
