"""What an Announcer is made of: its Forwarders, and its Spill with the Secret of that, if it names one."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forebay.api.v1alpha1 import Announcer
from forebay_operator.body import Body
from forebay_operator.configuration import Composition, compose_announcer, secrets_of
from forebay_operator.kube.kinds import FORWARDER, SPILL
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.freezing import Manifests, frozen_children
from forebay_operator.reconcile.ingredients import check_secret, check_size, optional_spill, spill_url
from forebay_operator.reconcile.relations import name_of
from forebay_operator.reconcile.world import World
from forebay_operator.resources import announcer_objects, server_digest


@dataclass(frozen=True)
class AnnouncerIngredients:
    """The bodies that an Announcer's configuration is composed of."""

    announcer: Body
    spill: Body | None
    forwarders: Sequence[Body]
    secrets: Mapping[str, Mapping[str, str]] = field(repr=False)

    def composition(self) -> Composition:
        """The configuration. Raises `ReconcileError` where it can't be stored, or nothing could be applied of it."""
        composition = check_size(compose_announcer(self.announcer, self.spill, self.forwarders, self.secrets))
        if self.spill:
            check_secret(composition, self.spill)
        return composition


async def gather_announcer(
    world: World, key: Key, body: Body, children: Sequence[Body], stored: Manifests, depth: Depth
) -> AnnouncerIngredients:
    """Read the Spill. Raises `MissingError` while it names one that is not ready to be used."""
    spill, forwarders = await optional_spill(world, key, body, stored), frozen_children(children, stored)
    if spill is None:
        return AnnouncerIngredients(body, None, forwarders, {})
    wanted = await asyncio.to_thread(secrets_of, [body, spill, *forwarders])
    return AnnouncerIngredients(body, spill, forwarders, await world.secrets.texts(key, wanted, depth))


def needs_of_announcer(key: Key, announcer: Announcer, children: Sequence[Body]) -> list[Key]:
    """Its Spill and its Forwarders."""
    spill, namespace = announcer.spec.spill_ref, key.namespace
    own = [Key(SPILL.kind, namespace, spill.name)] if spill else []
    return own + [Key(FORWARDER.kind, namespace, name_of(child)) for child in children]


def objects_of_announcer(announcer: Announcer, composition: Composition, world: World) -> list[Body]:
    """They depend on which server its Spill is."""
    spill = server_digest(spill_url(composition)) if announcer.spec.spill_ref else ""
    return announcer_objects(announcer, spill, world.settings, monitoring=world.monitoring)
