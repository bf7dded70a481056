"""Version v1alpha1 of the custom resources, group `forebay.dev`."""

from typing import TypeAlias

from forebay.api.v1alpha1.compaction import (
    ClaimVolume,
    Compaction,
    CompactionMetadata,
    CompactionSpec,
    Concurrency,
    Engine,
    Job,
    RunHistory,
    SparkDriver,
    SparkExecutor,
    SpillLimits,
    TargetKind,
    TargetReference,
    Threshold,
)
from forebay.api.v1alpha1.metadata import (
    API_VERSION,
    AccessRule,
    Metadata,
    NamedSecret,
    Reference,
    Resource,
    SecretReference,
    ServiceMetadata,
)
from forebay.api.v1alpha1.outfeed import (
    ArticleLimits,
    History,
    NntpListener,
    Outfeed,
    OutfeedListeners,
    OutfeedSpec,
    OutfeedStorage,
)
from forebay.api.v1alpha1.peerfeed import Peerfeed, PeerfeedSpec
from forebay.api.v1alpha1.peersending import (
    Auth,
    Connections,
    Family,
    Network,
    NoCheck,
    PasswordSource,
    Reconnect,
    Timeouts,
)
from forebay.api.v1alpha1.peerwaiting import DeadLetter, Deferral, PeerBacklog, Queue
from forebay.api.v1alpha1.peerwants import HashRange, Originators
from forebay.api.v1alpha1.service import GrpcListener, HealthListener, ServerTls
from forebay.api.v1alpha1.spill import Durability, ManagedSpill, Spill, SpillSpec, UrlSource
from forebay.api.v1alpha1.store import (
    Fsync,
    FsyncMode,
    IndexPlace,
    MessageLimits,
    Store,
    StoreListeners,
    StoreMemory,
    StoreSpec,
    StoreStorage,
)
from forebay.api.v1alpha1.storequeue import DeadLetterAddress, Overflow, StoreQueue, StoreQueueSpec

KINDS: dict[str, type[Resource]] = {
    "Spill": Spill,
    "Outfeed": Outfeed,
    "Peerfeed": Peerfeed,
    "Store": Store,
    "StoreQueue": StoreQueue,
    "Compaction": Compaction,
}
"""All kinds by name, parents before their children."""
Service: TypeAlias = Outfeed | Store
"""A resource that runs a service."""

__all__ = [
    "API_VERSION",
    "KINDS",
    "AccessRule",
    "ArticleLimits",
    "Auth",
    "ClaimVolume",
    "Compaction",
    "CompactionMetadata",
    "CompactionSpec",
    "Concurrency",
    "Connections",
    "DeadLetter",
    "DeadLetterAddress",
    "Deferral",
    "Durability",
    "Engine",
    "Family",
    "Fsync",
    "FsyncMode",
    "GrpcListener",
    "HashRange",
    "HealthListener",
    "History",
    "IndexPlace",
    "Job",
    "ManagedSpill",
    "MessageLimits",
    "Metadata",
    "NamedSecret",
    "Network",
    "NntpListener",
    "NoCheck",
    "Originators",
    "Outfeed",
    "OutfeedListeners",
    "OutfeedSpec",
    "OutfeedStorage",
    "Overflow",
    "PasswordSource",
    "PeerBacklog",
    "Peerfeed",
    "PeerfeedSpec",
    "Queue",
    "Reconnect",
    "Reference",
    "Resource",
    "RunHistory",
    "SecretReference",
    "ServerTls",
    "Service",
    "ServiceMetadata",
    "SparkDriver",
    "SparkExecutor",
    "Spill",
    "SpillLimits",
    "SpillSpec",
    "Store",
    "StoreListeners",
    "StoreMemory",
    "StoreQueue",
    "StoreQueueSpec",
    "StoreSpec",
    "StoreStorage",
    "TargetKind",
    "TargetReference",
    "Threshold",
    "Timeouts",
    "UrlSource",
]
