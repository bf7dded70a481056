"""Router: one router, or several, of a domain, that pass messages on between threads by their names."""

from datetime import timedelta
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Differ, Distinct, Kept, NotAbove, Rule, Transition
from forebay.api.v1alpha1.metadata import WORD, Reference, Resource, SecretReference, ServiceMetadata
from forebay.api.v1alpha1.service import (
    Access,
    BindAddress,
    ClientName,
    GrpcListener,
    HealthListener,
    Port,
    ServerTls,
)
from forebay.api.v1alpha1.spill import GIBIBYTE, MEBIBYTE
from forebay.api.values import Size, Span, Text, Whole

MOST_PEERS = 64
"""Routers of one domain: each of them is linked to each."""
MOST_RULES, MOST_NAMES = 200, 20
"""Rules of an access list, and names in one of them. An API server bounds what it takes to look at all of them."""
_PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
Domain = Annotated[
    str,
    Text(
        r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$",
        "lower-case letters, digits, '.' and '-', with a letter or digit at both ends",
        longest=63,
    ),
]
RouterAddress = Annotated[
    str,
    Text(
        rf"^([0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?|\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*\]):({_PORT})$",
        "HOST:PORT of a router, as chat.example.com:7720 or [2001:db8::7]:7720",
        longest=300,
    ),
]
Principal = Annotated[str, Text(WORD, "a name or a glob of names, as *.chat.example")]
ThreadGlob = Annotated[str, Text(r"^[A-Za-z0-9_.:/+*?\[\]!-]+$", "a thread's name or a glob of names, as chat.*")]
DomainGlob = Annotated[str, Text(r"^[a-z0-9.*?\[\]!-]+$", "a domain or a glob of domains, as *.example", longest=63)]


class RouterGrpcListener(GrpcListener):
    """Where processes attach and routers link, over gRPC."""

    port: Port = 7720
    """Port to listen on."""


class RouterHealthListener(HealthListener):
    """Where health and metrics are shown, in plain HTTP."""

    port: Port = 9720
    """Port to listen on."""


class KeySource(Model):
    """Where a key is."""

    secret_ref: SecretReference
    """The key of a Secret whose value is the text that seals datagrams, of 16 to 64 octets."""


class UdpListener(Model):
    """Links over UDP, those that this router makes and those that others make to it."""

    key_from: KeySource
    """Where the key is that seals datagrams. All routers that link so have the same."""
    address: BindAddress | None = None
    """Address to listen on. Left out: 127.0.0.1; in a cluster every address."""
    port: Port = 7720
    """Port to listen on, from which it calls others, too. It may be that of gRPC."""


class RouterListeners(Model):
    """Where a Router listens."""

    rules: ClassVar[tuple[Rule, ...]] = (Differ("health.port", "grpc.port"),)

    grpc: RouterGrpcListener = RouterGrpcListener()
    """Where processes attach and routers link, over gRPC."""
    udp: UdpListener | None = None
    """Links over UDP, those that this router makes and those that others make to it. Left out: there are none."""
    health: RouterHealthListener = RouterHealthListener()
    """Where health and metrics are shown, in plain HTTP."""


class Heartbeat(Model):
    """Signs of life of processes and of linked routers."""

    interval: Annotated[timedelta, Span("100ms", "1m")] = timedelta(seconds=1)
    """Time between two signs of life, either way. Processes are told of it as they attach."""
    missed: Annotated[int, Whole(2, 100, "heartbeats")] = 3
    """How many have to fail before a process counts as crashed, whose threads' names are then told to all domains."""


class RouterQueues(Model):
    """What may wait in memory to be written to one process, or to one linked router."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("low", "high"), NotAbove("high", "limit"))

    high: Annotated[int, Size("4KB", "1GiB")] = 8 * MEBIBYTE
    """From here on those who send there are told to wait. What they send all the same is taken."""
    low: Annotated[int, Size("1KB", "1GiB")] = 4 * MEBIBYTE
    """Below this they go on."""
    limit: Annotated[int, Size("4KB", "4GiB")] = 64 * MEBIBYTE
    """From here on nothing more is kept in memory. It goes to the Spill; without one, messages that a sender keeps
    until they have arrived are sent again later, and others are dropped, which is counted."""


class LinkRetry(Model):
    """What makes up for messages that a link loses."""

    attempts: Annotated[int, Whole(1, 100, "attempts")] = 5
    """How often what has no acknowledgement is sent again before it goes another way or, where there is none, is
    dropped with the notice skal-drop-no-network."""
    interval: Annotated[timedelta, Span("10ms", "1m")] = timedelta(milliseconds=500)
    """Time from one attempt to the next. Attempts times interval is also how long a link that broke is waited for."""


class NameAccess(Model):
    """Names of threads that a principal may use."""

    principal: Principal
    """Name in the process's certificate (a DNS name or URI of its subject alternative names), or a glob of names. `*`
    stands for processes without a certificate, too."""
    names: Annotated[Items[ThreadGlob], Field(min_length=1, max_length=MOST_NAMES)]
    """Names of threads, without their domain, or globs of names."""


class DomainAccess(Model):
    """Principals whose routers may link for a domain."""

    domain: DomainGlob
    """The domain that the other router says it is of, or a glob of domains."""
    principals: Annotated[Items[Principal], Field(min_length=1, max_length=MOST_NAMES)] = ("*",)
    """Names in the other router's certificate, or globs of names. `*` stands for routers without a certificate, too, as
    all are that link over UDP."""


class RouterSpec(Model):
    """Routers of a domain."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("clients"), Distinct("peers"))
    transitions: ClassVar[tuple[Transition, ...]] = (Kept("spillRef", "the messages that wait lie there"),)

    domain: Domain = "local"
    """The domain: what stands after the `@` in the names of its threads. A change takes effect at a restart, which the
    operator does."""
    replicas: Annotated[int, Whole(1, 32, "pods")] = 1
    """Routers of the domain that a cluster runs as pods, each linked to each. Processes may attach to any of them.
    Without a cluster there is one, and `peers` names others."""
    peers: Annotated[Items[RouterAddress], Field(max_length=MOST_PEERS)] = ()
    """Other routers of the same domain, beside those pods. Its own address may be among them: one list for all."""
    listeners: RouterListeners = RouterListeners()
    """Where it listens."""
    tls: ServerTls | None = None
    """The certificate that gRPC is served with, that the router shows where it links, and whose clients are let in
    beside ours. Left out: the operator issues one; without a cluster the command line names the files."""
    heartbeat: Heartbeat = Heartbeat()
    """Signs of life of processes and of linked routers."""
    queues: RouterQueues = RouterQueues()
    """What may wait in memory to be written to one process, or to one linked router."""
    spill_ref: Reference | None = None
    """The Spill that takes what there is no memory for, and gives it back in order. Left out: senders keep it."""
    memory: Annotated[int, Size("128MiB", "1TiB")] = GIBIBYTE
    """Memory that the container may take in a cluster."""
    max_processes: Annotated[int, Whole(1, 100_000, "processes")] = 10_000
    """Most processes attached to one router; more are told to attach to another."""
    max_threads: Annotated[int, Whole(1, 10_000_000, "threads")] = 1_000_000
    """Most threads of the domain, about 500 octets of memory each."""
    retry: LinkRetry = LinkRetry()
    """What makes up for losses between the routers of the domain, and on links that others make to it."""
    names: Annotated[Items[NameAccess], Field(max_length=MOST_RULES)] = ()
    """Which principals may use which names for their threads. Empty: everyone every name."""
    domains: Annotated[Items[DomainAccess], Field(max_length=MOST_RULES)] = ()
    """Which routers may link to it, by domain, its own among them. Empty: every router whose certificate is good."""
    access: Access = ()
    """Who may call what over TLS: `Attach` lets processes in, `Link` routers. Empty: whoever has a certificate of our
    authority may call everything."""
    clients: Items[ClientName] = ()
    """Names for which the operator issues client certificates, each into a Secret."""


class Router(Resource):
    """Routers of a domain, that pass messages on between threads by their names."""

    parents: ClassVar[dict[str, str]] = {"spillRef": "Spill"}

    kind: Literal["Router"] = "Router"
    """What it is."""
    metadata: ServiceMetadata
    """Who it is."""
    spec: RouterSpec
    """What it is to be."""
