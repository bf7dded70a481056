"""All reconcilers behind one face: a pass over a resource of any kind, and the timers that ask for passes."""

import asyncio
from collections.abc import Sequence

import structlog

from forebay_operator.errors import EndingError
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import ANNOUNCER, COMPACTION, CONDUIT_NODE, OUTFEED, ROUTER, SPILL, STORE
from forebay_operator.pods import PodView
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.compaction import CompactionReconciler
from forebay_operator.reconcile.notices import Notices, Seen
from forebay_operator.reconcile.optionalkinds import OptionalKinds
from forebay_operator.reconcile.relations import referred
from forebay_operator.reconcile.service import ServiceReconciler
from forebay_operator.reconcile.servicekinds import ANNOUNCERS, CONDUIT_NODES, OUTFEEDS, ROUTERS, STORES
from forebay_operator.reconcile.spill import SpillReconciler
from forebay_operator.reconcile.world import World
from forebay_operator.workers import Outcome

OBSERVE_SECONDS = 5.0
VERIFY_SECONDS = 30.0

log = structlog.stdlib.get_logger(__name__)


class Reconciler:
    """Reconciles all kinds."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._notices = Notices(world.dependents, world.objects)
        self.outfeeds = ServiceReconciler(world, OUTFEEDS)
        self.stores = ServiceReconciler(world, STORES)
        self.announcers = ServiceReconciler(world, ANNOUNCERS)
        self.routers = ServiceReconciler(world, ROUTERS)
        self.conduitnodes = ServiceReconciler(world, CONDUIT_NODES)
        self.spills = SpillReconciler(world, self._views)
        self.compactions = CompactionReconciler(world, self._largest)
        self.optional_kinds = OptionalKinds(world)
        self._passes = {
            OUTFEED.kind: self.outfeeds.reconcile,
            STORE.kind: self.stores.reconcile,
            ANNOUNCER.kind: self.announcers.reconcile,
            ROUTER.kind: self.routers.reconcile,
            CONDUIT_NODE.kind: self.conduitnodes.reconcile,
            SPILL.kind: self.spills.reconcile,
            COMPACTION.kind: self.compactions.reconcile,
        }

    async def reconcile(self, key: Key, depth: Depth) -> Outcome:
        """One pass over a resource."""
        try:
            return await self._passes[key.kind](key, depth)
        except EndingError as error:
            # The resource is about to go as well: there is nobody to tell, and nothing to try again.
            log.debug("nothing is made any more", problem=str(error))
            return Outcome.OK

    def notice(self, kind: Kind, body: Seen, *, deleted: bool) -> None:
        """A watch showed an object."""
        for key in self._notices.take(kind, body, deleted=deleted):
            self._world.put(key)

    async def observe(self) -> None:
        """Ask for a look at the pods of all services, again and again."""
        while True:
            await asyncio.sleep(OBSERVE_SECONDS)
            services = (self.outfeeds, self.stores, self.announcers, self.routers, self.conduitnodes)
            for reconciler in (*services, self.spills, self.compactions):
                for key in reconciler.scenes:
                    self._world.put(key, Depth.OBSERVE)

    async def verify(self) -> None:
        """Ask for a closer look at all resources, again and again."""
        while True:
            await self.optional_kinds.detect()
            await asyncio.sleep(VERIFY_SECONDS)
            for key in self._world.known:
                self._world.put(key, Depth.VERIFY)

    def _views(self, namespace: str, spill: str) -> Sequence[PodView]:
        return [
            view
            for users in (self.outfeeds, self.announcers, self.routers, self.conduitnodes)
            for key, scene in users.scenes.items()
            if key.namespace == namespace and referred(scene.service, "spillRef") == spill
            for view in scene.views
        ]

    def _largest(self, namespace: str, spill: str) -> int:
        """Octets that are spilled for the peer for which there is most."""
        peers = (peer for view in self._views(namespace, spill) for peer in view.peers)
        return max((peer.backlog.bytes for peer in peers), default=0)
