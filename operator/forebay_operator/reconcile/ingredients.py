"""What an Outfeed is made of: its Spill, its Peerfeeds, the Outfeeds that they target, and Secrets."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forebay.api.v1alpha1 import Outfeed
from forebay_operator.body import Body, identity_of
from forebay_operator.conditions.wording import violations_text
from forebay_operator.configuration import Composition, compose, secrets_of
from forebay_operator.errors import MissingError, ReconcileError
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import OUTFEED, SPILL
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.freezing import Manifests, frozen, frozen_children
from forebay_operator.reconcile.relations import name_of, referred
from forebay_operator.reconcile.world import World


@dataclass(frozen=True)
class OutfeedIngredients:
    """The bodies that an Outfeed's configuration is composed of."""

    outfeed: Body
    spill: Body
    peerfeeds: Sequence[Body]
    targets: Sequence[Body]
    secrets: Mapping[str, Mapping[str, str]] = field(repr=False)

    def composition(self) -> Composition:
        """The configuration. Raises `ReconcileError` where it can't be stored, or nothing could be applied of it."""
        composition = check_size(compose(self.outfeed, self.spill, self.peerfeeds, self.targets, self.secrets))
        check_secret(composition, self.spill)
        return composition


def check_secret(composition: Composition, spill: Body) -> None:
    """Raise `MissingError` where the URL of the Spill is missing in its Secret: nothing could be applied."""
    if faults := composition.faults.get(identity_of(spill)):
        raise MissingError("SecretMissing", f"Spill {name_of(spill)}: {violations_text(faults)}")


def check_size(composition: Composition) -> Composition:
    """The configuration. Raises `ReconcileError` where it is too large to be stored."""
    if composition.problem:
        raise ReconcileError("ConfigurationTooLarge", composition.problem)
    return composition


def spill_url(composition: Composition) -> str:
    """The URL of the Spill in a sound composition, with its password if it has one."""
    spill = next(manifest for manifest in composition.manifests if manifest["kind"] == SPILL.kind)
    if "url" in spill["spec"]:
        return str(spill["spec"]["url"])
    reference = spill["spec"]["urlFrom"]["secretRef"]
    return composition.secrets[f"{spill['metadata']['namespace']}/{reference['name']}"][reference["key"]].reveal()


async def children_of(world: World, key: Key, kind: Kind, field: str) -> list[Body]:
    """The children of a service, which may be missing itself, by their kind and the field that names the service.

    They come from one consistent list: a service drops what it keeps for a child that its configuration lacks. For the
    same reason one that does not tell whose it is, as another version's may, raises `ReconcileError`.
    """
    children = await world.kube.list_all(kind, key.namespace)
    for child in children:
        if not referred(child, field):
            raise ReconcileError("Invalid", f"{kind.kind} {name_of(child)} has no spec.{field}.name: mend or delete it")
    return [child for child in children if referred(child, field) == key.name]


def needs_of(key: Key, outfeed: Outfeed, children: Sequence[Body]) -> list[Key]:
    """The resources whose changes concern an Outfeed."""
    return [
        Key("Spill", key.namespace, outfeed.spec.spill_ref.name),
        *(Key("Outfeed", key.namespace, name) for name in targets_of(children)),
        *(Key("Peerfeed", key.namespace, name_of(child)) for child in children),
    ]


async def gather(
    world: World, key: Key, body: Body, children: Sequence[Body], stored: Manifests, depth: Depth
) -> OutfeedIngredients:
    """Read what an Outfeed is made of beside its children. What of it is paused is as it is in what is stored.

    Raises `MissingError` while no Spill is ready to be used.
    """
    spill = frozen(await usable_spill(world, key, referred(body, "spillRef"), body["metadata"]["uid"]), stored)
    peerfeeds = frozen_children(children, stored)
    names = targets_of(peerfeeds)
    outfeeds = await world.kube.list_all(OUTFEED, key.namespace) if names else []
    targets = [frozen(each, stored) for each in outfeeds if name_of(each) in names]
    # Beside the loop: to read thousands of resources takes a while.
    wanted = await asyncio.to_thread(secrets_of, [body, spill, *peerfeeds])
    return OutfeedIngredients(body, spill, peerfeeds, targets, await world.secrets.texts(key, wanted, depth))


def targets_of(children: Sequence[Body]) -> set[str]:
    """The names of the Outfeeds that Peerfeeds target."""
    return {referred(child, "target") for child in children} - {""}


async def optional_spill(world: World, key: Key, body: Body, stored: Manifests) -> Body | None:
    """The Spill of a service that may name one, as `usable_spill` has it; None where it names none."""
    name = referred(body, "spillRef")
    return frozen(await usable_spill(world, key, name, body["metadata"]["uid"]), stored) if name else None


async def usable_spill(world: World, key: Key, name: str, uid: str) -> Body:
    """The Spill of a service, once it knows that the service uses it: what is left on it is cleaned up then."""
    spill = await world.kube.find(SPILL, key.namespace, name)
    if spill is None:
        raise MissingError("SpillMissing", f"there is no Spill {name}; apply one, or correct spec.spillRef.name")
    recorded = {service["uid"] for service in spill.get("status", {}).get("services", [])}
    if uid not in recorded:
        world.put(Key("Spill", key.namespace, name))
        raise MissingError("SpillNotReady", f"Spill {name} is being prepared; kubectl describe spill {name} tells more")
    return spill
