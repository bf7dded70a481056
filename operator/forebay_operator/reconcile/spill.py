"""Spills: the Valkey that is run for a managed one, who uses it, and what is left on it by services that are gone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from secrets import token_urlsafe

from forebay.api.v1alpha1 import Spill
from forebay_operator.body import Body
from forebay_operator.conditions import Fault, Workload, is_paused, paused_status, spill_status
from forebay_operator.configuration import texts_of
from forebay_operator.errors import ForbiddenError, MissingError
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import ANNOUNCER, CONDUIT_NODE, OUTFEED, ROUTER, SPILL
from forebay_operator.pods import PodView
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.faults import TELLING, concluded, fault_of
from forebay_operator.reconcile.gate import check_allowed, is_ending, modelled
from forebay_operator.reconcile.purging import Purging
from forebay_operator.reconcile.relations import name_of, referred
from forebay_operator.reconcile.workloads import ensure_all, workload_of
from forebay_operator.reconcile.world import World
from forebay_operator.resources import SpillNames, digest, valkey_objects, valkey_secret
from forebay_operator.valkeysecret import PASSWORD
from forebay_operator.workers import Outcome

USERS = (OUTFEED, ANNOUNCER, ROUTER, CONDUIT_NODE)
"""Kinds of services that use Spills."""
Views = Callable[[str, str], Sequence[PodView]]
"""The pods of all services that use the Spill of a namespace and name, as they were seen last."""


@dataclass
class Scene:
    """A Spill as its last pass saw it."""

    spill: Body
    services: list[Body] = field(default_factory=list)
    workload: Workload = field(default_factory=Workload)
    fault: Fault | None = None


class SpillReconciler:
    """Reconciles Spills."""

    def __init__(self, world: World, views: Views) -> None:
        self.scenes: dict[Key, Scene] = {}
        self._world = world
        self._views = views
        self._purging = Purging(world)

    async def reconcile(self, key: Key, depth: Depth) -> Outcome:
        """One pass over a Spill, whether it is there or not."""
        if depth is Depth.OBSERVE:
            return await self._observe(key)
        body = await self._world.kube.find(SPILL, key.namespace, key.name)
        if body is None or is_ending(body) or is_paused(body):
            self.scenes.pop(key, None)
            return await self._absent(key, body)
        self._world.known.add(key)
        return await self._present(key, Scene(body, list(recorded(body))), depth)

    async def _absent(self, key: Key, body: Body | None) -> Outcome:
        """There is nothing to do."""
        if body is None:
            self._world.forget(key)
        elif not is_ending(body):
            await self._world.statuses.write(body, paused_status(body, self._world.now()))
        return Outcome.OK

    async def _present(self, key: Key, scene: Scene, depth: Depth) -> Outcome:
        known, failure = recorded(scene.spill), None
        self.scenes[key] = scene
        try:
            await self._bring_about(key, scene, depth)
        except TELLING as error:
            scene.fault, failure = fault_of(error), error
        await self._tell(key, scene)
        for service in scene.services:
            if service not in known:
                # It waits for being known here.
                self._world.put(Key(service["kind"], key.namespace, service["name"]))
        return concluded(failure)

    async def _bring_about(self, key: Key, scene: Scene, depth: Depth) -> None:
        check_allowed(scene.spill, self._world.settings)
        spill = modelled(scene.spill, Spill)
        if spill.spec.managed:
            await self._run_valkey(spill, depth)
            name = SpillNames.of(spill).valkey
            scene.workload = await workload_of(self._world, spill, "valkey", name)
        found = [each for kind in USERS for each in await self._users(kind, key, scene)]
        users = [service_of(each) for each in found if referred(each, "spillRef") == key.name]
        scene.services += [user for user in users if user not in scene.services]
        alive = {str(each["metadata"]["uid"]) for each in found}
        scene.services = await self._purging.purge(spill, key, scene.services, alive)
        await self._check_url(spill, depth)

    async def _users(self, kind: Kind, key: Key, scene: Scene) -> list[Body]:
        """Services of a kind that may use the Spill, or another of its namespace."""
        try:
            return await self._world.kube.list_all(kind, key.namespace)
        except ForbiddenError:
            # The chart of an older release gives no right to look, and nothing to look for. But nobody who is known may
            # be taken for gone.
            if kind is OUTFEED or any(service["kind"] == kind.kind for service in scene.services):
                raise
            return []

    async def _run_valkey(self, spill: Spill, depth: Depth) -> None:
        world, name = self._world, SpillNames.of(spill).valkey
        found = await world.secrets.find(spill.metadata.namespace, name)
        password = texts_of(found or {}).get(PASSWORD) or token_urlsafe(32)
        await world.secrets.put(valkey_secret(spill, password), found)
        await ensure_all(world, valkey_objects(spill, digest(password), world.settings), depth)

    async def _check_url(self, spill: Spill, depth: Depth) -> None:
        """Raise `MissingError` where there is no URL in the Secret that is to hold it."""
        if spill.spec.url_from is None:
            return
        name, key = spill.spec.url_from.secret_ref.name, spill.spec.url_from.secret_ref.key
        title = f"{spill.metadata.namespace}/{name}"
        texts = await self._world.secrets.texts(spill.identity, [title], depth)
        if key not in texts.get(title, {}):
            problem = f"spec.urlFrom.secretRef: the Secret {name} with a text under the key {key} is missing: add it"
            raise MissingError("SecretMissing", problem)

    async def _observe(self, key: Key) -> Outcome:
        """Write what the services' pods have shown since."""
        scene = self.scenes.get(key)
        if scene is not None:
            await self._tell(key, scene)
        return Outcome.FAULT if scene and scene.fault else Outcome.OK

    async def _tell(self, key: Key, scene: Scene) -> None:
        views = self._views(key.namespace, key.name)
        status = spill_status(scene.spill, scene.services, scene.workload, views, self._world.now(), scene.fault)
        await self._world.statuses.write(scene.spill, status)


def recorded(spill: Body) -> list[Body]:
    """The services that a Spill knows to use it."""
    services: list[Body] = spill.get("status", {}).get("services", [])
    return services


def service_of(resource: Body) -> Body:
    """A service as a Spill knows it."""
    return {"kind": resource["kind"], "name": name_of(resource), "uid": resource["metadata"]["uid"]}
