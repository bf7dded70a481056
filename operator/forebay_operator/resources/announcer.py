"""The objects of an Announcer."""

from collections.abc import Iterator, Sequence

from forebay.api.v1alpha1 import Announcer
from forebay_operator.body import Body
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import SERVICE
from forebay_operator.resources.body import given, with_memory
from forebay_operator.resources.names import ServiceNames
from forebay_operator.resources.network import TCP, UDP, outside_service
from forebay_operator.resources.service import Listener, grpc_listener, health_listener, port_of, service_objects
from forebay_operator.settings import Settings


def announcer_objects(announcer: Announcer, spill_hash: str, settings: Settings, *, monitoring: bool) -> list[Body]:
    """All objects of an Announcer but its Secrets, in the order to apply them.

    `spill_hash` is the `server_digest` of its Spill, empty without one; `monitoring` tells whether the cluster knows
    ServiceMonitors.
    """
    fronts, memory = list(trackers(announcer)), announcer.spec.memory
    # All of it is asked for: what has more than it asked for is the first to go where memory is short.
    resources = with_memory(settings.service.resources, memory, memory)
    listeners = [grpc_listener(announcer), *fronts, health_listener(announcer)]
    objects = service_objects(
        announcer,
        listeners,
        resources,
        settings,
        monitoring=monitoring,
        storage=announcer.spec.storage.size,
        **given(spill=spill_hash),
    )
    return [*objects, announce_service(announcer, fronts)] if fronts else objects


def trackers(announcer: Announcer) -> Iterator[Listener]:
    """The ways in for BitTorrent clients, who may be anywhere. `torrents` says what they may announce."""
    places = announcer.spec.listeners
    if places.http.enabled:
        yield Listener("http", places.http.port, "http", protocol=TCP, outside=True)
    if places.udp.enabled:
        yield Listener("udp", places.udp.port, protocol=UDP, outside=True)


def announce_service(announcer: Announcer, fronts: Sequence[Listener]) -> Body:
    """The Service that BitTorrent clients use."""
    names = ServiceNames.of(announcer)
    return outside_service(announcer, names.role, names.announce, [port_of(each) for each in fronts])


def announcer_leftovers(announcer: Announcer) -> list[tuple[Kind, str]]:
    """Kinds and names of what an Announcer had with other listeners, and does not want any more."""
    return [] if any(trackers(announcer)) else [(SERVICE, ServiceNames.of(announcer).announce)]
