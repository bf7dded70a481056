"""What one outfeed reads out of a configuration document: itself, its Spill, and its peers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from forebay.api import Reading, read_objects
from forebay.api.v1alpha1 import Outfeed, Peerfeed, Spill, SpillSpec
from forebay.outfeed.peering.peeroptions import PeerOptions, Place, options
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import FieldViolation
from forebay.runtime.revisions import ResourceResult
from forebay.runtime.secret import Secret

Identity = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True)
class Surroundings:
    """What a configuration does not say."""

    managed_url: Callable[[Spill], str]
    """Where the server of a managed Spill listens."""
    target_host: Callable[[Outfeed], str]
    """Where another Outfeed can be reached."""


@dataclass
class Selection:
    """What was found for one outfeed. Nothing can be applied while `outfeed` or `url` is missing."""

    outfeed: Outfeed | None = None
    spill: SpillSpec | None = None
    url: str = field(default="", repr=False)
    peers: list[PeerOptions] = field(default_factory=list)
    faulty: set[str] = field(default_factory=set)
    """Identities of peers whose resources have faults: what is in force of them stays so."""
    results: list[ResourceResult] = field(default_factory=list)


class Selector:
    """Selects what belongs to the outfeed of one identity."""

    def __init__(self, identity: Identity, surroundings: Surroundings) -> None:
        self._identity = identity
        self._surroundings = surroundings

    def select(self, document: ConfigDocument) -> Selection:
        """Read a document; every fault is in the result of the resource that has it."""
        readings = read_objects(document.manifests)
        faults: dict[int, list[FieldViolation]] = {}
        selection = Selection()
        selection.outfeed = next(
            (outfeed for outfeed in _sound(readings, Outfeed) if _identity(outfeed) == self._identity), None
        )
        for number, reading in enumerate(readings):
            faults[number] = [FieldViolation(fault.field, fault.description) for fault in reading.violations]
            if not reading.violations:
                faults[number] += self._take(reading, readings, document, selection)
            if reading.kind == "Peerfeed" and faults[number]:
                selection.faulty.add(reading.uid)
        selection.results = [_result(reading, faults[number]) for number, reading in enumerate(readings)]
        return selection

    def _take(
        self, reading: Reading, readings: Sequence[Reading], document: ConfigDocument, selection: Selection
    ) -> list[FieldViolation]:
        resource = reading.resource
        if isinstance(resource, Spill) and self._is_ours(resource, selection.outfeed):
            return self._take_spill(resource, document, selection)
        if isinstance(resource, Peerfeed) and _parent(resource) == self._identity:
            return self._take_peer(resource, readings, selection)
        return []

    def _is_ours(self, spill: Spill, outfeed: Outfeed | None) -> bool:
        return outfeed is not None and _identity(spill) == (self._identity[0], outfeed.spec.spill_ref.name)

    def _take_spill(self, spill: Spill, document: ConfigDocument, selection: Selection) -> list[FieldViolation]:
        selection.spill = spec = spill.spec
        if spec.managed:
            selection.url = self._surroundings.managed_url(spill)
        elif spec.url_from:
            reference = spec.url_from.secret_ref
            secret = document.secrets.get(f"{spill.metadata.namespace}/{reference.name}", {}).get(reference.key)
            if secret is None:
                problem = f"there is no key {reference.key} in a Secret {reference.name}: add it"
                return [FieldViolation("spec.urlFrom.secretRef", problem)]
            selection.url = Secret.reveal(secret)
        else:
            selection.url = spec.url or ""
        return []

    def _take_peer(self, peerfeed: Peerfeed, readings: Sequence[Reading], selection: Selection) -> list[FieldViolation]:
        target: Place | None = None
        if peerfeed.spec.target:
            name = peerfeed.spec.target.name
            wanted = peerfeed.metadata.namespace, name
            found = next((outfeed for outfeed in _sound(readings, Outfeed) if _identity(outfeed) == wanted), None)
            if found is None or found.spec.listeners.nntp is None:
                problem = f"the Outfeed {name} has no NNTP listener: give it spec.listeners.nntp"
                return [FieldViolation("spec.target", problem)]
            target = self._surroundings.target_host(found), found.spec.listeners.nntp.port
        selection.peers.append(options(peerfeed, target))
        return []


def _sound(readings: Iterable[Reading], kind: type[Outfeed]) -> list[Outfeed]:
    return [reading.resource for reading in readings if isinstance(reading.resource, kind) and not reading.violations]


def _identity(resource: Outfeed | Spill) -> Identity:
    return resource.metadata.namespace, resource.metadata.name


def _parent(peerfeed: Peerfeed) -> Identity:
    return peerfeed.metadata.namespace, peerfeed.spec.outfeed_ref.name


def _result(reading: Reading, faults: Sequence[FieldViolation]) -> ResourceResult:
    return ResourceResult(
        kind=reading.kind,
        namespace=reading.namespace,
        name=reading.name,
        uid=reading.uid,
        generation=reading.generation,
        violations=tuple(faults),
        warnings=tuple(reading.warnings),
    )
