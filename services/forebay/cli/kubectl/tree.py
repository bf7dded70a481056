"""The resources of a cluster as trees, each with the pods that run it: Outfeeds with their Peerfeeds, and so on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from forebay.cli.errors import InputError
from forebay.cli.kubectl.cluster import KINDS, Inventory, kind_of, missing
from forebay.cli.kubectl.objects import Pod, Resource

CHILDREN = ("Peerfeed", "StoreQueue", "Forwarder", "RouterLink", "Compaction")
"""Kinds that belong to another."""
T = TypeVar("T", Pod, Resource)


@dataclass(frozen=True)
class Branch:
    """A resource, its pods, and the resources that belong to it."""

    resource: Resource
    pods: Sequence[Pod] = ()
    children: Sequence["Branch"] = ()

    def walk(self) -> Iterator["Branch"]:
        """This branch and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    @classmethod
    def of(cls, resource: Resource, inventory: Inventory) -> Self:
        """The branch that begins with a resource."""
        place = resource.namespace, resource.kind, resource.name
        pods = [pod for pod in inventory.pods if (pod.namespace, *pod.owner) == place]
        # What belongs to another has nothing of its own: nobody need look through all for each of many peers.
        children = [] if resource.kind in CHILDREN else _belonging(inventory, place)
        return cls(resource, _by_name(pods), [cls.of(child, inventory) for child in children])


def trees(inventory: Inventory) -> list[Branch]:
    """All resources: by namespace the Spills, the services, and what belongs to one that is not there."""
    places = {(each.namespace, each.kind, each.name) for each in inventory.resources}
    roots = [
        each
        for kind in KINDS
        for each in _by_name(inventory.of(kind))
        if kind not in CHILDREN or (each.namespace, *each.parent) not in places
    ]
    return [Branch.of(root, inventory) for root in sorted(roots, key=lambda root: root.namespace)]


def tree_of(inventory: Inventory, text: str) -> list[Branch]:
    """The trees that begin with `KIND/NAME`. Raises `InputError` when there is no such resource."""
    word, slash, name = text.partition("/")
    if not slash or not name:
        raise InputError(f"{text} is no resource", "Give KIND/NAME, as outfeed/hub.")
    kind = kind_of(word)
    found = [each for each in inventory.of(kind) if each.name == name]
    if not found:
        raise missing(kind, name, [each.name for each in inventory.of(kind)])
    return [Branch.of(each, inventory) for each in found]


def _belonging(inventory: Inventory, place: tuple[str, str, str]) -> list[Resource]:
    """What belongs to the resource of that namespace, kind and name: kind by kind, each by name."""
    found = [each for each in inventory.resources if (each.namespace, *each.parent) == place]
    return sorted(found, key=lambda each: (CHILDREN.index(each.kind), each.name))


def _by_name(objects: Sequence[T]) -> list[T]:
    return sorted(objects, key=lambda each: each.name)
