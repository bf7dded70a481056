"""What there is of Forebay in a cluster."""

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.api import read_objects
from forebay.api.v1alpha1 import Outfeed
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
    "Compaction": ("compactions", "cpt"),
}
"""Plural and short name by kind."""
PLURALS = {kind: f"{plural}.{GROUP}" for kind, (plural, _) in KINDS.items()}


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


def the_outfeed(kubectl: Kubectl, name: str) -> Outfeed:
    """An Outfeed by its name, as its service reads it. Raises `KubectlError`, or `InputError` when there is none."""
    found = [Resource(body) for body in kubectl.items(PLURALS["Outfeed"])]
    for each in found:
        if each.name == name:
            return as_outfeed(each)
    raise missing("Outfeed", name, [each.name for each in found])


def as_outfeed(found: Resource) -> Outfeed:
    """The model of an Outfeed, every default filled in. Raises `KubectlError` when this version cannot read it."""
    reading = read_objects([found.body])[0]
    if not isinstance(reading.resource, Outfeed):
        problem = reading.violations[0] if reading.violations else "it cannot be read"
        raise KubectlError(f"{found.title}: {problem}", "Is this command as new as the operator?")
    return reading.resource


def missing(kind: str, name: str, known: Sequence[str]) -> InputError:
    """The error that tells of a name that is not there, with those that are."""
    if not known:
        return InputError(f"there is no {kind} {name}: the namespace has none", "Is another meant? Name it by -n.")
    return InputError(f"there is no {kind} {name}", likely(name, sorted(known)))


def likely(word: str, known: Sequence[str]) -> str:
    """The remedy for a word that is not known, as a sentence."""
    remedy = suggestion(word, known)
    return f"{remedy[0].upper()}{remedy[1:]}"
