"""A service's configuration as one document."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from forebay.api import Violation
from forebay.runtime import ConfigDocument, InvalidArgumentError, Secret
from forebay.runtime.document import encode, inflated, parsed
from forebay_operator.body import Body, Identity, identity_of
from forebay_operator.configuration.managed import as_given
from forebay_operator.configuration.secrets import references_in, title

Texts = Mapping[str, Mapping[str, str]]
"""Values by `namespace/name` of a Secret, then by key."""

LARGEST = 1024 * 1024 - 1024
"""Octets of a document: Kubernetes allows 1 MiB for all values of a Secret, and the revision is one of them."""
FAMILIES = (("Outfeed", "Peerfeed"), ("Store", "StoreQueue"), ("Announcer", "Forwarder"), ("Router", "RouterLink"))
"""The kinds of services, each with the kind of what belongs to it."""
METADATA = ("name", "namespace", "uid", "generation")
"""What services look at. Labels and annotations would only make new revisions."""


@dataclass(frozen=True)
class Composition:
    """What a service is to have, without a revision."""

    manifests: tuple[Body, ...]
    """Spill, Outfeed, the Outfeeds that peers target, Peerfeeds; or Store, StoreQueues; or Spill, Announcer,
    Forwarders; or Spill, Router, RouterLinks; or Spill, ConduitNode; each group by name."""
    secrets: Mapping[str, Mapping[str, Secret]]
    """Of each Secret, by `namespace/name`, the keys that are referred to, as far as they are there."""
    faults: Mapping[Identity, tuple[Violation, ...]]
    """What is missing in Secrets, by the resource that refers to it."""
    document: bytes = field(repr=False)
    """The encoded document."""
    digest: str
    """SHA-256 of the content, whatever the order of keys in the manifests: hexadecimal."""

    @property
    def problem(self) -> str:
        """Why it can't be stored, with the remedy; empty when it can."""
        if len(self.document) <= LARGEST:
            return ""
        size = f"the configuration has {len(self.document):,} octets compressed"
        limit = f"and a Secret holds {LARGEST:,}"
        if self._has("ConduitNode"):
            return f"{size}, {limit}: shorten its lists, as spec.resources"
        parent, child = next(pair for pair in FAMILIES if self._has(pair[0]))
        return f"{size}, with {self._has(child):,} {child}s, {limit}: divide the {child}s among several {parent}s"

    def _has(self, kind: str) -> int:
        return sum(manifest.get("kind") == kind for manifest in self.manifests)

    def at(self, revision: int) -> ConfigDocument:
        """The document under a revision."""
        return ConfigDocument(revision, self.manifests, self.secrets)

    def is_in(self, stored: bytes) -> bool:
        """Whether a stored document has the same content; False also when it can't be read."""
        try:
            return digest_of(stored) == self.digest
        except InvalidArgumentError:
            return False


def compose(
    outfeed: Body, spill: Body | None, peerfeeds: Iterable[Body], targets: Iterable[Body], secrets: Texts
) -> Composition:
    """The configuration of an Outfeed.

    `secrets` holds what `secrets_of` the same resources tells, as far as it is there. A resource with faults, or whose
    Secret is missing, stays in: its service keeps what was in force of it, and would drop what is left out, backlog
    and all.
    """
    spills = [as_given(spill)] if spill else []
    return composed([*spills, outfeed, *sorted(targets, key=identity_of), *sorted(peerfeeds, key=identity_of)], secrets)


def compose_store(store: Body, queues: Iterable[Body]) -> Composition:
    """The configuration of a Store. A StoreQueue with faults stays in, as above: its messages would be dropped."""
    return composed([store, *sorted(queues, key=identity_of)], {})


def compose_announcer(announcer: Body, spill: Body | None, forwarders: Iterable[Body], secrets: Texts) -> Composition:
    """The configuration of an Announcer, with the Spill that it names, if any.

    `secrets` are as above. A Forwarder with faults stays in: what waits for it would be dropped.
    """
    spills = [as_given(spill)] if spill else []
    return composed([*spills, announcer, *sorted(forwarders, key=identity_of)], secrets)


def compose_router(router: Body, spill: Body | None, links: Iterable[Body], secrets: Texts) -> Composition:
    """The configuration of a Router, with the Spill that it names, if any.

    `secrets` are as above. A RouterLink with faults stays in: what waits for it would be dropped.
    """
    spills = [as_given(spill)] if spill else []
    return composed([*spills, router, *sorted(links, key=identity_of)], secrets)


def compose_conduitnode(node: Body, spill: Body | None, secrets: Texts) -> Composition:
    """The configuration of a ConduitNode, with the Spill that it names, if any; `secrets` are as above."""
    return composed([*([as_given(spill)] if spill else []), node], secrets)


def composed(resources: Iterable[Body], secrets: Texts) -> Composition:
    """The configuration that has these resources in their order, each once."""
    bodies = list({identity_of(body): body for body in resources}.values())
    found, faults = _resolved(bodies, secrets)
    manifests = tuple(map(manifest_of, bodies))
    document = encode(ConfigDocument(1, manifests, found))
    return Composition(manifests, found, faults, document, digest_of(document))


def manifest_of(body: Body) -> Body:
    """What a service needs of a resource: who it is, and its spec."""
    metadata = {name: body["metadata"][name] for name in METADATA if name in body["metadata"]}
    return {"apiVersion": body["apiVersion"], "kind": body["kind"], "metadata": metadata, "spec": body.get("spec", {})}


def digest_of(document: bytes) -> str:
    """SHA-256 of what an encoded document holds. Raises `InvalidArgumentError` when it can't be read."""
    content = parsed(inflated(document))
    return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _resolved(
    bodies: Iterable[Body], secrets: Texts
) -> tuple[dict[str, dict[str, Secret]], dict[Identity, tuple[Violation, ...]]]:
    """The values that resources refer to, and what is missing of them."""
    found: dict[str, dict[str, Secret]] = {}
    faults: dict[Identity, tuple[Violation, ...]] = {}
    for body in bodies:
        for path, reference in references_in(body):
            value = secrets.get(title(body, reference), {}).get(reference.key)
            if value is None:
                problem = f"the Secret {reference.name} with a text under the key {reference.key} is missing: add it"
                faults[identity_of(body)] = (*faults.get(identity_of(body), ()), Violation(path, problem))
            else:
                found.setdefault(title(body, reference), {})[reference.key] = Secret(value)
    return found, faults
