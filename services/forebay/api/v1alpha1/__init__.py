"""Version v1alpha1 of the custom resources, group `forebay.dev`."""

from forebay.api.v1alpha1.metadata import (
    API_VERSION,
    AccessRule,
    Metadata,
    Reference,
    Resource,
    SecretReference,
    ServiceMetadata,
)
from forebay.api.v1alpha1.outfeed import (
    ArticleLimits,
    GrpcListener,
    HealthListener,
    History,
    NntpListener,
    Outfeed,
    OutfeedListeners,
    OutfeedSpec,
    OutfeedStorage,
)
from forebay.api.v1alpha1.peerfeed import (
    Connections,
    DeadLetter,
    Deferral,
    HashRange,
    NoCheck,
    PeerBacklog,
    Peerfeed,
    PeerfeedSpec,
    Queue,
    Reconnect,
    Timeouts,
)
from forebay.api.v1alpha1.spill import Durability, ManagedSpill, Spill, SpillSpec, UrlSource

KINDS: dict[str, type[Resource]] = {"Spill": Spill, "Outfeed": Outfeed, "Peerfeed": Peerfeed}
"""All kinds by name, parents before their children."""

__all__ = [
    "API_VERSION",
    "KINDS",
    "AccessRule",
    "ArticleLimits",
    "Connections",
    "DeadLetter",
    "Deferral",
    "Durability",
    "GrpcListener",
    "HashRange",
    "HealthListener",
    "History",
    "ManagedSpill",
    "Metadata",
    "NntpListener",
    "NoCheck",
    "Outfeed",
    "OutfeedListeners",
    "OutfeedSpec",
    "OutfeedStorage",
    "PeerBacklog",
    "Peerfeed",
    "PeerfeedSpec",
    "Queue",
    "Reconnect",
    "Reference",
    "Resource",
    "SecretReference",
    "ServiceMetadata",
    "Spill",
    "SpillSpec",
    "Timeouts",
    "UrlSource",
]
