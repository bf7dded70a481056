"""What one router reads out of a configuration document: itself, its Spill, its key and its links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forebay.api import Reading, read_objects
from forebay.api.v1alpha1 import Router, RouterLink, Spill
from forebay.router.specs import link_settings
from forebay.runtime.errors import FieldError, FieldViolation
from forebay.runtime.readings import result_of
from forebay.spill.resource import ManagedUrl, is_used, url_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forebay.api.v1alpha1 import Durability
    from forebay.router.links.settings import LinkSettings
    from forebay.runtime.document import ConfigDocument
    from forebay.runtime.revisions import ResourceResult

Identity = tuple[str, str]
"""Namespace and name."""


def alone(_: Router) -> list[str]:
    """Nobody else is of the domain, but for those that the Router names."""
    return []


@dataclass(frozen=True)
class Surroundings:
    """What a configuration does not say."""

    managed_url: ManagedUrl | None = None
    """Where the server of a managed Spill listens; None where no servers are run."""
    address: str = "127.0.0.1"
    """Where it listens over UDP when the Router names no address."""
    name: str = ""
    """The router's name, where one Router runs as several; empty: that of the Router."""
    others: Callable[[Router], list[str]] = alone
    """`host:port` of the others that the same Router runs as; its own may be among them."""
    tls: Path | None = None
    """Folder with the certificate that it shows to other routers; None: plain text."""
    server_name: str = ""
    """Name that the certificates of those others have; empty: their hosts."""


@dataclass
class Selection:
    """What was found for one router."""

    present: bool = False
    """The document is about this router at all."""
    router: Router | None = None
    """None when it has a fault."""
    key: bytes = field(default=b"", repr=False)
    """Seals links over UDP; empty: there are none, or it cannot be used."""
    durability: Durability | None = None
    """Of its Spill; None where it has none that can be used."""
    url: str = field(default="", repr=False)
    """Of its Redis; empty when it has none, or that cannot be told."""
    links: list[LinkSettings] = field(default_factory=list)
    faulty: set[str] = field(default_factory=set)
    """Names of links whose resources have faults: what is in force of them stays so."""
    results: list[ResourceResult] = field(default_factory=list)

    def not_running(self) -> list[ResourceResult]:
        """The results when nothing runs yet, for the router has a fault: nothing of ours is in effect."""
        ours = {link.name for link in self.links}
        problem = FieldViolation("spec.routerRef.name", "the Router does not run yet: see what is wrong with it")
        return [
            result.but(problem) if result.kind == "RouterLink" and result.name in ours else result
            for result in self.results
        ]


def select(document: ConfigDocument, identity: Identity, surroundings: Surroundings) -> Selection:
    """What belongs to the router of an identity; every fault is in the result of the resource that has it."""
    readings = read_objects(document.manifests)
    selection = Selection()
    selection.present = any((each.kind, each.namespace, each.name) == ("Router", *identity) for each in readings)
    selection.router = next((found for each in readings if (found := _ours(each, identity))), None)
    for reading in readings:
        faults = [FieldViolation(fault.field, fault.description) for fault in reading.violations]
        if not faults:
            faults = _taken(reading, identity, selection, document, surroundings)
        if reading.kind == "RouterLink" and faults:
            selection.faulty.add(reading.name)
        selection.results.append(result_of(reading, faults))
    return selection


def _ours(reading: Reading, identity: Identity) -> Router | None:
    resource, is_ours = reading.resource, (reading.namespace, reading.name) == identity
    return resource if isinstance(resource, Router) and is_ours and not reading.violations else None


def _taken(
    reading: Reading, identity: Identity, selection: Selection, document: ConfigDocument, surroundings: Surroundings
) -> list[FieldViolation]:
    """Take a sound resource into the selection; what of it cannot be used here."""
    resource, router = reading.resource, selection.router
    try:
        if isinstance(resource, Spill) and is_used(resource, router):
            selection.durability = resource.spec.durability
            selection.url = url_of(resource, document, surroundings.managed_url)
        if resource is router and router is not None:
            selection.key = _key(router, document)
    except FieldError as error:
        return [error.violation]
    if isinstance(resource, RouterLink) and _parent(resource) == identity:
        return _linked(resource, selection)
    return []


def _linked(link: RouterLink, selection: Selection) -> list[FieldViolation]:
    settings, router = link_settings(link), selection.router
    if router and settings.domain == router.spec.domain:
        return [
            FieldViolation(
                "spec.domain", f"{settings.domain} is the Router's own: name its routers in the Router's peers"
            )
        ]
    if router and settings.udp and router.spec.listeners.udp is None:
        return [FieldViolation("spec.transport", "the Router has no listeners.udp: add it with a key, or give grpc")]
    selection.links.append(settings)
    return []


def _key(router: Router, document: ConfigDocument) -> bytes:
    """Raises `FieldError`."""
    if (udp := router.spec.listeners.udp) is None:
        return b""
    reference, name = udp.key_from.secret_ref, "spec.listeners.udp.keyFrom.secretRef"
    return document.referenced_key(router.metadata.namespace, reference.name, reference.key, name)


def _parent(link: RouterLink) -> Identity:
    return link.metadata.namespace, link.spec.router_ref.name
