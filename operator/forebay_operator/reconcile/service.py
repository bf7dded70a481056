"""Services with their children: one pass brings about what differs, and tells in statuses what came of it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

from forebay.api import Violation
from forebay_operator.body import Body, Identity, identity_of
from forebay_operator.conditions import Fault, Workload, is_paused, paused_status
from forebay_operator.conditions.wording import violations_text
from forebay_operator.pods import PodClient, PodView
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.certifying import Certifying, service_of
from forebay_operator.reconcile.configuring import Configuring, Stored, views_of
from forebay_operator.reconcile.faults import TELLING, concluded, fault_of
from forebay_operator.reconcile.gate import check_allowed, is_ending, modelled
from forebay_operator.reconcile.ingredients import children_of
from forebay_operator.reconcile.servicekind import ChildKind, S, ServiceKind
from forebay_operator.reconcile.workloads import annotations_of, ensure_all, workload_of
from forebay_operator.reconcile.world import World
from forebay_operator.resources import ServiceNames, service_leftovers
from forebay_operator.workers import Outcome


@dataclass
class Scene:
    """A service as its last pass saw it."""

    service: Body
    children: Sequence[Body] = ()
    workload: Workload = field(default_factory=Workload)
    clients: Sequence[PodClient] = ()
    views: Sequence[PodView] = ()
    revision: int = 0
    fault: Fault | None = None
    """What keeps the service from being brought about."""
    faults: Mapping[Identity, Fault] = field(default_factory=dict)
    """What single children lack."""


class ServiceReconciler(Generic[S]):
    """Reconciles the services of a kind."""

    def __init__(self, world: World, kind: ServiceKind[S]) -> None:
        self.scenes: dict[Key, Scene] = {}
        """Those that have been brought about, or can't be for now."""
        self._world = world
        self._kind: ServiceKind[S] = kind
        self._certifying = Certifying(world)
        self._configuring = Configuring(world)

    async def reconcile(self, key: Key, depth: Depth) -> Outcome:
        """One pass over a service and its children, whether it is there or not."""
        if depth is Depth.OBSERVE:
            return await self._observe(key)
        # Before all that goes into another one: where somebody else stores one meanwhile, ours is a conflict then.
        stored = await self._configuring.stored(key)
        body = await self._world.kube.find(self._kind.kind, key.namespace, key.name)
        child = self._kind.child
        children = await children_of(self._world, key, child.kind, child.parent_field) if child else ()
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
        check_allowed(scene.service, world.settings)
        service = modelled(scene.service, self._kind.model)
        world.dependents.depend(key, self._kind.needs(key, service, scene.children))
        await self._certifying.certify(service, depth)
        await self._look(service, scene)
        ingredients = await self._kind.gather(world, key, scene.service, scene.children, stored.manifests, depth)
        composition = await asyncio.to_thread(ingredients.composition)
        scene.faults = {identity: missing(violations) for identity, violations in composition.faults.items()}
        scene.revision, scene.views = await self._configuring.configure(service, stored, composition, scene.clients)
        objects = self._kind.objects(service, composition, world)
        scene.workload = replace(scene.workload, annotations=annotations_of(objects))
        await ensure_all(world, objects, depth)
        if depth >= Depth.VERIFY:
            await self._clear_away(service)

    async def _clear_away(self, service: S) -> None:
        """Delete what the service had with other settings or another spec, and does not want any more."""
        found = service_leftovers(service, self._world.settings, monitoring=self._world.monitoring)
        for leftover in found + self._kind.leftovers(service):
            await self._world.objects.remove(leftover[0], service, leftover[1])

    async def _look(self, service: S, scene: Scene) -> None:
        """See which pods there are."""
        names = ServiceNames.of(service)
        scene.workload = await workload_of(self._world, service, names.role, names.main)
        await self._world.pods.retain(service_of(names), scene.workload.pods)
        scene.clients = self._configuring.clients(service, scene.workload.pods)

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
        """There is no such service: tell its children, and forget it."""
        self.scenes.pop(key, None)
        self._world.forget(key)
        await self._world.pods.retain(service_of(ServiceNames(*key)), [])
        if self._kind.child is None or not children:
            return Outcome.OK
        self._world.known.add(key)
        problem = f"there is no {key.kind} {key.name}; apply one, or correct spec.{self._kind.child.parent_field}.name"
        await self._tell_children(self._kind.child, children, (), {}, Fault("ParentMissing", problem))
        return Outcome.FAULT

    def _continued(self, key: Key, service: Body, children: Sequence[Body]) -> Scene:
        """A new scene, with the pods of the one before: they run on also while something is missing."""
        former = self.scenes.get(key, Scene(service))
        if former.service["metadata"]["uid"] != service["metadata"]["uid"]:
            return Scene(service, children)
        return Scene(service, children, former.workload, former.clients, former.views, former.revision)

    async def _tell(self, scene: Scene) -> None:
        """Write the statuses of the service and of its children."""
        status = self._kind.status(
            scene.service, scene.workload, scene.views, scene.revision, self._world.now(), scene.fault
        )
        await self._world.statuses.write(scene.service, status)
        if self._kind.child is None:
            return
        # While pods run, they tell more of a child than what holds up its service.
        shared = None if any(view.reachable for view in scene.views) else scene.fault
        await self._tell_children(self._kind.child, scene.children, scene.views, scene.faults, shared)

    async def _tell_children(
        self,
        kind: ChildKind,
        children: Sequence[Body],
        views: Sequence[PodView],
        faults: Mapping[Identity, Fault],
        shared: Fault | None,
    ) -> None:
        now = self._world.now()
        await self._world.statuses.write_all(
            (child, paused_status(child, now))
            if is_paused(child)
            else (child, kind.status(child, views, now, faults.get(identity_of(child), shared)))
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
