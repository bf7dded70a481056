"""ConduitNode: a node of conduit, or several, that exchange samples with peers over networks that lose datagrams."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, GivenFor, Kept, NotAbove, Rule, Transition
from forebay.api.v1alpha1.conduitlisteners import ConduitListeners
from forebay.api.v1alpha1.conduits import Conduit, Extras, NumberLength, PeerConduit, UnicastConduit
from forebay.api.v1alpha1.metadata import Reference, Resource, SecretReference, ServiceMetadata
from forebay.api.v1alpha1.service import (
    Access,
    ClientName,
    ServerTls,
)
from forebay.api.v1alpha1.spill import GIBIBYTE, MEBIBYTE
from forebay.api.values import Flag, Size, Span, Text, Whole

MOST_NODES = 16
"""Nodes that a cluster runs of one resource: each of them is the peer of each."""
MOST_CONDUITS = 32
MOST_KEYS = 8
_PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
_LETTERS = "A-Za-z0-9_?*-"
OwnPeerId = Annotated[
    str, Text(r"^([0-9a-f]{2}){1,15}$", "1 to 15 octets as pairs of hexadecimal digits, as 0a1b2c", longest=30)
]
PeerPlace = Annotated[
    str,
    Text(
        rf"^(udp|tcp)/([0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?|\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*\]):({_PORT})$",
        "udp/HOST:PORT or tcp/HOST:PORT, as udp/press.example.com:7448 or tcp/[2001:db8::7]:7448",
        longest=300,
    ),
]
ResourceUri = Annotated[
    str,
    Text(
        rf"^(\*\*([{_LETTERS}/]*[{_LETTERS}])?|/[{_LETTERS}/]*[{_LETTERS}])$",
        "a URI as /plant/oven-1/temp: letters, digits, '_', '-' and '/', the last one not '/'; "
        "'?', '*' and '**' stand for others",
        longest=256,
    ),
]


class Scouting(Model):
    """How peers are looked for, in the multicast group and at the places of `peers`."""

    enabled: Flag = True
    """Whether the node looks for peers. Those that look for it are answered in any case."""
    interval: Annotated[timedelta, Span("100ms", "1h")] = timedelta(seconds=3)
    """Time from one SCOUT to the next."""
    count: Annotated[int, Whole(0, 1_000_000, "")] = 0
    """SCOUTs after which it stops looking. 0: it never stops."""
    resolve_interval: Annotated[timedelta, Span("1s", "1h")] = timedelta(seconds=30)
    """How often host names of `peers` are looked up again. A name stands for all its addresses."""


class Opening(Model):
    """How a session is asked for."""

    interval: Annotated[timedelta, Span("100ms", "5m")] = timedelta(seconds=1)
    """Time between two OPENs to a peer that does not answer."""
    tries: Annotated[int, Whole(1, 1000, "")] = 5
    """OPENs after which such a peer is given up until it is heard of again."""


class DatagramKeySource(Model):
    """Where a key is."""

    secret_ref: SecretReference
    """The key of a Secret whose value is the text that datagrams are sealed with, of 16 to 64 octets."""


class DatagramKey(Model):
    """One key that datagrams are sealed with."""

    id: Annotated[int, Whole(0, 255, "")]
    """Number by which nodes tell keys apart."""
    key_from: DatagramKeySource
    """Where the key is."""


class Authentication(Model):
    """Datagrams sealed by a keyed hash: what is not is refused. All nodes that are to talk have the keys."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("keys", key="id"),)

    keys: Annotated[Items[DatagramKey], Field(min_length=1, max_length=MOST_KEYS)]
    """The first one seals what is sent; what comes in is sealed with any. To change keys, add the new one at the end
    everywhere, then move it to the front everywhere, then remove the old one."""
    tolerance: Annotated[timedelta, Span("1s", "1h")] = timedelta(seconds=30)
    """How far the clocks of two nodes may be apart."""


class CongestionPolicy(StrEnum):
    """What becomes of samples that the window has no room for."""

    BLOCK = "block"
    """They wait until there is."""
    DROP = "drop"
    """They are dropped, and counted."""
    ERROR = "error"
    """Whoever publishes them gets an error."""
    SPILL = "spill"
    """They wait in the Spill."""


class CongestionDefault(Model):
    """What holds for publishers that do not say."""

    policy: CongestionPolicy = CongestionPolicy.BLOCK
    """What becomes of samples that the window has no room for. `block`: they wait until there is. `drop`: they are
    dropped, and counted. `error`: whoever publishes them gets an error. `spill`: they wait in the Spill."""
    deadline: Annotated[timedelta, Span("0s", "24h")] = timedelta(0)
    """How long they wait with `block`, before whoever publishes them gets an error. 0s: for ever."""


class SampleDurability(StrEnum):
    """How long samples are kept for those who come later, as the protocol tells it."""

    VOLATILE = "volatile"
    TRANSIENT = "transient"
    PERSISTENT = "persistent"


class DeclaredResource(Model):
    """A resource that the node declares as it starts."""

    uri: ResourceUri
    """Its URI."""
    id: Annotated[int, Whole(1, 2_147_483_647, "")] | None = None
    """Its number, which all nodes then use for it. Left out: the node takes a free one."""
    reliable: Flag | None = None
    """Whether its samples may not be lost. Left out: nothing is told, and each publisher says so itself."""
    durability: SampleDurability | None = None
    """How long its samples are kept for those who come later: `volatile`, `transient` or `persistent`. Left out:
    nothing is told."""
    unicast: Flag = False
    """Whether it has one subscriber at most; others are refused, with a reason."""


class ConduitLimits(Model):
    """The most that is taken and kept."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("pendingDeclarations", "declarations"),)

    peers: Annotated[int, Whole(1, 4096, "peers")] = 256
    """Peers at a time; more are refused."""
    conduits: Annotated[int, Whole(1, 255, "conduits")] = 16
    """Conduits that are received of each peer; what comes over others is ignored."""
    declarations: Annotated[int, Whole(16, 1_000_000, "declarations")] = 16_384
    """Declarations that are kept of each peer; more are refused."""
    pending_declarations: Annotated[int, Whole(1, 100_000, "declarations")] = 1024
    """Declarations in one transaction of a peer; more are refused."""
    resources: Annotated[int, Whole(1, 1_000_000, "resources")] = 10_000
    """Resources and selections that clients declare over gRPC."""
    publishers: Annotated[int, Whole(1, 1_000_000, "publishers")] = 10_000
    """Publishers that clients declare over gRPC."""
    subscribers: Annotated[int, Whole(1, 1_000_000, "subscribers")] = 10_000
    """Subscribers that clients declare over gRPC."""
    queries: Annotated[int, Whole(1, 100_000, "queries")] = 1024
    """Queries of the node that wait for answers."""
    uri_length: Annotated[int, Whole(16, 4096, "characters")] = 256
    """Characters of a URI. Programs with zhe take 100, small ones 40."""
    queued_samples: Annotated[int, Whole(1, 1_000_000, "samples")] = 16_384
    """Samples that wait for one subscriber to take them; more stay with their senders."""
    pulled_samples: Annotated[int, Whole(1, 100_000, "samples")] = 64
    """Samples that are kept for each subscriber that pulls, or gets them at times; older ones are dropped."""
    history: Annotated[int, Size("1KB", "1GiB")] = MEBIBYTE
    """Octets that the last samples of one resource have together, that are kept for subscribers which come later."""
    aside: Annotated[int, Size("64KiB", "4GiB")] = 16 * MEBIBYTE
    """Memory for samples of one publisher that wait for the Spill or for room."""
    socket_buffer: Annotated[int, Size("64KiB", "256MiB")] = 4 * MEBIBYTE
    """What the system is asked to keep of datagrams that come in. It may keep less."""


class ConduitNodeSpec(Model):
    """Nodes of conduit."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Distinct("clients"),
        Distinct("peers"),
        Distinct("unicastByPeer", key="peerId"),
        Distinct("resources", key="uri"),
        GivenFor("spillRef", "congestion.policy", ("spill",)),
    )
    transitions: ClassVar[tuple[Transition, ...]] = (Kept("spillRef", "the samples that wait lie there"),)

    peer_id: OwnPeerId | None = None
    """Id by which peers know the node, over restarts too. In a cluster the first pod has this one, and each other pod
    has its number behind it as one more octet. Left out: it is made of the resource's uid, and of the pod's number."""
    replicas: Annotated[int, Whole(1, MOST_NODES, "pods")] = 1
    """Nodes that a cluster runs as pods, each the peer of each. Nodes do not pass samples on for others: peers outside
    have a session with each, by a Service of its own. Without a cluster there is one, and `peers` names others."""
    host_network: Flag = False
    """In a cluster the pods have the addresses and ports of their hosts, one pod a host, which multicast needs where
    the network of pods does not know it."""
    listeners: ConduitListeners = ConduitListeners()
    """Where it listens."""
    peers: Annotated[Items[PeerPlace], Field(max_length=256)] = ()
    """Places of peers that are looked for one by one, beside the pods of this resource and the multicast group. Host
    names are looked up again and again, and stand for all their addresses."""
    scouting: Scouting = Scouting()
    """How peers are looked for."""
    lease: Annotated[timedelta, Span("0s", "24h")] = timedelta(seconds=5)
    """How long peers take the node for alive after its last datagram, in steps of 100 ms; it sends one four times as
    often. 0s: for ever. Each peer is judged by the lease that it tells itself."""
    opening: Opening = Opening()
    """How a session is asked for."""
    numbers: NumberLength = NumberLength.STANDARD
    """How far samples are counted. `standard`: 14 bits, as all programs with zhe's protocol do. `long`: 28 bits, for
    networks that delay datagrams for long; peers have to be set so too, or they are refused."""
    conduits: Annotated[Items[Conduit], Field(min_length=1, max_length=MOST_CONDUITS)] = (Conduit(), Conduit())
    """The conduits to all peers, by their number from 0; publishers choose one. Each has a window of its own, so what
    waits in one holds up nothing of another. All nodes should have as many. Left out: two."""
    unicast: UnicastConduit = UnicastConduit()
    """The conduit to each peer alone."""
    unicast_by_peer: Annotated[Items[PeerConduit], Field(max_length=256)] = ()
    """Peers whose conduit is another."""
    extras: Extras = Extras()
    """What is offered to nodes of our own kind."""
    authentication: Authentication | None = None
    """Datagrams sealed by a keyed hash, which programs with zhe's protocol alone do not know. Left out: they are not,
    and whoever reaches the node may take part."""
    congestion: CongestionDefault = CongestionDefault()
    """What holds for publishers that do not say."""
    spill_ref: Reference | None = None
    """The Spill that takes samples of publishers with `spill`, and gives them back in order. Left out: none may say
    so."""
    resources: Annotated[Items[DeclaredResource], Field(max_length=1000)] = ()
    """Resources that the node declares as it starts."""
    limits: ConduitLimits = ConduitLimits()
    """The most that is taken and kept."""
    offload_replies: Flag = False
    """Whether acknowledgements and repeats wait for the next round of housekeeping, rather than being sent at once."""
    memory: Annotated[int, Size("128MiB", "1TiB")] = GIBIBYTE
    """Memory that the container may take in a cluster."""
    tls: ServerTls | None = None
    """The certificate that gRPC is served with, and whose clients are let in beside ours. Left out: the operator issues
    one; without a cluster the command line names the files."""
    access: Access = ()
    """Who may call what over TLS. Empty: whoever has a certificate of our authority may call everything."""
    clients: Items[ClientName] = ()
    """Names for which the operator issues client certificates, each into a Secret."""


class ConduitNode(Resource):
    """Nodes of conduit, that exchange samples with peers over networks that lose datagrams."""

    parents: ClassVar[dict[str, str]] = {"spillRef": "Spill"}

    kind: Literal["ConduitNode"] = "ConduitNode"
    """What it is."""
    metadata: ServiceMetadata
    """Who it is."""
    spec: ConduitNodeSpec
    """What it is to be."""
