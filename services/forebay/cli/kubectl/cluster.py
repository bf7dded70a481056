"""What there is of Forebay in a cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from forebay.api import read_objects
from forebay.api.v1alpha1 import Announcer, ConduitNode, Outfeed, Router, Service, Store
from forebay.api.violations import suggestion
from forebay.cli.errors import InputError
from forebay.cli.kubectl.errors import KubectlError
from forebay.cli.kubectl.objects import MANAGED, Pod, Resource
from forebay.cli.kubectl.program import Kubectl

GROUP = "forebay.dev"
KINDS = {
    "Spill": ("spills", "spl"),
    "Outfeed": ("outfeeds", "of"),
    "Peerfeed": ("peerfeeds", "pf"),
    "Store": ("stores", "st"),
    "StoreQueue": ("storequeues", "sq"),
    "Announcer": ("announcers", "an"),
    "Forwarder": ("forwarders", "fw"),
    "Router": ("routers", "rt"),
    "RouterLink": ("routerlinks", "rl"),
    "ConduitNode": ("conduitnodes", "cn"),
    "Compaction": ("compactions", "cpt"),
}
"""Plural and short name by kind."""
PLURALS = {kind: f"{plural}.{GROUP}" for kind, (plural, _) in KINDS.items()}
SERVICES: dict[str, type[Service]] = {
    "Outfeed": Outfeed,
    "Store": Store,
    "Announcer": Announcer,
    "Router": Router,
    "ConduitNode": ConduitNode,
}
"""Models of the kinds that run services."""
S = TypeVar("S", bound=Service)


@dataclass(frozen=True)
class Inventory:
    """All resources, and the pods that the operator made for them."""

    resources: Sequence[Resource]
    pods: Sequence[Pod] = ()

    def of(self, kind: str) -> list[Resource]:
        """The resources of a kind."""
        return [each for each in self.resources if each.kind == kind]


def inventory(kubectl: Kubectl) -> Inventory:
    """Look at everything. Raises `KubectlError`."""
    resources = [Resource(body) for body in kubectl.items(",".join(PLURALS.values()))]
    pods = [Pod(body) for body in kubectl.items("pods", f"--selector={MANAGED}")]
    return Inventory(resources, pods)


def the_service(kubectl: Kubectl, text: str) -> Service:
    """The Outfeed of a name, or the service that `KIND/NAME` means, as it reads itself.

    Raises `KubectlError`, or `InputError` when there is none.
    """
    word, _, name = text.rpartition("/")
    kind = kind_of(word) if word else "Outfeed"
    if kind not in SERVICES:
        raise InputError(f"{text}: {kind} is no kind of service", f"Give one of {', '.join(SERVICES)}, as store/main.")
    return service_of(kubectl, SERVICES[kind], name)


def service_of(kubectl: Kubectl, model: type[S], name: str) -> S:
    """A service by its kind and name, as it reads itself. Raises `KubectlError`, or `InputError` when there is none."""
    kind = model.__name__
    found = [Resource(body) for body in kubectl.items(PLURALS[kind])]
    for each in found:
        if each.name == name:
            return as_model(model, each)
    raise missing(kind, name, [each.name for each in found])


def as_model(model: type[S], found: Resource) -> S:
    """The model of a resource, every default filled in. Raises `KubectlError` when this version cannot read it."""
    reading = read_objects([found.body])[0]
    if not isinstance(reading.resource, model):
        problem = reading.violations[0] if reading.violations else "it cannot be read"
        raise KubectlError(f"{found.title}: {problem}", "Is this command as new as the operator?")
    return reading.resource


def kind_of(word: str) -> str:
    """The kind that a word stands for as kubectl takes it: its name, plural or short name. Raises `InputError`."""
    words = {form: kind for kind, forms in KINDS.items() for form in (kind.lower(), *forms)}
    plain = word.lower().partition(".")[0]
    if plain not in words:
        raise InputError(f"{word} is no kind of Forebay", likely(plain, [*words]))
    return words[plain]


def missing(kind: str, name: str, known: Sequence[str]) -> InputError:
    """The error that tells of a name that is not there, with those that are."""
    if not known:
        return InputError(f"there is no {kind} {name}: the namespace has none", "Is another meant? Name it by -n.")
    return InputError(f"there is no {kind} {name}", likely(name, sorted(known)))


def likely(word: str, known: Sequence[str]) -> str:
    """The remedy for a word that is not known, as a sentence."""
    remedy = suggestion(word, known)
    return f"{remedy[0].upper()}{remedy[1:]}"
