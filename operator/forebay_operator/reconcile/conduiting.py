"""What a ConduitNode is made of: its Spill if it names one, and Secrets."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forebay.api.v1alpha1 import ConduitNode
from forebay_operator.body import Body
from forebay_operator.configuration import Composition, compose_conduitnode, secrets_of
from forebay_operator.kube.kinds import SPILL
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.freezing import Manifests
from forebay_operator.reconcile.ingredients import check_secret, check_size, optional_spill, spill_url
from forebay_operator.reconcile.world import World
from forebay_operator.resources import conduitnode_objects, server_digest


@dataclass(frozen=True)
class ConduitIngredients:
    """The bodies that a ConduitNode's configuration is composed of."""

    node: Body
    spill: Body | None
    secrets: Mapping[str, Mapping[str, str]] = field(repr=False)

    def composition(self) -> Composition:
        """The configuration. Raises `ReconcileError` where it can't be stored, or its Spill could not be used.

        Without its keys it is in force all the same: nodes say what they lack.
        """
        composition = check_size(compose_conduitnode(self.node, self.spill, self.secrets))
        if self.spill:
            check_secret(composition, self.spill)
        return composition


async def gather_conduitnode(
    world: World, key: Key, body: Body, _: Sequence[Body], stored: Manifests, depth: Depth
) -> ConduitIngredients:
    """Read the Spill and the Secrets. Raises `MissingError` while it names a Spill that is not ready to be used."""
    spill = await optional_spill(world, key, body, stored)
    wanted = await asyncio.to_thread(secrets_of, [each for each in (body, spill) if each])
    return ConduitIngredients(body, spill, await world.secrets.texts(key, wanted, depth))


def needs_of_conduitnode(key: Key, node: ConduitNode, _: Sequence[Body]) -> list[Key]:
    """Its Spill."""
    spill = node.spec.spill_ref
    return [Key(SPILL.kind, key.namespace, spill.name)] if spill else []


def objects_of_conduitnode(node: ConduitNode, composition: Composition, world: World) -> list[Body]:
    """They depend on which server its Spill is."""
    spill = server_digest(spill_url(composition)) if node.spec.spill_ref else ""
    return conduitnode_objects(node, spill, world.settings, monitoring=world.monitoring)
