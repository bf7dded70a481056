"""What one announcer reads out of a configuration document: itself, its Spill, and its forwarders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forebay.announcer.settings import forwarder_spec
from forebay.api import Reading, read_objects
from forebay.api.v1alpha1 import Announcer, Forwarder, Spill
from forebay.runtime.errors import FieldError, FieldViolation
from forebay.runtime.readings import result_of
from forebay.spill.resource import ManagedUrl, is_used, url_of

if TYPE_CHECKING:
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.api.v1alpha1 import Durability
    from forebay.runtime.document import ConfigDocument
    from forebay.runtime.revisions import ResourceResult

Identity = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True)
class Surroundings:
    """What a configuration does not say."""

    managed_url: ManagedUrl | None
    """Where the server of a managed Spill listens; None where no servers are run."""
    address: str = "127.0.0.1"
    """Where clients announce when the Announcer names no address."""


@dataclass
class Selection:
    """What was found for one announcer."""

    present: bool = False
    """The document is about this announcer at all."""
    announcer: Announcer | None = None
    """None when it has a fault."""
    durability: Durability | None = None
    """Of its Spill; None where it has none that can be used."""
    url: str = field(default="", repr=False)
    """Of its Redis; empty when it has none, or that cannot be told."""
    forwarders: list[ForwarderSpec] = field(default_factory=list)
    paused: list[ForwarderSpec] = field(default_factory=list)
    """Those that are to get nothing."""
    faulty: set[str] = field(default_factory=set)
    """Names of forwarders whose resources have faults: what is in force of them stays so."""
    results: list[ResourceResult] = field(default_factory=list)

    def not_running(self) -> list[ResourceResult]:
        """The results when nothing runs yet, for the announcer has a fault: nothing of ours is in effect."""
        ours = {each.name for each in (*self.forwarders, *self.paused)}
        problem = FieldViolation("spec.announcerRef.name", "the Announcer does not run yet: see what is wrong with it")
        return [
            result.but(problem) if result.kind == "Forwarder" and result.name in ours else result
            for result in self.results
        ]


def select(document: ConfigDocument, identity: Identity, surroundings: Surroundings) -> Selection:
    """What belongs to the announcer of an identity; every fault is in the result of the resource that has it."""
    readings = read_objects(document.manifests)
    selection = Selection()
    selection.present = any((each.kind, each.namespace, each.name) == ("Announcer", *identity) for each in readings)
    selection.announcer = next((found for each in readings if (found := _ours(each, identity))), None)
    for reading in readings:
        faults = [FieldViolation(fault.field, fault.description) for fault in reading.violations]
        if not faults:
            faults = _taken(reading, identity, selection, document, surroundings)
        if reading.kind == "Forwarder" and faults:
            selection.faulty.add(reading.name)
        selection.results.append(result_of(reading, faults))
    return selection


def _ours(reading: Reading, identity: Identity) -> Announcer | None:
    resource, is_ours = reading.resource, (reading.namespace, reading.name) == identity
    return resource if isinstance(resource, Announcer) and is_ours and not reading.violations else None


def _taken(
    reading: Reading, identity: Identity, selection: Selection, document: ConfigDocument, surroundings: Surroundings
) -> list[FieldViolation]:
    """Take a sound resource into the selection; what of it cannot be used here."""
    resource = reading.resource
    if isinstance(resource, Spill) and is_used(resource, selection.announcer):
        selection.durability = resource.spec.durability
        try:
            selection.url = url_of(resource, document, surroundings.managed_url)
        except FieldError as error:
            return [error.violation]
    if isinstance(resource, Forwarder) and _parent(resource) == identity:
        (selection.paused if resource.spec.pause else selection.forwarders).append(forwarder_spec(resource))
    return []


def _parent(forwarder: Forwarder) -> Identity:
    return forwarder.metadata.namespace, forwarder.spec.announcer_ref.name
