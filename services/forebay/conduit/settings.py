"""What can be set of the service beside its node."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from forebay.conduit.core.conduits.publisher import Congestion


@dataclass(frozen=True)
class ClientSettings:
    """What clients may have, and what holds for those that do not say."""

    congestion: Congestion = Congestion.BLOCK
    """Of publishers that do not say."""
    deadline: float = inf
    """Likewise: seconds that samples wait for room."""
    resources: int = 10_000
    """Resources, selections and tokens that clients have together."""
    publishers: int = 10_000
    """Publishers that clients have together."""
    subscribers: int = 10_000
    """Subscribers that clients have together."""
    queued_samples: int = 16_384
    """Samples that wait for one subscriber to be read."""
    aside_octets: int = 16 << 20
    """Octets of samples of one publisher that are on their way to the Spill, or back."""
