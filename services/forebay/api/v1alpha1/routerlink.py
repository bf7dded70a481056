"""RouterLink: a link that a Router makes to the routers of another domain."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, Immutable, OnlyFor, Rule, Transition
from forebay.api.v1alpha1.metadata import Reference, Resource
from forebay.api.v1alpha1.router import Domain, LinkRetry, RouterAddress
from forebay.api.values import Flag, Text, Whole


class LinkTransport(StrEnum):
    """What carries a link."""

    GRPC = "grpc"
    """A stream of gRPC over TCP, with mutual TLS where the Router has TLS."""
    UDP = "udp"
    """Datagrams, each sealed by a keyed hash, which anyone on the way can read: for networks that lose or delay much,
    and that are private or encrypt by themselves."""


class LinkTls(Model):
    """What differs about TLS on this link."""

    server_name: Annotated[str, Text(r"^[0-9A-Za-z]([0-9A-Za-z.-]*[0-9A-Za-z])?$", "a host name", longest=253)]
    """Name that the certificate of the other router must have, where it is not the host of its address."""


class RouterLinkSpec(Model):
    """A link to the routers of another domain."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("addresses"), OnlyFor("tls", "transport", ("grpc",)))
    transitions: ClassVar[tuple[Transition, ...]] = (Immutable("routerRef", "its messages wait there"),)

    router_ref: Reference
    """The Router that makes the link. The other side needs no resource for it."""
    domain: Domain
    """The domain at the other end. A router that says it is of another one is not linked."""
    addresses: Annotated[Items[RouterAddress], Field(min_length=1, max_length=32)]
    """Routers of that domain, tried in turn; one of them is linked at a time. A Service of several is fine."""
    transport: LinkTransport = LinkTransport.GRPC
    """`grpc`: a stream over TCP, with mutual TLS where the Router has TLS. `udp`: datagrams, each sealed by the key
    of the Router's `listeners.udp` and readable by whoever is on the way, for networks that lose or delay much."""
    retry: LinkRetry = LinkRetry()
    """What makes up for messages that the link loses."""
    cost: Annotated[int, Whole(1, 1_000_000, "")] = 1
    """Messages take the way to a domain with the lowest sum of costs, of all ways that are up."""
    tls: LinkTls | None = None
    """What differs about TLS on this link. Left out: nothing. The authorities that are trusted are in `ca.crt` of the
    Router's certificate."""
    suspended: Flag = False
    """The link is not made while this is true, and is ended if it is up; messages take another way."""


class RouterLink(Resource):
    """A link that a Router makes to the routers of another domain."""

    parents: ClassVar[dict[str, str]] = {"routerRef": "Router"}

    kind: Literal["RouterLink"] = "RouterLink"
    """What it is."""
    spec: RouterLinkSpec
    """What it is to be."""
