"""The objects of a Router."""

from collections.abc import Sequence

from forebay.api.v1alpha1 import Router
from forebay_operator.body import Body
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import SERVICE
from forebay_operator.resources.body import given, with_memory
from forebay_operator.resources.names import ServiceNames
from forebay_operator.resources.network import UDP, outside_service
from forebay_operator.resources.service import Listener, grpc_listener, health_listener, port_of, service_objects
from forebay_operator.settings import Settings


def router_objects(router: Router, spill_hash: str, settings: Settings, *, monitoring: bool) -> list[Body]:
    """All objects of a Router but its Secrets, in the order to apply them.

    `spill_hash` is the `server_digest` of its Spill, empty without one; `monitoring` tells whether the cluster knows
    ServiceMonitors. Its pods are equal, and keep nothing on disk: what lasts is with senders, and on the Spill.
    """
    outside, memory = links(router), router.spec.memory
    # All of it is asked for: what has more than it asked for is the first to go where memory is short.
    resources = with_memory(settings.service.resources, memory, memory)
    objects = service_objects(
        router,
        [grpc_listener(router), *outside, health_listener(router)],
        resources,
        settings,
        monitoring=monitoring,
        storage=0,
        replicas=router.spec.replicas,
        # It is looked at when a pod starts.
        domain=router.spec.domain,
        **given(spill=spill_hash),
    )
    return [*objects, links_service(router, outside)] if outside else objects


def links(router: Router) -> list[Listener]:
    """The way in for links over UDP, whose routers may be anywhere. The key says who may come in."""
    listener = router.spec.listeners.udp
    return [Listener("udp", listener.port, protocol=UDP, outside=True)] if listener else []


def links_service(router: Router, outside: Sequence[Listener]) -> Body:
    """The Service that routers use which link over UDP."""
    names = ServiceNames.of(router)
    return outside_service(router, names.role, names.links, [port_of(each) for each in outside])


def router_leftovers(router: Router) -> list[tuple[Kind, str]]:
    """Kinds and names of what a Router had with other listeners, and does not want any more."""
    return [] if links(router) else [(SERVICE, ServiceNames.of(router).links)]
