"""What one outfeed reads out of a configuration document: itself, its Spill, and its peers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from forebay.api import Reading, complete, read_objects
from forebay.api.v1alpha1 import Outfeed, Peerfeed, Spill, SpillSpec, TlsMode
from forebay.outfeed.peering.peeroptions import PeerOptions, Place, options
from forebay.outfeed.sending.login import Login, argument_problem
from forebay.outfeed.sending.peertls import TlsSettings, context_of
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import FieldError, FieldViolation
from forebay.runtime.readings import result_of
from forebay.runtime.revisions import ResourceResult
from forebay.spill.resource import ManagedUrl, is_used, url_of

Identity = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True)
class Surroundings:
    """What a configuration does not say."""

    managed_url: ManagedUrl | None
    """Where the server of a managed Spill listens; None where no servers are run."""
    target_host: Callable[[Outfeed], str]
    """Where another Outfeed can be reached."""
    nntp_address: str = "127.0.0.1"
    """Where NNTP is served when an Outfeed names no address."""


@dataclass
class Selection:
    """What was found for one outfeed."""

    present: bool = False
    """The document is about this outfeed at all."""
    outfeed: Outfeed | None = None
    """None when it has a fault."""
    spill: SpillSpec | None = None
    url: str = field(default="", repr=False)
    """Of its Redis; empty when that cannot be told."""
    peers: list[PeerOptions] = field(default_factory=list)
    faulty: set[str] = field(default_factory=set)
    """Identities of peers whose resources have faults: what is in force of them stays so."""
    results: list[ResourceResult] = field(default_factory=list)

    def not_running(self) -> list[ResourceResult]:
        """The results when nothing runs yet, for the outfeed or its Spill has a fault: nothing of ours is in effect."""
        peers = {peer.uid for peer in self.peers}
        return [self._not_running(result, result.uid in peers) for result in self.results]

    def _not_running(self, result: ResourceResult, is_peer: bool) -> ResourceResult:
        if is_peer:
            problem = "the Outfeed does not run yet: see what is wrong with it"
            return result.but(FieldViolation("spec.outfeedRef.name", problem))
        if self.outfeed and result.identity == self.outfeed.identity:
            problem = "the Spill cannot be used, so nothing runs yet: see what is wrong with it"
            return result.but(FieldViolation("spec.spillRef.name", problem))
        return result


class Selector:
    """Selects what belongs to the outfeed of one identity."""

    def __init__(self, identity: Identity, surroundings: Surroundings) -> None:
        self._identity = identity
        self._surroundings = surroundings
        self._last: Outfeed | None = None
        """The last sound one, which stays in force while a later one has a fault."""

    def select(self, document: ConfigDocument) -> Selection:
        """Read a document; every fault is in the result of the resource that has it."""
        readings = read_objects(document.manifests)
        faults: dict[int, list[FieldViolation]] = {}
        selection = Selection()
        wanted = "Outfeed", *self._identity
        selection.present = any((reading.kind, reading.namespace, reading.name) == wanted for reading in readings)
        self._excuse_others(readings)
        selection.outfeed = next(
            (outfeed for outfeed in _sound_outfeeds(readings) if _identity(outfeed) == self._identity), None
        )
        self._last = selection.outfeed or self._last
        for number, reading in enumerate(readings):
            faults[number] = [FieldViolation(fault.field, fault.description) for fault in reading.violations]
            if not reading.violations:
                faults[number] += self._taken(reading, readings, document, selection)
            if reading.kind == "Peerfeed" and faults[number]:
                selection.faulty.add(reading.uid)
        selection.results = [result_of(reading, faults[number]) for number, reading in enumerate(readings)]
        return selection

    def _excuse_others(self, readings: Iterable[Reading]) -> None:
        """What another Outfeed lacks around it, as a Spill that we need not know, is told by its own service."""
        for reading in readings:
            if isinstance(reading.resource, Outfeed) and _identity(reading.resource) != self._identity:
                reading.violations.clear()

    def _taken(
        self, reading: Reading, readings: Sequence[Reading], document: ConfigDocument, selection: Selection
    ) -> list[FieldViolation]:
        """Take a sound resource into the selection; what of it cannot be used here."""
        resource = reading.resource
        try:
            if isinstance(resource, Spill) and is_used(resource, selection.outfeed):
                selection.spill = resource.spec
                selection.url = url_of(resource, document, self._surroundings.managed_url)
            if isinstance(resource, Peerfeed) and _parent(resource) == self._identity:
                selection.peers.append(self._options(resource, readings, document))
        except FieldError as error:
            return [error.violation]
        return []

    def _options(self, given: Peerfeed, readings: Sequence[Reading], document: ConfigDocument) -> PeerOptions:
        peerfeed, wrong = complete(given, self._last) if self._last else (given, [])
        if wrong:
            raise FieldError(wrong[0].field, wrong[0].description)
        place = self._place(peerfeed, readings)
        login, tls = _login(peerfeed, document), _tls(peerfeed, document)
        try:
            return options(peerfeed, place, login, tls)
        except ValueError as error:
            raise FieldError("spec.hours.zone", str(error)) from error

    def _place(self, peerfeed: Peerfeed, readings: Sequence[Reading]) -> Place | None:
        if peerfeed.spec.target is None:
            return None
        name = peerfeed.spec.target.name
        wanted = peerfeed.metadata.namespace, name
        found = next((outfeed for outfeed in _sound_outfeeds(readings) if _identity(outfeed) == wanted), None)
        if found is None or found.spec.listeners.nntp is None:
            raise FieldError("spec.target", f"the Outfeed {name} has no NNTP listener: give it spec.listeners.nntp")
        return self._surroundings.target_host(found), found.spec.listeners.nntp.port


def _login(peerfeed: Peerfeed, document: ConfigDocument) -> Login | None:
    auth = peerfeed.spec.auth
    if auth is None:
        return None
    source = "spec.auth.passwordFrom.secretRef"
    reference = auth.password_from.secret_ref
    password = document.referenced(peerfeed.metadata.namespace, reference.name, reference.key, source)
    for where, text in (("spec.auth.username", auth.username), (source, password.reveal())):
        if problem := argument_problem(text):
            raise FieldError(where, f"the value {problem}")
    return Login(auth.username, password)


def _tls(peerfeed: Peerfeed, document: ConfigDocument) -> TlsSettings | None:
    tls = peerfeed.spec.tls
    if tls is None:
        return None
    source, authorities = "spec.tls.authoritiesFrom.secretRef", ""
    if tls.authorities_from:
        reference = tls.authorities_from.secret_ref
        namespace = peerfeed.metadata.namespace
        authorities = document.referenced(namespace, reference.name, reference.key, source).reveal()
    settings = TlsSettings(tls.mode is TlsMode.STARTTLS, tls.server_name or "", authorities, tls.verify)
    try:
        context_of(settings)
    except ValueError as error:
        raise FieldError(source, f"the value {error}") from error
    return settings


def _sound_outfeeds(readings: Iterable[Reading]) -> list[Outfeed]:
    return [
        reading.resource for reading in readings if isinstance(reading.resource, Outfeed) and not reading.violations
    ]


def _identity(resource: Outfeed | Spill) -> Identity:
    return resource.metadata.namespace, resource.metadata.name


def _parent(peerfeed: Peerfeed) -> Identity:
    return peerfeed.metadata.namespace, peerfeed.spec.outfeed_ref.name
