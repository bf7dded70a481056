"""The objects of a ConduitNode."""

from collections.abc import Iterator, Sequence
from typing import Any

from forebay.api.v1alpha1 import ConduitNode
from forebay.api.v1alpha1.conduitnode import MOST_NODES
from forebay_operator.body import Body
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import SERVICE
from forebay_operator.resources.body import given, with_memory
from forebay_operator.resources.checksums import digest
from forebay_operator.resources.names import ServiceNames
from forebay_operator.resources.network import TCP, UDP, outside_service
from forebay_operator.resources.service import Listener, grpc_listener, health_listener, port_of, service_objects
from forebay_operator.settings import Settings

LIVE: dict[str, Any] = {
    "replicas": True,
    "peers": True,
    "scouting": {"resolve_interval"},
    "authentication": {"keys"},
    "congestion": True,
    "spill_ref": True,
    "resources": True,
    "limits": {"resources", "publishers", "subscribers", "queued_samples", "aside"},
    "memory": True,
    "tls": True,
    "access": True,
    "clients": True,
}
"""What of a spec pods take over while they run, or what is none of theirs."""
POD_NAME = "statefulset.kubernetes.io/pod-name"
"""Label that a pod of a StatefulSet has."""


def conduitnode_objects(node: ConduitNode, spill_hash: str, settings: Settings, *, monitoring: bool) -> list[Body]:
    """All objects of a ConduitNode but its Secrets, in the order to apply them.

    `spill_hash` is the `server_digest` of its Spill, empty without one; `monitoring` tells whether the cluster knows
    ServiceMonitors. A pod's name tells peers from a restarted one who it is; nothing is kept on disk.
    """
    outside, memory = list(ways_in(node)), node.spec.memory
    # All of it is asked for: what has more than it asked for is the first to go where memory is short.
    resources = with_memory(settings.service.resources, memory, memory)
    objects = service_objects(
        node,
        [grpc_listener(node), *outside, *group(node), health_listener(node)],
        resources,
        settings,
        monitoring=monitoring,
        storage=0,
        replicas=node.spec.replicas,
        host_network=node.spec.host_network,
        # It is looked at when a pod starts: sessions stand on it.
        node=digest(lasting(node)),
        **given(spill=spill_hash),
    )
    return [*objects, *(peer_service(node, pod, outside) for pod in range(reached_apart(node)))]


def lasting(node: ConduitNode) -> Body:
    """What of a spec holds for as long as a pod runs."""
    return node.spec.model_dump(mode="json", exclude=LIVE)


def ways_in(node: ConduitNode) -> Iterator[Listener]:
    """The ways in for peers, who may be anywhere. Where it matters, a key says who may take part."""
    places = node.spec.listeners
    yield Listener("udp", places.udp.port, protocol=UDP, outside=True)
    if places.tcp:
        yield Listener("tcp", places.tcp.port, protocol=TCP, outside=True)


def group(node: ConduitNode) -> Iterator[Listener]:
    """Where datagrams of the multicast group come in.

    Pods on the network of their hosts do not claim that port: several programs of one host may be in the group.
    """
    multicast = node.spec.listeners.multicast
    if multicast and not node.spec.host_network:
        yield Listener("multicast", multicast.port, protocol=UDP, outside=True)


def reached_apart(node: ConduitNode) -> int:
    """How many pods have a Service of their own: none of those that are reached at their hosts' addresses."""
    return 0 if node.spec.host_network else node.spec.replicas


def peer_service(node: ConduitNode, pod: int, outside: Sequence[Listener]) -> Body:
    """The Service that peers outside the cluster use for one pod: a session is with one node, not with any of them."""
    names = ServiceNames.of(node)
    body = outside_service(node, names.role, names.conduit(pod), [port_of(each) for each in outside])
    body["spec"]["selector"][POD_NAME] = f"{names.main}-{pod}"
    return body


def conduitnode_leftovers(node: ConduitNode) -> list[tuple[Kind, str]]:
    """Kinds and names of what a ConduitNode had with more pods, or without its hosts' network, and wants no more."""
    names = ServiceNames.of(node)
    return [(SERVICE, names.conduit(pod)) for pod in range(reached_apart(node), MOST_NODES)]
