"""Where a ConduitNode listens."""

from typing import Annotated, ClassVar

from forebay.api.model import Model
from forebay.api.rules import Differ, Rule
from forebay.api.v1alpha1.service import BindAddress, GrpcListener, HealthListener, Port
from forebay.api.values import Text

_BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
GroupAddress = Annotated[
    str,
    Text(rf"^(22[4-9]|23[0-9])(\.{_BYTE}){{3}}$", "an IPv4 address of 224.0.0.0 to 239.255.255.255", longest=15),
]
InterfaceAddress = Annotated[
    str, Text(rf"^{_BYTE}(\.{_BYTE}){{3}}$", "the IPv4 address of an interface, as 192.0.2.7", longest=15)
]


class ConduitGrpcListener(GrpcListener):
    """Where gRPC is served."""

    port: Port = 7449
    """Port to listen on."""


class ConduitHealthListener(HealthListener):
    """Where health and metrics are shown, in plain HTTP."""

    port: Port = 9449
    """Port to listen on."""


class DatagramListener(Model):
    """Where datagrams of peers come in, and from where datagrams are sent."""

    address: BindAddress | None = None
    """Address to listen on. Left out: 127.0.0.1; in a cluster every address."""
    port: Port = 7448
    """Port to listen on."""


class StreamListener(Model):
    """Where streams of peers come in: TCP, each message behind its length."""

    address: BindAddress | None = None
    """Address to listen on. Left out: 127.0.0.1; in a cluster every address."""
    port: Port = 7448
    """Port to listen on. It may be that of UDP."""


class MulticastGroup(Model):
    """The group over which peers find each other, and get what is for all of them."""

    group: GroupAddress = "239.255.0.1"
    """IPv4 address of the group."""
    port: Port = 7447
    """Port of the group."""
    interface: InterfaceAddress | None = None
    """Interface by which the group is joined and sent to. Left out: the system chooses."""


class ConduitListeners(Model):
    """Where a ConduitNode listens."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Differ("health.port", "grpc.port"),
        Differ("tcp.port", "grpc.port"),
        Differ("tcp.port", "health.port"),
        Differ("multicast.port", "udp.port"),
    )

    udp: DatagramListener = DatagramListener()
    """Where datagrams of peers come in, and from where datagrams are sent."""
    multicast: MulticastGroup | None = None
    """The group over which peers find each other, and get what is for all of them. Left out: there is none, and what is
    for all goes to each peer by itself. Few networks of pods know multicast: give `hostNetwork` too."""
    tcp: StreamListener | None = None
    """Where streams of peers come in. Left out: nowhere, though the node opens some to `tcp/` peers."""
    grpc: ConduitGrpcListener = ConduitGrpcListener()
    """Where gRPC is served."""
    health: ConduitHealthListener = ConduitHealthListener()
    """Where health and metrics are shown, in plain HTTP."""
