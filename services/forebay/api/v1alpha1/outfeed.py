"""Outfeed: a service that takes articles in once and feeds them to its peers."""

from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Differ, Distinct, Immutable, NotAbove, OnlyGrows, Rule, Transition
from forebay.api.v1alpha1.metadata import Reference, Resource, ServiceMetadata
from forebay.api.v1alpha1.peertraits import PeerDefaults
from forebay.api.v1alpha1.peerwants import Pattern
from forebay.api.v1alpha1.service import (
    Access,
    BindAddress,
    ClientName,
    GrpcListener,
    HealthListener,
    Port,
    ServerTls,
)
from forebay.api.v1alpha1.spill import GIBIBYTE
from forebay.api.values import Flag, Size, Span, Text


class NntpListener(Model):
    """Where NNTP peers may feed us."""

    address: BindAddress | None = None
    """Address to listen on. NNTP knows nobody: whoever can connect can feed. Left out: 127.0.0.1; in a cluster every
    address, where a NetworkPolicy lets in only Forebay's own pods of the namespace."""
    port: Port = 1119
    """Port to listen on."""


class OutfeedListeners(Model):
    """Where an Outfeed listens."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Differ("nntp.port", "grpc.port"),
        Differ("health.port", "grpc.port"),
        Differ("health.port", "nntp.port"),
    )

    grpc: GrpcListener = GrpcListener()
    """Where gRPC is served."""
    nntp: NntpListener | None = None
    """Where NNTP peers may feed us. Left out: nowhere."""
    health: HealthListener = HealthListener()
    """Where health and metrics are shown, in plain HTTP."""


class OutfeedStorage(Model):
    """Space on disk."""

    transitions: ClassVar[tuple[Transition, ...]] = (OnlyGrows("size"),)

    size: Annotated[int, Size("1GiB", "64TiB")] = 20 * GIBIBYTE
    """Size of the volume in a cluster."""
    log_limit: Annotated[int, Size("16MiB", "1TiB")] = GIBIBYTE
    """Size of the feed log, about 100 octets an article, that ends the intake while the spill is away."""


class History(Model):
    """What is known to have been seen."""

    remember: Annotated[timedelta, Span("1h", "365d")] = timedelta(days=10)
    """How long a message-id counts as seen."""
    reject_old: Flag = True
    """Reject articles dated before what is remembered, since nobody can tell whether they were seen."""


class ArticleLimits(Model):
    """What an article may be like."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("maxHeaderSize", "maxSize"),)

    max_size: Annotated[int, Size("1KB", "15MiB")] = 1_000_000
    """Largest article, in octets on the wire; a gRPC message holds no more than the bound."""
    max_header_size: Annotated[int, Size("1KB", "1MiB")] = 65_536
    """Largest header of an article, all its lines together."""


class NamedPatterns(Model):
    """Patterns of newsgroups under a name."""

    name: Annotated[
        str, Text(r"^[A-Za-z][A-Za-z0-9_]*$", "letters, digits and '_', beginning with a letter", longest=63)
    ]
    """Their name."""
    groups: Annotated[Items[Pattern], Field(min_length=1, max_length=100)]
    """The patterns, one an item."""


class OutfeedSpec(Model):
    """An outfeed service."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("clients"), Distinct("patterns", "name"))
    transitions: ClassVar[tuple[Transition, ...]] = (Immutable("spillRef", "the backlogs of its peers lie there"),)

    spill_ref: Reference
    """The Spill that takes what peers can't take now."""
    listeners: OutfeedListeners = OutfeedListeners()
    """Where it listens."""
    tls: ServerTls | None = None
    """The certificate that gRPC is served with, and whose clients are let in beside ours. Left out: the operator issues
    one; without a cluster the command line names the files."""
    storage: OutfeedStorage = OutfeedStorage()
    """Space on disk."""
    history: History = History()
    """What is known to have been seen."""
    articles: ArticleLimits = ArticleLimits()
    """What an article may be like."""
    defaults: PeerDefaults | None = None
    """What counts for all its peers that do not say otherwise: fields of a Peerfeed, but for those of that peer alone
    (`outfeedRef`, `hosts`, `target`, `pathIdentity`, `hashfeed`, `pause`). Objects are taken field by field, lists
    whole."""
    # More would make the definition too costly for Kubernetes, which reckons with the longest of all lists.
    patterns: Annotated[Items[NamedPatterns], Field(max_length=16)] = ()
    """Patterns of newsgroups under names. Its Peerfeeds write `$NAME` for them among their `groups` and
    `requiredGroups`; `!` or `@` before it counts for each."""
    access: Access = ()
    """Who may call what over TLS. Empty: whoever has a certificate of our authority may call everything."""
    clients: Items[ClientName] = ()
    """Names for which the operator issues client certificates, each into a Secret."""


class Outfeed(Resource):
    """A service that takes articles in once and feeds them to its peers."""

    parents: ClassVar[dict[str, str]] = {"spillRef": "Spill"}

    kind: Literal["Outfeed"] = "Outfeed"
    """What it is."""
    metadata: ServiceMetadata
    """Who it is."""
    spec: OutfeedSpec
    """What it is to be."""

    def manifest(self) -> dict[str, Any]:
        """The resource as JSON has it; what the defaults of its peers leave out stays out."""
        whole = super().manifest()
        if self.spec.defaults:
            whole["spec"]["defaults"] = self.spec.defaults.given()
        return whole
