"""What one node reads out of a configuration document: itself, its Spill and its keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forebay.api import Reading, read_objects
from forebay.api.v1alpha1 import ConduitNode, Spill
from forebay.conduit.specs import node_settings, peer_id_of, transport_settings
from forebay.runtime.errors import FieldError, FieldViolation
from forebay.runtime.readings import result_of
from forebay.spill.resource import ManagedUrl, is_used, url_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.api.v1alpha1 import Durability
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.transport.settings import TransportSettings
    from forebay.runtime.document import ConfigDocument
    from forebay.runtime.revisions import ResourceResult

Identity = tuple[str, str]
"""Namespace and name."""


def alone(_: ConduitNode) -> list[str]:
    """No other node runs of the resource."""
    return []


@dataclass(frozen=True)
class Surroundings:
    """What a configuration does not say."""

    managed_url: ManagedUrl | None = None
    """Where the server of a managed Spill listens; None where no servers are run."""
    address: str = "127.0.0.1"
    """Where it listens for peers when the ConduitNode names no address."""
    ordinal: int = 0
    """Its number among the pods of the resource."""
    others: Callable[[ConduitNode], list[str]] = alone
    """Places of the other pods of the resource, as `udp/host:port`."""


@dataclass(frozen=True)
class NodeParts:
    """What a sound ConduitNode means here."""

    settings: NodeSettings
    transport: TransportSettings
    keys: dict[int, bytes] = field(repr=False)
    """By id; empty: datagrams are not sealed, or a key is missing for the moment."""


@dataclass
class Selection:
    """What was found for one node."""

    present: bool = False
    """The document is about this node at all."""
    node: ConduitNode | None = None
    """None when it has a fault."""
    parts: NodeParts | None = None
    """None when it has a fault, or a key is missing for the moment."""
    durability: Durability | None = None
    """Of its Spill; None where it has none that can be used."""
    url: str = field(default="", repr=False)
    """Of its Redis; empty when it has none, or that cannot be told."""
    results: list[ResourceResult] = field(default_factory=list)


def select(document: ConfigDocument, identity: Identity, surroundings: Surroundings) -> Selection:
    """What belongs to the node of an identity; every fault is in the result of the resource that has it."""
    readings = read_objects(document.manifests)
    selection = Selection()
    selection.present = any((each.kind, each.namespace, each.name) == ("ConduitNode", *identity) for each in readings)
    selection.node = next((found for each in readings if (found := _ours(each, identity))), None)
    for reading in readings:
        faults = [FieldViolation(fault.field, fault.description) for fault in reading.violations]
        if not faults:
            faults = _taken(reading, selection, document, surroundings)
        selection.results.append(result_of(reading, faults))
    return selection


def _ours(reading: Reading, identity: Identity) -> ConduitNode | None:
    resource, is_ours = reading.resource, (reading.namespace, reading.name) == identity
    return resource if isinstance(resource, ConduitNode) and is_ours and not reading.violations else None


def _taken(
    reading: Reading, selection: Selection, document: ConfigDocument, surroundings: Surroundings
) -> list[FieldViolation]:
    """Take a sound resource into the selection; what of it cannot be used here."""
    resource, node = reading.resource, selection.node
    try:
        if isinstance(resource, Spill) and is_used(resource, node):
            selection.durability = resource.spec.durability
            selection.url = url_of(resource, document, surroundings.managed_url)
        if resource is node and node is not None:
            selection.parts = parts_of(node, document, surroundings)
    except FieldError as error:
        return [error.violation]
    return []


def parts_of(node: ConduitNode, document: ConfigDocument, surroundings: Surroundings) -> NodeParts:
    """What it means here. Raises `FieldError`."""
    spec = node.spec
    transport = transport_settings(spec, surroundings.address, surroundings.others(node))
    keys = _keys(node, document)
    return NodeParts(node_settings(spec, peer_id_of(node, surroundings.ordinal), keys), transport, keys)


def _keys(node: ConduitNode, document: ConfigDocument) -> dict[int, bytes]:
    """Raises `FieldError`."""
    found: dict[int, bytes] = {}
    for at, each in enumerate(node.spec.authentication.keys if node.spec.authentication else ()):
        reference, name = each.key_from.secret_ref, f"spec.authentication.keys[{at}].keyFrom.secretRef"
        found[each.id] = document.referenced_key(node.metadata.namespace, reference.name, reference.key, name)
    return found
