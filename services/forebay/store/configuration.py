"""What one store reads out of a configuration document: itself and its queues."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points

from forebay.api import Reading, read_objects
from forebay.api.v1alpha1 import Overflow, Store, StoreQueue
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import FieldViolation
from forebay.runtime.readings import result_of
from forebay.runtime.revisions import ResourceResult
from forebay.store.backing.registry import GROUP
from forebay.store.queueing.spec import Overflow as QueueOverflow
from forebay.store.queueing.spec import QueueSpec

Identity = tuple[str, str]
"""Namespace and name."""

_OVERFLOWS: dict[Overflow, QueueOverflow] = {
    Overflow.DROP_HEAD: "drop-head",
    Overflow.REJECT_PUBLISH: "reject-publish",
    Overflow.REJECT_PUBLISH_DEAD_LETTER: "reject-publish-dead-letter",
}


@dataclass
class Selection:
    """What was found for one store."""

    present: bool = False
    """The document is about this store at all."""
    store: Store | None = None
    """None when it has a fault."""
    queues: list[QueueSpec] = field(default_factory=list)
    faulty: set[str] = field(default_factory=set)
    """Identities of queues whose resources have faults: what is in force of them stays so."""
    results: list[ResourceResult] = field(default_factory=list)

    def not_running(self) -> list[ResourceResult]:
        """The results when nothing runs yet, for the store has a fault: nothing of ours is in effect."""
        ours = {queue.uid for queue in self.queues}
        problem = FieldViolation("spec.storeRef.name", "the Store does not run yet: see what is wrong with it")
        return [result.but(problem) if result.uid in ours else result for result in self.results]


def select(document: ConfigDocument, identity: Identity) -> Selection:
    """What belongs to the store of an identity; every fault is in the result of the resource that has it."""
    readings = read_objects(document.manifests)
    selection = Selection()
    selection.present = any((each.kind, each.namespace, each.name) == ("Store", *identity) for each in readings)
    for reading in readings:
        faults = [FieldViolation(fault.field, fault.description) for fault in reading.violations]
        if not faults:
            faults = _taken(reading, identity, selection)
        if reading.kind == "StoreQueue" and faults:
            selection.faulty.add(reading.uid)
        selection.results.append(result_of(reading, faults))
    return selection


def _taken(reading: Reading, identity: Identity, selection: Selection) -> list[FieldViolation]:
    """Take a sound resource into the selection; what of it cannot be used here."""
    resource = reading.resource
    if isinstance(resource, Store) and (resource.metadata.namespace, resource.metadata.name) == identity:
        selection.store = resource
    if isinstance(resource, StoreQueue) and (resource.metadata.namespace, resource.spec.store_ref.name) == identity:
        if problem := unknown_implementation(resource, implementations()):
            return [problem]
        selection.queues.append(queue_spec(resource))
    return []


def implementations() -> list[str]:
    """Names of what can keep the messages of a queue."""
    return sorted(entry_points(group=GROUP).names)


def unknown_implementation(queue: StoreQueue, known: Sequence[str]) -> FieldViolation | None:
    """What is wrong with the implementation that a queue asks for."""
    name = queue.spec.implementation
    if name in known:
        return None
    return FieldViolation(
        "spec.implementation",
        f"{name} is not installed here: it is the name of an entry point in the group {GROUP}, and there are "
        f"{', '.join(known)}",
    )


def queue_spec(queue: StoreQueue) -> QueueSpec:
    """What a queue process has to know of a resource."""
    wanted = queue.spec
    return QueueSpec(
        name=queue.metadata.name,
        uid=queue.metadata.uid,
        durable=wanted.durable,
        bindings=tuple(wanted.bindings) or (queue.metadata.name,),
        ttl_ms=None if wanted.ttl is None else round(wanted.ttl.total_seconds() * 1000),
        expires_ms=None if wanted.expires is None else round(wanted.expires.total_seconds() * 1000),
        max_length=wanted.max_length,
        max_octets=wanted.max_length_bytes,
        overflow=_OVERFLOWS[wanted.overflow],
        count_unacked=wanted.count_unacknowledged,
        max_priority=wanted.max_priority,
        dead_letter_address=wanted.dead_letter.address if wanted.dead_letter else "",
        delivery_limit=wanted.delivery_limit or 0,
        single_active_consumer=wanted.single_active_consumer,
        implementation=wanted.implementation,
    )


def kept(before: Iterable[QueueSpec], selection: Selection) -> list[QueueSpec]:
    """The queues that are to be there: those of the selection, and of those in force the ones with faults now."""
    return [*selection.queues, *(queue for queue in before if queue.uid in selection.faulty)]
