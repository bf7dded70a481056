"""Announcer: a service that answers BitTorrent announces and passes them on to other trackers."""

from datetime import timedelta
from enum import StrEnum
from functools import partial
from ipaddress import ip_network
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Differ, Distinct, GivenFor, Kept, NotAbove, OnlyGrows, Rule, Transition
from forebay.api.v1alpha1.metadata import Reference, Resource, ServiceMetadata
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
from forebay.api.values import Flag, Number, ParsedText, Size, Span, Text, Whole

MOST_LISTED = 10_000
"""Info hashes of an access list."""
InfoHash = Annotated[str, Text(r"^[0-9A-Fa-f]{40}$", "an info hash as 40 hexadecimal digits", longest=40)]
Network = Annotated[
    str,
    ParsedText(
        r"^([0-9]{1,3}(\.[0-9]{1,3}){3}(/[0-9]{1,2})?|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*(/[0-9]{1,3})?)$",
        "an address or a network, as 10.0.0.0/8 or fd00::/8",
        longest=49,
        parse=partial(ip_network, strict=False),
    ),
]


class AnnouncerGrpcListener(GrpcListener):
    """Where gRPC is served."""

    port: Port = 7969
    """Port to listen on."""


class AnnouncerHealthListener(HealthListener):
    """Where health and metrics are shown, in plain HTTP."""

    port: Port = 9969
    """Port to listen on."""


class TrackerListener(Model):
    """Where clients announce by one of the two protocols."""

    enabled: Flag = True
    """Whether clients can announce by this protocol."""
    address: BindAddress | None = None
    """Address to listen on; `::` takes IPv4 too. Left out: 127.0.0.1; in a cluster every address."""
    port: Port = 6969
    """Port to listen on. UDP and HTTP may have the same."""


class AnnouncerListeners(Model):
    """Where an Announcer listens."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Differ("health.port", "grpc.port"),
        Differ("http.port", "grpc.port"),
        Differ("http.port", "health.port"),
    )

    http: TrackerListener = TrackerListener()
    """Where clients announce over HTTP: `/announce`, `/scrape`, and `/stats` for people."""
    udp: TrackerListener = TrackerListener()
    """Where clients announce over UDP."""
    grpc: AnnouncerGrpcListener = AnnouncerGrpcListener()
    """Where gRPC is served."""
    health: AnnouncerHealthListener = AnnouncerHealthListener()
    """Where health and metrics are shown, in plain HTTP."""


class ClientSettings(Model):
    """What clients are told, and how many are served."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("minInterval", "interval"), NotAbove("numwant", "maxNumwant"))

    interval: Annotated[timedelta, Span("10s", "24h")] = timedelta(minutes=30)
    """Time from one announce of a client to the next."""
    min_interval: Annotated[timedelta, Span("0s", "24h")] = timedelta(minutes=15)
    """Time that a client has to let pass between announces. Told over HTTP only."""
    numwant: Annotated[int, Whole(0, 1000, "peers")] = 50
    """Peers that a client gets which does not say how many it wants."""
    max_numwant: Annotated[int, Whole(1, 1000, "peers")] = 200
    """Most peers that a client gets at once. Over UDP no answer is above 1400 octets, whatever this says."""
    tracker_id: Annotated[str, Text(r"^[!-~]*$", "printable ASCII without blanks", longest=64)] = ""
    """What clients send back with their next announces. Empty: nothing. Told over HTTP only."""
    max_connections: Annotated[int, Whole(1, 1_000_000, "connections")] = 20_000
    """Connections of HTTP at a time; more are closed as they come."""
    trusted_proxies: Annotated[Items[Network], Field(max_length=100)] = ()
    """Networks of proxies whose `X-Forwarded-For` tells the address of the client. Empty: nobody's does."""


class SwarmSettings(Model):
    """What is remembered of who has what."""

    peer_age: Annotated[timedelta, Span("1m", "7d")] = timedelta(minutes=180)
    """Time after which a client that has not announced again is forgotten."""
    max_peers: Annotated[int, Whole(1000, 100_000_000, "peers")] = 1_000_000
    """Most peers of all torrents, about 300 octets of memory each. New clients beyond it are told to come back."""
    max_swarms: Annotated[int, Whole(100, 10_000_000, "torrents")] = 250_000
    """Most torrents, about 1500 octets of memory each."""
    snapshot_interval: Annotated[timedelta, Span("10s", "24h")] = timedelta(minutes=1)
    """How often all of it is written to disk, so that it is there after a restart."""


class Listing(StrEnum):
    """What being on the list means."""

    OFF = "off"
    """Nothing: all torrents are tracked."""
    ALLOW = "allow"
    """Only the listed ones are tracked."""
    DENY = "deny"
    """The listed ones are not tracked."""


class TorrentList(Model):
    """Which torrents are tracked."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("infoHashes"),)

    mode: Listing = Listing.OFF
    """`off`: all torrents are tracked. `allow`: only the listed ones. `deny`: all but the listed ones."""
    info_hashes: Annotated[Items[InfoHash], Field(max_length=MOST_LISTED)] = ()
    """Info hashes, as 40 hexadecimal digits each."""


class QueueOverflow(StrEnum):
    """What happens to jobs for which the job queue has no room."""

    DROP = "drop"
    """A client's first announce is refused with a time to retry, a later one is not passed on."""
    SPILL = "spill"
    """The job waits in the Spill."""


class Forwarding(Model):
    """How announces are passed on: queue, workers, limits and retries."""

    queue_size: Annotated[int, Whole(10, 1_000_000, "jobs")] = 10_000
    """Most jobs that wait in memory for a worker."""
    workers: Annotated[int, Whole(1, 1000, "workers")] = 10
    """Workers that always run. Each carries out one job at a time."""
    max_workers: Annotated[int, Whole(1, 2000, "workers")] | None = None
    """Most workers while the queue is long. Left out: twice `workers`."""
    scale_threshold: Annotated[int, Whole(1, 100, "%")] = 60
    """Fill of the queue at which another worker starts, one a second. Below 40 % one leaves."""
    rate_limit_threshold: Annotated[int, Whole(1, 100, "%")] = 80
    """Fill of the queue at which first announces of clients are limited to a rate."""
    rate_limit_per_second: Annotated[float, Number(0.1, 100_000, "")] = 100.0
    """First announces a second while they are limited."""
    rate_limit_burst: Annotated[int, Whole(1, 1_000_000, "announces")] = 200
    """First announces that may come at once while they are limited."""
    throttle_threshold: Annotated[int, Whole(1, 100, "%")] = 60
    """Fill of the queue at which an announce goes to `throttleTop` forwarders only."""
    throttle_top: Annotated[int, Whole(0, 10_000, "forwarders")] = 20
    """Forwarders, drawn at random, that get an announce while the queue is long. 0: no such limit."""
    max_forwarders: Annotated[int, Whole(1, 10_000, "forwarders")] = 100
    """Forwarders, drawn at random, that get an announce at any time."""
    retry_period: Annotated[timedelta, Span("1m", "24h")] = timedelta(minutes=5)
    """When a client comes back whose first announce was refused. It is told in minutes."""
    suspension: Annotated[timedelta, Span("1s", "24h")] = timedelta(minutes=5)
    """How long a forwarder rests that answers 429, unless it says itself how long."""
    attempts: Annotated[int, Whole(1, 20, "requests")] = 5
    """How often a request is sent that fails for a reason which may pass."""
    retry_base: Annotated[timedelta, Span("10ms", "1m")] = timedelta(milliseconds=500)
    """The n-th repetition waits this long times 2 to the power of n."""
    fail_threshold: Annotated[int, Whole(0, 1000, "requests")] = 10
    """Requests that failed in a row, all attempts of each, after which a forwarder is disabled. 0: never."""
    overflow: QueueOverflow = QueueOverflow.DROP
    """What happens to jobs for which the queue has no room. `drop`: a client's first announce is refused with a time to
    retry, a later one is not passed on. `spill`: they wait in the Spill, in order."""


class AnnouncerStorage(Model):
    """Space on disk."""

    transitions: ClassVar[tuple[Transition, ...]] = (OnlyGrows("size"),)

    size: Annotated[int, Size("1GiB", "1TiB")] = GIBIBYTE
    """Size of the volume in a cluster. A snapshot takes about 100 octets a peer."""


class AnnouncerSpec(Model):
    """An announcer service."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("clients"), GivenFor("spillRef", "forwarding.overflow", ("spill",)))
    transitions: ClassVar[tuple[Transition, ...]] = (Kept("spillRef", "the jobs that wait lie there"),)

    listeners: AnnouncerListeners = AnnouncerListeners()
    """Where it listens."""
    tls: ServerTls | None = None
    """The certificate that gRPC is served with, and whose clients are let in beside ours. Left out: the operator issues
    one; without a cluster the command line names the files."""
    spill_ref: Reference | None = None
    """The Spill that keeps scheduled and pending jobs over a restart. Left out: a restart forgets them, and clients'
    next announces bring them back."""
    storage: AnnouncerStorage = AnnouncerStorage()
    """Space on disk, for snapshots of the swarms."""
    memory: Annotated[int, Size("128MiB", "1TiB")] = GIBIBYTE
    """Memory that the container may take in a cluster."""
    announces: ClientSettings = ClientSettings()
    """What clients are told, and how many are served."""
    swarms: SwarmSettings = SwarmSettings()
    """What is remembered of who has what."""
    torrents: TorrentList = TorrentList()
    """Which torrents are tracked."""
    forwarding: Forwarding = Forwarding()
    """How announces are passed on."""
    access: Access = ()
    """Who may call what over TLS. Empty: whoever has a certificate of our authority may call everything."""
    clients: Items[ClientName] = ()
    """Names for which the operator issues client certificates, each into a Secret."""


class Announcer(Resource):
    """A service that answers BitTorrent announces and passes them on to other trackers."""

    parents: ClassVar[dict[str, str]] = {"spillRef": "Spill"}

    kind: Literal["Announcer"] = "Announcer"
    """What it is."""
    metadata: ServiceMetadata
    """Who it is."""
    spec: AnnouncerSpec
    """What it is to be."""
