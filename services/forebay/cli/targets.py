"""Where services of this machine reach each other."""

from forebay.api.v1alpha1 import Outfeed
from forebay.api.v1alpha1 import Service as ServiceResource

LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 nothing is bound here
"""What reaches a server that listens on all addresses."""


def nntp_host(outfeed: Outfeed) -> str:
    """The host on which an Outfeed of this machine takes NNTP."""
    listener = outfeed.spec.listeners.nntp
    return reachable(listener.address or "" if listener else "")


def grpc_address(resource: ServiceResource) -> str:
    """`host:port` on which a service of this machine serves gRPC."""
    listener = resource.spec.listeners.grpc
    return joined(reachable(listener.address or ""), listener.port)


def reachable(address: str) -> str:
    """Where to connect to what listens on an address; empty is the default address."""
    return LOOPBACK.get(address, address) or "127.0.0.1"


def joined(host: str, port: int) -> str:
    """`host:port`, or `[host]:port` for IPv6."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
