"""Outfeeds with their Peerfeeds: one pass brings about what differs, and tells in statuses what came of it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forebay.api import Violation
from forebay.api.v1alpha1 import Outfeed
from forebay_operator.body import Body, Identity, identity_of
from forebay_operator.conditions import Fault, Workload, is_paused, outfeed_status, paused_status, peerfeed_status
from forebay_operator.conditions.wording import violations_text
from forebay_operator.kube.kinds import OUTFEED
from forebay_operator.pods import PodClient, PodView
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.certifying import Certifying, service_of
from forebay_operator.reconcile.configuring import Configuring, Stored, views_of
from forebay_operator.reconcile.faults import TELLING, concluded, fault_of
from forebay_operator.reconcile.gate import check_allowed, is_ending, modelled
from forebay_operator.reconcile.ingredients import children_of, gather, needs_of, spill_url
from forebay_operator.reconcile.workloads import ensure_all, workload_of
from forebay_operator.reconcile.world import World
from forebay_operator.resources import ServiceNames, outfeed_leftovers, outfeed_objects, server_digest
from forebay_operator.workers import Outcome


@dataclass
class Scene:
    """An Outfeed as its last pass saw it."""

    outfeed: Body
    children: Sequence[Body] = ()
    workload: Workload = field(default_factory=Workload)
    clients: Sequence[PodClient] = ()
    views: Sequence[PodView] = ()
    revision: int = 0
    fault: Fault | None = None
    """What keeps the Outfeed from being brought about."""
    faults: Mapping[Identity, Fault] = field(default_factory=dict)
    """What single Peerfeeds lack."""


class OutfeedReconciler:
    """Reconciles Outfeeds."""

    def __init__(self, world: World) -> None:
        self.scenes: dict[Key, Scene] = {}
        """Those that have been brought about, or can't be for now."""
        self._world = world
        self._certifying = Certifying(world)
        self._configuring = Configuring(world)

    async def reconcile(self, key: Key, depth: Depth) -> Outcome:
        """One pass over an Outfeed and its Peerfeeds, whether it is there or not."""
        if depth is Depth.OBSERVE:
            return await self._observe(key)
        # Before all that goes into another one: where somebody else stores one meanwhile, ours is a conflict then.
        stored = await self._configuring.stored(key)
        body = await self._world.kube.find(OUTFEED, key.namespace, key.name)
        children = await children_of(self._world, key)
        if body is None:
            return await self._orphaned(key, children)
        self._world.known.add(key)
        if is_ending(body) or is_paused(body):
            self.scenes.pop(key, None)
            await tell_paused(self._world, body)
            return Outcome.OK
        return await self._present(key, self._continued(key, body, children), stored, depth)

    async def _present(self, key: Key, scene: Scene, stored: Stored, depth: Depth) -> Outcome:
        self.scenes[key] = scene
        failure = None
        try:
            await self._bring_about(key, scene, stored, depth)
        except TELLING as error:
            failure = error
            scene.fault, scene.views = fault_of(error), await views_of(scene.clients)
        await self._tell(scene)
        return concluded(failure)

    async def _bring_about(self, key: Key, scene: Scene, stored: Stored, depth: Depth) -> None:
        world = self._world
        check_allowed(scene.outfeed, world.settings)
        outfeed = modelled(scene.outfeed, Outfeed)
        world.dependents.depend(key, needs_of(key, outfeed, scene.children))
        await self._certifying.certify(outfeed, depth)
        await self._look(outfeed, scene)
        ingredients = await gather(world, key, scene.outfeed, scene.children, stored.manifests, depth)
        composition = await asyncio.to_thread(ingredients.composition)
        scene.faults = {identity: missing(violations) for identity, violations in composition.faults.items()}
        scene.revision, scene.views = await self._configuring.configure(outfeed, stored, composition, scene.clients)
        spill_hash = server_digest(spill_url(composition))
        objects = outfeed_objects(outfeed, spill_hash, world.settings, monitoring=world.monitoring)
        await ensure_all(world, objects, depth)
        if depth >= Depth.VERIFY:
            for leftover in outfeed_leftovers(outfeed, world.settings, monitoring=world.monitoring):
                await world.objects.remove(leftover[0], outfeed, leftover[1])

    async def _look(self, outfeed: Outfeed, scene: Scene) -> None:
        """See which pods there are."""
        names = ServiceNames.of(outfeed)
        scene.workload = await workload_of(self._world, outfeed, names.role, names.main)
        await self._world.pods.retain(service_of(names), scene.workload.pods)
        scene.clients = self._configuring.clients(outfeed, scene.workload.pods)

    async def _observe(self, key: Key) -> Outcome:
        """Ask the pods, and write what has changed since they were asked last."""
        scene = self.scenes.get(key)
        if scene is None or not scene.clients:
            return Outcome.OK
        scene.views = await views_of(scene.clients)
        if any(view.reachable and view.revision != scene.revision for view in scene.views):
            self._world.put(key)
        await self._tell(scene)
        return Outcome.FAULT if scene.fault else Outcome.OK

    async def _orphaned(self, key: Key, children: Sequence[Body]) -> Outcome:
        """There is no such Outfeed: tell its Peerfeeds, and forget it."""
        self.scenes.pop(key, None)
        self._world.forget(key)
        if children:
            self._world.known.add(key)
        await self._world.pods.retain(service_of(ServiceNames(*key)), [])
        problem = f"there is no Outfeed {key.name}; apply one, or correct spec.outfeedRef.name"
        await self._tell_children(children, (), {}, Fault("ParentMissing", problem))
        return Outcome.FAULT if children else Outcome.OK

    def _continued(self, key: Key, outfeed: Body, children: Sequence[Body]) -> Scene:
        """A new scene, with the pods of the one before: they run on also while something is missing."""
        former = self.scenes.get(key, Scene(outfeed))
        if former.outfeed["metadata"]["uid"] != outfeed["metadata"]["uid"]:
            return Scene(outfeed, children)
        return Scene(outfeed, children, former.workload, former.clients, former.views, former.revision)

    async def _tell(self, scene: Scene) -> None:
        """Write the statuses of the Outfeed and of its Peerfeeds."""
        status = outfeed_status(
            scene.outfeed, scene.workload, scene.views, scene.revision, self._world.now(), scene.fault
        )
        await self._world.statuses.write(scene.outfeed, status)
        # While pods run, they tell more of a Peerfeed than what holds up its Outfeed.
        shared = None if any(view.reachable for view in scene.views) else scene.fault
        await self._tell_children(scene.children, scene.views, scene.faults, shared)

    async def _tell_children(
        self, children: Sequence[Body], views: Sequence[PodView], faults: Mapping[Identity, Fault], shared: Fault | None
    ) -> None:
        now = self._world.now()
        await self._world.statuses.write_all(
            (child, paused_status(child, now))
            if is_paused(child)
            else (child, peerfeed_status(child, views, now, faults.get(identity_of(child), shared)))
            for child in children
            if not is_ending(child)
        )


async def tell_paused(world: World, resource: Body) -> None:
    """Write that a resource is paused; one that is being deleted is not even told that."""
    if not is_ending(resource):
        await world.statuses.write(resource, paused_status(resource, world.now()))


def missing(found: Sequence[Violation]) -> Fault:
    """Something that a resource refers to is not there."""
    return Fault("SecretMissing", violations_text(found))
