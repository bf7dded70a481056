"""Paused resources: in a configuration they stay as they were when they were carried out last. Pure."""

from collections.abc import Callable, Iterable, Mapping

from forebay_operator.body import Body, Identity, identity_of
from forebay_operator.conditions import is_paused

Manifests = Callable[[], Mapping[Identity, Body]]
"""What is stored of a service's configuration, by identity."""


def frozen(resource: Body, stored: Manifests) -> Body:
    """A resource, or what is stored of it while it is paused; itself where nothing is, as after the Secret was lost."""
    if not is_paused(resource):
        return resource
    kept = stored().get(identity_of(resource))
    return kept if kept and kept["metadata"].get("uid") == resource["metadata"]["uid"] else resource


def frozen_children(children: Iterable[Body], stored: Manifests) -> list[Body]:
    """Peerfeeds or StoreQueues, without those that were paused before they were ever carried out.

    All others stay in whatever happens: a service drops what it keeps for one that its configuration lacks.
    """
    kept = ((child, frozen(child, stored)) for child in children)
    return [former for child, former in kept if former is not child or not is_untouched(child)]


def is_untouched(resource: Body) -> bool:
    """Whether a resource was paused from the start on: its status has no generation then."""
    return is_paused(resource) and "observedGeneration" not in resource.get("status", {})
