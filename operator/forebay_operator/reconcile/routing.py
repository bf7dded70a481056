"""What a Router is made of: its RouterLinks, its Spill if it names one, and Secrets."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forebay.api.v1alpha1 import Router
from forebay_operator.body import Body
from forebay_operator.configuration import Composition, compose_router, secrets_of
from forebay_operator.kube.kinds import ROUTER_LINK, SPILL
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.freezing import Manifests, frozen_children
from forebay_operator.reconcile.ingredients import check_secret, check_size, optional_spill, spill_url
from forebay_operator.reconcile.relations import name_of
from forebay_operator.reconcile.world import World
from forebay_operator.resources import router_objects, server_digest


@dataclass(frozen=True)
class RouterIngredients:
    """The bodies that a Router's configuration is composed of."""

    router: Body
    spill: Body | None
    links: Sequence[Body]
    secrets: Mapping[str, Mapping[str, str]] = field(repr=False)

    def composition(self) -> Composition:
        """The configuration. Raises `ReconcileError` where it can't be stored, or its Spill could not be used.

        Without the key of links over UDP it is in force all the same: routers say what they lack, and do the rest.
        """
        composition = check_size(compose_router(self.router, self.spill, self.links, self.secrets))
        if self.spill:
            check_secret(composition, self.spill)
        return composition


async def gather_router(
    world: World, key: Key, body: Body, children: Sequence[Body], stored: Manifests, depth: Depth
) -> RouterIngredients:
    """Read the Spill and the Secrets. Raises `MissingError` while it names a Spill that is not ready to be used."""
    spill, links = await optional_spill(world, key, body, stored), frozen_children(children, stored)
    named = [each for each in (body, spill, *links) if each]
    wanted = await asyncio.to_thread(secrets_of, named)
    return RouterIngredients(body, spill, links, await world.secrets.texts(key, wanted, depth))


def needs_of_router(key: Key, router: Router, children: Sequence[Body]) -> list[Key]:
    """Its Spill and its RouterLinks."""
    spill, namespace = router.spec.spill_ref, key.namespace
    own = [Key(SPILL.kind, namespace, spill.name)] if spill else []
    return own + [Key(ROUTER_LINK.kind, namespace, name_of(child)) for child in children]


def objects_of_router(router: Router, composition: Composition, world: World) -> list[Body]:
    """They depend on which server its Spill is."""
    spill = server_digest(spill_url(composition)) if router.spec.spill_ref else ""
    return router_objects(router, spill, world.settings, monitoring=world.monitoring)
