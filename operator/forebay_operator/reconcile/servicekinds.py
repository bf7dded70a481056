"""The kinds of services."""

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.api.v1alpha1 import Announcer, ConduitNode, Outfeed, Router, Store
from forebay_operator.body import Body
from forebay_operator.conditions import (
    announcer_status,
    conduitnode_status,
    forwarder_status,
    outfeed_status,
    peerfeed_status,
    router_status,
    routerlink_status,
    store_status,
    storequeue_status,
)
from forebay_operator.configuration import Composition, compose_store
from forebay_operator.kube.kinds import (
    ANNOUNCER,
    CONDUIT_NODE,
    FORWARDER,
    OUTFEED,
    PEERFEED,
    ROUTER,
    ROUTER_LINK,
    STORE,
    STORE_QUEUE,
)
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.announcing import gather_announcer, needs_of_announcer, objects_of_announcer
from forebay_operator.reconcile.conduiting import gather_conduitnode, needs_of_conduitnode, objects_of_conduitnode
from forebay_operator.reconcile.freezing import Manifests, frozen_children
from forebay_operator.reconcile.ingredients import check_size, gather, needs_of, spill_url
from forebay_operator.reconcile.relations import name_of
from forebay_operator.reconcile.routing import gather_router, needs_of_router, objects_of_router
from forebay_operator.reconcile.servicekind import ChildKind, ServiceKind
from forebay_operator.reconcile.world import World
from forebay_operator.resources import (
    announcer_leftovers,
    conduitnode_leftovers,
    outfeed_objects,
    router_leftovers,
    server_digest,
    store_objects,
)


@dataclass(frozen=True)
class StoreIngredients:
    """The bodies that a Store's configuration is composed of."""

    store: Body
    queues: Sequence[Body]

    def composition(self) -> Composition:
        """The configuration. Raises `ReconcileError` where it can't be stored."""
        return check_size(compose_store(self.store, self.queues))


async def gather_store(
    world: World, key: Key, body: Body, children: Sequence[Body], stored: Manifests, depth: Depth
) -> StoreIngredients:
    """There is nothing to read beside its queues."""
    return StoreIngredients(body, frozen_children(children, stored))


def needs_of_store(key: Key, store: Store, children: Sequence[Body]) -> list[Key]:
    """Its queues."""
    return [Key(STORE_QUEUE.kind, key.namespace, name_of(child)) for child in children]


def objects_of_outfeed(outfeed: Outfeed, composition: Composition, world: World) -> list[Body]:
    """They depend on which server its Spill is."""
    return outfeed_objects(outfeed, server_digest(spill_url(composition)), world.settings, monitoring=world.monitoring)


def objects_of_store(store: Store, composition: Composition, world: World) -> list[Body]:
    """They depend on the Store alone."""
    return store_objects(store, world.settings, monitoring=world.monitoring)


OUTFEEDS = ServiceKind(
    kind=OUTFEED,
    model=Outfeed,
    needs=needs_of,
    gather=gather,
    objects=objects_of_outfeed,
    status=outfeed_status,
    child=ChildKind(PEERFEED, "outfeedRef", peerfeed_status),
)
STORES = ServiceKind(
    kind=STORE,
    model=Store,
    needs=needs_of_store,
    gather=gather_store,
    objects=objects_of_store,
    status=store_status,
    child=ChildKind(STORE_QUEUE, "storeRef", storequeue_status),
)
ANNOUNCERS = ServiceKind(
    kind=ANNOUNCER,
    model=Announcer,
    needs=needs_of_announcer,
    gather=gather_announcer,
    objects=objects_of_announcer,
    status=announcer_status,
    child=ChildKind(FORWARDER, "announcerRef", forwarder_status),
    leftovers=announcer_leftovers,
)
ROUTERS = ServiceKind(
    kind=ROUTER,
    model=Router,
    needs=needs_of_router,
    gather=gather_router,
    objects=objects_of_router,
    status=router_status,
    child=ChildKind(ROUTER_LINK, "routerRef", routerlink_status),
    leftovers=router_leftovers,
)
CONDUIT_NODES = ServiceKind(
    kind=CONDUIT_NODE,
    model=ConduitNode,
    needs=needs_of_conduitnode,
    gather=gather_conduitnode,
    objects=objects_of_conduitnode,
    status=conduitnode_status,
    leftovers=conduitnode_leftovers,
)
